public import Foundation
public import RoostModel

/// A backup of one revision of a store: the names of the segments that contain it.
public struct BackupSnapshot: Sendable, Identifiable {
    /// The digest of the stored snapshot, in hexadecimal. In an encrypted repository, it is a keyed digest.
    public internal(set) var id: String
    /// The time at which the snapshot was created.
    public var created: Date
    /// The snapshot's labels, which ``BackupRetention`` can refer to.
    public var tags: [String]
    /// The store and the revision that were backed up.
    public var stamp: Stamp
    /// Values that were stored with the snapshot when it was created, for example the configuration of the
    /// store.
    public var attributes: [String: String]
    /// The number of source records.
    public var sourceCount: Int
    /// The number of original files in the snapshot.
    public var originalCount = 0
    /// The total size of the original files, in bytes.
    public var originalBytes = 0

    /// The newest format that this version reads, and the one that it writes. In format 2, entries can have
    /// locations.
    static let currentFormat = 2

    /// The lists of runs of entries, in the order of the entries' rows.
    var lists: [SegmentID]
    /// The segments with source records, in the order of the sources' ids.
    var sources: [SegmentID]
    /// The boundary (``SourceRuns/Run/bound``) of each segment of sources. The next backup uses it to find
    /// the earlier version of a changed segment.
    var sourceBounds: [UInt64] = []
    /// For each segment of sources, the list of their original files; empty if there are no documents.
    var originals: [SegmentID] = []
    /// The segments with clusters.
    var clusters: [SegmentID]
    /// The segment with the clustering run.
    var run: SegmentID?
    /// A number that is greater than those of all earlier snapshots of the same store in the repository, so
    /// that their order does not depend on a clock; 0 in snapshots of older versions.
    var sequence = 0
    /// A random value, so that two snapshots of the same revision have different names.
    var nonce = UUID()
}

extension BackupSnapshot: Codable {
    enum CodingKeys: String, CodingKey {
        case format, created, tags, stamp, attributes, sourceCount, originalCount, originalBytes, lists,
            sources, sourceBounds, originals, clusters, run, sequence, nonce
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
        // The number of the next snapshot must not overflow.
        sequence = min(max(0, try container.decodeIfPresent(Int.self, forKey: .sequence) ?? 0), 1 << 52)
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
        if sequence > 0 { try container.encode(sequence, forKey: .sequence) }
        try container.encode(nonce, forKey: .nonce)
    }
}
