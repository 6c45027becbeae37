public import Foundation
public import RoostModel

/// One revision of a store as a repository has it: the names of its segments.
public struct BackupSnapshot: Sendable, Identifiable {
    /// The digest of what is stored: hexadecimal.
    public internal(set) var id: String
    public var created: Date
    public var tags: [String]
    /// Which state of which store it is.
    public var stamp: Stamp
    /// What the maker wants to have back: what the store is, say.
    public var attributes: [String: String]
    public var sourceCount: Int
    /// How many source documents it has, byte for byte, and how large they are.
    public var originalCount = 0
    public var originalBytes = 0

    static let currentFormat = 1

    /// Lists of runs of entries, in the order of their rows.
    var lists: [SegmentID]
    var sources: [SegmentID]
    /// For each segment of sources where it was cut, so that the next backup finds the one in whose place it
    /// has another.
    var sourceBounds: [UInt64] = []
    /// For each segment of sources which documents of theirs are kept; empty where none is.
    var originals: [SegmentID] = []
    var clusters: [SegmentID]
    var run: SegmentID?
    /// So that two snapshots of one state have different names.
    var nonce = UUID()
}

extension BackupSnapshot: Codable {
    enum CodingKeys: String, CodingKey {
        case format, created, tags, stamp, attributes, sourceCount, originalCount, originalBytes, lists,
            sources, sourceBounds, originals, clusters, run, nonce
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = ""
        created = Date(milliseconds: try container.decode(Int64.self, forKey: .created))
        tags = try container.decode([String].self, forKey: .tags)
        stamp = try container.decode(Stamp.self, forKey: .stamp)
        attributes = try container.decode([String: String].self, forKey: .attributes)
        sourceCount = try container.decode(Int.self, forKey: .sourceCount)
        lists = try container.decode([SegmentID].self, forKey: .lists)
        sources = try container.decode([SegmentID].self, forKey: .sources)
        sourceBounds = try container.decodeIfPresent([UInt64].self, forKey: .sourceBounds) ?? []
        originals = try container.decodeIfPresent([SegmentID].self, forKey: .originals) ?? []
        originalCount = try container.decodeIfPresent(Int.self, forKey: .originalCount) ?? 0
        originalBytes = try container.decodeIfPresent(Int.self, forKey: .originalBytes) ?? 0
        clusters = try container.decode([SegmentID].self, forKey: .clusters)
        run = try container.decodeIfPresent(SegmentID.self, forKey: .run)
        nonce = try container.decode(UUID.self, forKey: .nonce)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.currentFormat, forKey: .format)
        try container.encode(created.milliseconds, forKey: .created)
        try container.encode(tags, forKey: .tags)
        try container.encode(stamp, forKey: .stamp)
        try container.encode(attributes, forKey: .attributes)
        try container.encode(sourceCount, forKey: .sourceCount)
        try container.encode(lists, forKey: .lists)
        try container.encode(sources, forKey: .sources)
        try container.encode(sourceBounds, forKey: .sourceBounds)
        if !originals.isEmpty {
            try container.encode(originals, forKey: .originals)
            try container.encode(originalCount, forKey: .originalCount)
            try container.encode(originalBytes, forKey: .originalBytes)
        }
        try container.encode(clusters, forKey: .clusters)
        try container.encodeIfPresent(run, forKey: .run)
        try container.encode(nonce, forKey: .nonce)
    }
}
