public import Foundation

/// Identifies one state of one store. Derived data carries the stamp of the state from which it was derived.
///
/// Equal stamps mean equal contents. A restore or repair begins a new epoch, so states of different histories
/// have different stamps even if their revisions are equal.
public struct Stamp: Sendable, Hashable, Codable {
    /// The id of the store.
    public var store: UUID
    /// The id of the history that the revision belongs to.
    public var epoch: UUID
    /// The revision of the latest commit in the state.
    public var revision: Revision
    /// The number of entries.
    public var entryCount: Int
    /// The number of clusters.
    public var clusterCount: Int

    /// Creates a stamp.
    public init(store: UUID, epoch: UUID, revision: Revision, entryCount: Int, clusterCount: Int) {
        (self.store, self.epoch, self.revision, self.entryCount) = (store, epoch, revision, entryCount)
        self.clusterCount = clusterCount
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            store: try container.decode(UUID.self, forKey: .store),
            epoch: try container.decode(UUID.self, forKey: .epoch),
            revision: try container.decode(Revision.self, forKey: .revision),
            entryCount: try container.decodeCount(forKey: .entryCount),
            clusterCount: try container.decodeCount(forKey: .clusterCount))
    }
}

/// The number of a commit. It is 0 before the first commit, and every commit that changes something increases
/// it by at least one.
public struct Revision: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt64

    /// Creates a revision from its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The maximum revision that is read from a file: no store can reach it, and the revisions of further
    /// commits do not overflow.
    package static let maximum = Revision(rawValue: 1 << 62)

    /// The revision of a store before its first commit.
    public static let zero = Revision(rawValue: 0)

    public static func < (left: Revision, right: Revision) -> Bool { left.rawValue < right.rawValue }

    /// The following revision.
    public var next: Revision { Revision(rawValue: rawValue + 1) }

    public var description: String { String(rawValue) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        rawValue = try container.decode(UInt64.self)
        guard self <= .maximum else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the revision is out of range")
        }
    }
}

extension Int {
    /// Whether a store accepts the value as a number of objects: it is from 0 to 2^32 - 1.
    var isStorableCount: Bool { self >= 0 && self < 1 << 32 }
}

extension KeyedDecodingContainer {
    /// Decodes a number of objects in a store.
    ///
    /// Rows have 32-bit numbers, so no store has more objects. Within this range, sums and small multiples of
    /// counts cannot overflow.
    ///
    /// - Throws: `DecodingError` if the number is negative or at least 2^32.
    package func decodeCount(forKey key: Key) throws -> Int {
        let count = try decode(Int.self, forKey: key)
        guard count.isStorableCount else { throw damage(key, "the number \(count) is out of range") }
        return count
    }
}
