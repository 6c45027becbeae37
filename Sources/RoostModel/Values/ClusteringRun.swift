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
        case id, algorithm, parameters, seed, stamp, createdAt
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
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(algorithm, forKey: .algorithm)
        try container.encode(parameters, forKey: .parameters)
        try container.encode(seed, forKey: .seed)
        try container.encode(stamp, forKey: .stamp)
        try container.encode(DateText.string(from: createdAt), forKey: .createdAt)
    }
}
