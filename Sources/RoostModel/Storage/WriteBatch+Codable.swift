import Foundation

/// The JSON form of a batch, which is written to journals. Expectations are not encoded, because a journal
/// records only batches whose expectations were met.
extension WriteBatch: Codable {
    enum CodingKeys: String, CodingKey {
        case upserts, removals, sources, removedSources, clustering, clusters, assignments, unassignments
        case newEpoch = "epoch"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            upserts: try container.decodeIfPresent([Entry].self, forKey: .upserts) ?? [],
            removals: try container.decodeIfPresent([UUID].self, forKey: .removals) ?? [],
            sources: try container.decodeIfPresent([Source].self, forKey: .sources) ?? [],
            removedSources: try container.decodeIfPresent([String].self, forKey: .removedSources) ?? [],
            clustering: try container.decodeIfPresent(Clustering.self, forKey: .clustering),
            clusters: try container.decodeIfPresent([Cluster].self, forKey: .clusters) ?? [],
            assignments: try container.decodeIfPresent([Assignment].self, forKey: .assignments) ?? [],
            unassignments: try container.decodeIfPresent([UUID].self, forKey: .unassignments) ?? [],
            newEpoch: try container.decodeIfPresent(UUID.self, forKey: .newEpoch))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !upserts.isEmpty { try container.encode(upserts, forKey: .upserts) }
        if !removals.isEmpty { try container.encode(removals, forKey: .removals) }
        if !sources.isEmpty { try container.encode(sources, forKey: .sources) }
        if !removedSources.isEmpty { try container.encode(removedSources, forKey: .removedSources) }
        try container.encodeIfPresent(clustering, forKey: .clustering)
        if !clusters.isEmpty { try container.encode(clusters, forKey: .clusters) }
        if !assignments.isEmpty { try container.encode(assignments, forKey: .assignments) }
        if !unassignments.isEmpty { try container.encode(unassignments, forKey: .unassignments) }
        try container.encodeIfPresent(newEpoch, forKey: .newEpoch)
    }
}
