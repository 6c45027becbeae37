public import Foundation

/// The record of one reclustering: what is needed to tell, and to do again, how the clusters came about.
public struct ClusteringRun: Sendable, Hashable, Identifiable, Codable {
    public typealias ID = UUID

    public var id: UUID
    /// The field's name of the algorithm: `spherical-k-means`.
    public var algorithm: String
    /// What it was given and what it chose.
    public var parameters: [String: MetadataValue]
    public var seed: UInt64
    /// The state of the store that was read.
    public var stamp: Stamp
    /// SHA-256 of the ids and vectors that were grouped, in the order of the ids: lower-case hexadecimal.
    /// With the same, and the same parameters and seed, a run afresh finds the same groups.
    public var dataDigest: String?
    /// The mean silhouette of the entries that are in a cluster, -1 to 1 (see ``Cluster/silhouette``).
    public var silhouette: Double?
    /// Of the entries that were in a cluster before and after, the share that are in one of the same id,
    /// 0 to 1; `nil` where there were none.
    public var stability: Double?
    /// Clusters of which nothing is left in any: their entries were removed or are outliers now.
    public var vanished: [Cluster.Origin] = []
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }

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
