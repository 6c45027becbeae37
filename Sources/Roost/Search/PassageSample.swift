import Foundation
import RoostModel

/// The selection of the passages of a sample. It depends only on the ids of the entries, so an index that was
/// updated many times has the same sample as one that was built at once.
struct PassageSample<Row: Sendable>: Sendable {
    private struct Member: Sendable {
        var key: UInt64
        var entry: Entry.ID
        var ordinal: Int
        var row: Row

        func precedes(_ other: Member) -> Bool {
            (key, entry, ordinal) < (other.key, other.entry, other.ordinal)
        }
    }

    /// The members of the sample so far, and some candidates that it will not contain. The array is sorted
    /// and truncated when its length has doubled.
    private var members: [Member] = []
    private var threshold = UInt64.max

    /// Adds a passage, if it can be in the sample.
    mutating func add(_ entry: Entry.ID, _ ordinal: Int, _ row: Row) {
        let key = Self.key(entry, ordinal)
        guard key <= threshold else { return }
        members.append(Member(key: key, entry: entry, ordinal: ordinal, row: row))
        if members.count >= 2 * PairStatistics.sampleSize { cut() }
    }

    /// The passages of the sample.
    mutating func finish() -> [(entry: Entry.ID, row: Row)] {
        cut()
        return members.map { ($0.entry, $0.row) }
    }

    private mutating func cut() {
        members.sort { $0.precedes($1) }
        members.removeLast(max(0, members.count - PairStatistics.sampleSize))
        if members.count == PairStatistics.sampleSize, let last = members.last { threshold = last.key }
    }

    /// Returns a hash of a passage, by which the sample is selected.
    private static func key(_ entry: Entry.ID, _ ordinal: Int) -> UInt64 {
        let halves = withUnsafeBytes(of: entry.uuid) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        var hash = UInt64(littleEndian: halves.0) &+ UInt64(ordinal) &* 0x9E37_79B9_7F4A_7C15
        for value in [UInt64(littleEndian: halves.1), 0] {
            hash = (hash ^ (hash >> 30) ^ value) &* 0xBF58_476D_1CE4_E5B9
            hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
            hash ^= hash >> 31
        }
        return hash
    }
}
