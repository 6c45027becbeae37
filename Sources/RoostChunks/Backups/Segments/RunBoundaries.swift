import Foundation
import RoostFiles
import RoostModel

/// Determines where runs of entries, and lists of runs, end.
///
/// The boundaries are content-defined: each depends only on its neighborhood. If an entry is added or
/// removed, only the boundaries next to it move, and all other runs remain identical.
enum RunBoundaries {
    // These values determine how entries are divided into segments. If one of them changed, the next backup
    // of every store would write all of the store's data again.

    private static let minimumCount = 16
    private static let maximumCount = 256
    /// The average number of entries between two boundaries of runs.
    private static let spacing: UInt64 = 64
    /// A run ends when the total size of its texts reaches this number of bytes.
    private static let maximumBytes = 1 << 20
    private static let maximumListCount = 512
    /// The average number of runs between two boundaries of lists.
    private static let listSpacing: UInt64 = 128

    /// - Parameters:
    ///   - count: The number of entries in the run, including this one.
    ///   - bytes: The total size of the texts of these entries, in bytes.
    static func endsRun(after id: Entry.ID, count: Int, bytes: Int) -> Bool {
        if count >= maximumCount || bytes >= maximumBytes { return true }
        return count >= minimumCount && mixed(id) % spacing == 0
    }

    static func endsList(after run: RunRecord, count: Int) -> Bool {
        count >= maximumListCount || run.ids.lowBits % listSpacing == 0
    }

    /// Returns a hash of an entry's id, computed with the finalizer of SplitMix64. The id is hashed because
    /// ids are not always random: a caller may use consecutive numbers.
    private static func mixed(_ id: Entry.ID) -> UInt64 {
        let (high, low) = withUnsafeBytes(of: id.uuid) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        var x = UInt64(littleEndian: high) ^ UInt64(littleEndian: low) &* 0x9E37_79B9_7F4A_7C15
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        return x ^ (x >> 31)
    }
}

struct RunCutter {
    private var pending: [Entry] = []
    private var bytes = 0

    /// - Returns: The entries of the run if it ends after this entry; otherwise `nil`.
    mutating func add(_ entry: Entry) -> [Entry]? {
        pending.append(entry)
        bytes += entry.content.utf8.count
        guard RunBoundaries.endsRun(after: entry.id, count: pending.count, bytes: bytes) else { return nil }
        return rest()
    }

    /// Returns the entries after the last boundary, or `nil` if there are none.
    mutating func rest() -> [Entry]? {
        defer { (pending, bytes) = ([], 0) }
        return pending.isEmpty ? nil : pending
    }
}

/// Divides sources, in the order of their ids, into runs. The boundaries are content-defined, like those of
/// ``RunBoundaries``.
enum SourceRuns {
    /// The average number of sources from one boundary to the next.
    private static let spacing: UInt64 = 256
    private static let maximumCount = 1024

    static func cut(_ sources: [Source]) -> [[Source]] {
        let sorted = sources.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        var (runs, run) = ([[Source]](), [Source]())
        for source in sorted {
            run.append(source)
            let hash = SegmentID(SHA256.hash(Array(source.id.utf8))).lowBits
            guard hash % spacing == 0 || run.count >= maximumCount else { continue }
            runs.append(run)
            run = []
        }
        return run.isEmpty ? runs : runs + [run]
    }
}
