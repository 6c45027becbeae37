public import Foundation
public import RoostVectors

/// The record of a clustering run. It contains everything that is needed to explain and reproduce the result.
public struct ClusteringRun: Sendable, Hashable, Identifiable, Codable {
    /// The id of a run.
    public typealias ID = UUID

    /// The id of the run.
    public var id: UUID
    /// The name by which the algorithm is known in the literature, such as `spherical-k-means`.
    public var algorithm: String
    /// The parameters that were given to the run, and those that the run chose.
    public var parameters: [String: MetadataValue]
    /// The seed of the random number generator.
    public var seed: UInt64
    /// The state of the store that the run read.
    public var stamp: Stamp
    /// The SHA-256 digest of the ids and vectors of the clustered entries, ordered by id, in lower-case
    /// hexadecimal. A run with the same digest, parameters and seed finds the same groups.
    public var dataDigest: String?
    /// The mean silhouette of the entries that are in a cluster, from -1 to 1 (see ``Cluster/silhouette``).
    public var silhouette: Double?
    /// The fraction of entries that are in a cluster with the same id as before the run, from 0 to 1. Only
    /// entries that were in a cluster both before and after the run are counted; `nil` without such entries.
    public var stability: Double?
    /// The clusters that disappeared because all of their entries were removed or became outliers.
    public var vanished: [Cluster.Origin] = []
    /// The date of the run, to the millisecond.
    public var createdAt: Date { didSet { createdAt = createdAt.wholeMilliseconds } }

    /// Creates the record of a run.
    public init(
        id: UUID = UUID(), algorithm: String, parameters: [String: MetadataValue] = [:], seed: UInt64,
        stamp: Stamp, createdAt: Date = Date()
    ) {
        (self.id, self.algorithm, self.parameters, self.seed) = (id, algorithm, parameters, seed)
        self.stamp = stamp
        self.createdAt = createdAt.wholeMilliseconds
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            algorithm: try container.decode(String.self, forKey: .algorithm),
            parameters: try container.decode([String: MetadataValue].self, forKey: .parameters),
            seed: try container.decode(UInt64.self, forKey: .seed),
            stamp: try container.decode(Stamp.self, forKey: .stamp),
            createdAt: try container.decodeDateIfPresent(forKey: .createdAt) ?? Date(milliseconds: 0))
        dataDigest = try container.decodeIfPresent(String.self, forKey: .dataDigest)
        silhouette = try container.decodeIfPresent(Double.self, forKey: .silhouette)
        stability = try container.decodeIfPresent(Double.self, forKey: .stability)
        vanished = try container.decodeIfPresent([Cluster.Origin].self, forKey: .vanished) ?? []
    }
}

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
        (self.entry, self.target, self.run, self.similarity) = (entry, target, run, similarity)
        self.confidence = confidence
    }

    /// The cluster of the entry; `nil` for an outlier.
    public var cluster: Cluster.ID? { if case .cluster(let id) = target { id } else { nil } }

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
