public import Foundation
public import RoostVectors

/// Where a clustering run put an entry. It stands on the entry's side, so that assigning one entry writes
/// one row.
public struct Assignment: Sendable, Hashable, Codable {
    /// A cluster, or the reason why there is none.
    public enum Place: Sendable, Hashable {
        case cluster(Cluster.ID)
        case outlier(Partition.OutlierReason)
    }

    public var entry: Entry.ID
    public var place: Place
    /// The run that decided it; `nil` where a person or program did, outside any run.
    public var run: ClusteringRun.ID?
    /// The cosine with the cluster's centroid; for an outlier, with the nearest.
    public var similarity: Float
    /// How sure the place is, 0 to 1.
    public var confidence: Float

    public init(
        entry: Entry.ID, place: Place, run: ClusteringRun.ID? = nil, similarity: Float = 0,
        confidence: Float = 1
    ) {
        self.entry = entry
        self.place = place
        self.run = run
        self.similarity = similarity
        self.confidence = confidence
    }

    /// The cluster, `nil` for an outlier.
    public var cluster: Cluster.ID? {
        if case .cluster(let id) = place { id } else { nil }
    }

    /// Why the entry is in no cluster, `nil` where it is in one.
    public var outlierReason: Partition.OutlierReason? {
        if case .outlier(let reason) = place { reason } else { nil }
    }

    enum CodingKeys: String, CodingKey {
        case entry, cluster, outlier, run, similarity, confidence
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let place: Place
        if let cluster = try container.decodeIfPresent(UUID.self, forKey: .cluster) {
            place = .cluster(cluster)
        } else {
            place = .outlier(try container.decode(Partition.OutlierReason.self, forKey: .outlier))
        }
        self.init(
            entry: try container.decode(UUID.self, forKey: .entry), place: place,
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
