public import Foundation
public import RoostVectors

/// The assignment of an entry to a cluster, or to the outliers.
///
/// Assignments are stored per entry and not as lists of members, so assigning one entry writes only one row.
public struct Assignment: Sendable, Hashable, Codable {
    /// The target of an assignment.
    public enum Target: Sendable, Hashable {
        /// The entry is a member of the cluster.
        case cluster(Cluster.ID)
        /// The entry is in no cluster. The value is the reason.
        case outlier(Partition.OutlierReason)
    }

    /// The id of the entry.
    public var entry: Entry.ID
    /// The cluster of the entry, or the reason why it is in no cluster.
    public var target: Target
    /// The run that made the assignment; `nil` if a person or a program made it independently of a run.
    public var run: ClusteringRun.ID?
    /// The cosine similarity of the entry to the centroid of its cluster or, for an outlier, of the nearest
    /// cluster, from -1 to 1.
    public var similarity: Float
    /// The confidence in the assignment, from 0 to 1.
    public var confidence: Float

    /// Creates an assignment.
    public init(
        entry: Entry.ID, target: Target, run: ClusteringRun.ID? = nil, similarity: Float = 0,
        confidence: Float = 1
    ) {
        self.entry = entry
        self.target = target
        self.run = run
        self.similarity = similarity
        self.confidence = confidence
    }

    /// The cluster of the entry; `nil` for an outlier.
    public var cluster: Cluster.ID? {
        if case .cluster(let id) = target { id } else { nil }
    }

    /// The reason why the entry is in no cluster; `nil` if it is in a cluster.
    public var outlierReason: Partition.OutlierReason? {
        if case .outlier(let reason) = target { reason } else { nil }
    }

    enum CodingKeys: String, CodingKey {
        case entry, cluster, outlier, run, similarity, confidence
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let target: Target
        if let cluster = try container.decodeIfPresent(UUID.self, forKey: .cluster) {
            target = .cluster(cluster)
        } else {
            target = .outlier(try container.decode(Partition.OutlierReason.self, forKey: .outlier))
        }
        self.init(
            entry: try container.decode(UUID.self, forKey: .entry), target: target,
            run: try container.decodeIfPresent(UUID.self, forKey: .run),
            similarity: try container.decode(Float.self, forKey: .similarity),
            confidence: try container.decode(Float.self, forKey: .confidence))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entry, forKey: .entry)
        try container.encodeIfPresent(cluster, forKey: .cluster)
        try container.encodeIfPresent(outlierReason, forKey: .outlier)
        try container.encodeIfPresent(run, forKey: .run)
        try container.encode(similarity, forKey: .similarity)
        try container.encode(confidence, forKey: .confidence)
    }
}
