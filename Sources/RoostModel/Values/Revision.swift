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

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
