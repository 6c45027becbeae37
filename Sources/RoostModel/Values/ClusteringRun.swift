public import Foundation

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
    /// entries that were in a cluster both before and after the run are counted; `nil` if there are none.
    public var stability: Double?
    /// The clusters that disappeared because all of their entries were removed or became outliers.
    public var vanished: [Cluster.Origin] = []
    /// The date of the run, to the millisecond.
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }

    /// Creates the record of a run.
    public init(
        id: UUID = UUID(), algorithm: String, parameters: [String: MetadataValue] = [:], seed: UInt64,
        stamp: Stamp, createdAt: Date = Date()
    ) {
        self.id = id
        self.algorithm = algorithm
        self.parameters = parameters
        self.seed = seed
        self.stamp = stamp
        self.createdAt = createdAt.wholeMilliseconds
    }

    enum CodingKeys: String, CodingKey {
        case id, algorithm, parameters, seed, stamp, dataDigest, silhouette, stability, vanished, createdAt
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

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(algorithm, forKey: .algorithm)
        try container.encode(parameters, forKey: .parameters)
        try container.encode(seed, forKey: .seed)
        try container.encode(stamp, forKey: .stamp)
        try container.encodeIfPresent(dataDigest, forKey: .dataDigest)
        try container.encodeIfPresent(silhouette, forKey: .silhouette)
        try container.encodeIfPresent(stability, forKey: .stability)
        if !vanished.isEmpty { try container.encode(vanished, forKey: .vanished) }
        try container.encode(DateText.string(from: createdAt), forKey: .createdAt)
    }
}
