public import Foundation

/// The number of a commit: 0 before the first, then growing by at least one with each commit that changed
/// something.
public struct Revision: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The revision of a store that nothing was ever committed to.
    public static let zero = Revision(rawValue: 0)

    public static func < (left: Revision, right: Revision) -> Bool { left.rawValue < right.rawValue }

    public var next: Revision { Revision(rawValue: rawValue + 1) }

    public var description: String { String(rawValue) }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(UInt64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Which state of which store something was read from, or derived from.
///
/// Two stamps are equal only for the same contents: the epoch is renewed by restore and repair, so that equal
/// revisions of different histories are never taken for each other.
public struct Stamp: Sendable, Hashable, Codable {
    public var store: UUID
    public var epoch: UUID
    public var revision: Revision
    public var entryCount: Int
    public var clusterCount: Int

    public init(store: UUID, epoch: UUID, revision: Revision, entryCount: Int, clusterCount: Int) {
        self.store = store
        self.epoch = epoch
        self.revision = revision
        self.entryCount = entryCount
        self.clusterCount = clusterCount
    }
}
