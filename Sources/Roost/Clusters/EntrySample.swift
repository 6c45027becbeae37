import Foundation
import RoostModel

/// A sample of the entries of a store, which depends only on their ids: an entry that belongs to a sample
/// also belongs to every larger one, in any process and at any time.
struct EntrySample: Sendable, Hashable {
    /// The share of all entries that the sample has, 0 to 1.
    let share: Double
    /// The maximum hash of the ids in the sample.
    private let maximumHash: UInt64

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - count: The intended number of entries, at least 1. The sample has about this number: it differs by
    ///     a few times its square root.
    ///   - total: The number of entries of the store. If it is not above `count`, the sample has all entries.
    init(of count: Int, from total: Int) {
        guard count < total else {
            (share, maximumHash) = (1, .max)
            return
        }
        share = Double(count) / Double(total)
        maximumHash = UInt64(share * 0x1p64)
    }

    /// Whether the sample has all entries.
    var isComplete: Bool { maximumHash == .max }

    /// Returns whether an entry belongs to the sample.
    func contains(_ id: Entry.ID) -> Bool { isComplete || Self.hash(of: id) <= maximumHash }

    /// Returns a hash of an id: its two halves, mixed by the function of MurmurHash3, which distributes ids
    /// of all versions evenly.
    private static func hash(of id: Entry.ID) -> UInt64 {
        withUnsafeBytes(of: id.uuid) { bytes in
            let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
            let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return mixed(mixed(first) ^ second)
        }
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD
        value = (value ^ value >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return value ^ value >> 33
    }
}
