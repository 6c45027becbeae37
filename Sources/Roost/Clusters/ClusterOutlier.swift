public import RoostModel
import RoostVectors

/// An entry that the last run assigned to no cluster, and the reason.
public struct ClusterOutlier: Sendable, Hashable, Identifiable {
    /// The reason why an entry is in no cluster.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The entry is not similar enough to any cluster.
        case distant
        /// The text has neither letters nor digits.
        case noWords
        /// All components of the vector are zero, because the embedder recognized nothing in the text.
        case zeroVector
    }

    /// The entry.
    public var entry: Entry
    /// The reason why it is in no cluster.
    public var reason: Reason
    /// The leaf cluster with the nearest centroid; `nil` for a zero vector, or if there are no clusters.
    public var nearest: Cluster.ID?
    /// The cosine with that centroid, from -1 to 1.
    public var similarity: Float

    /// The id of the entry.
    public var id: Entry.ID { entry.id }

    /// Reads the outliers of the last run. Those most similar to a cluster come first.
    static func read(_ snapshot: any StorageSnapshot) async throws -> [ClusterOutlier] {
        let outliers = try await snapshot.assignments(of: nil).filter { $0.outlierReason != nil }
        guard !outliers.isEmpty else { return [] }
        let clusters = try await snapshot.clusterRecords()
        let parents = Set(clusters.compactMap(\.parent))
        let leaves = clusters.filter { !parents.contains($0.id) && !$0.centroid.isEmpty }
        let entries = try await snapshot.entries(outliers.map(\.entry)).byID
        return outliers.compactMap { assignment -> ClusterOutlier? in
            guard let entry = entries[assignment.entry], let recorded = assignment.outlierReason else {
                return nil
            }
            let reason = Self.reason(recorded, for: entry)
            var outlier = ClusterOutlier(
                entry: entry, reason: reason, nearest: nil, similarity: assignment.similarity)
            guard recorded != .zeroVector else { return outlier }
            var maximum = -Float.infinity
            let norm = max(length(of: entry.embeddings), .leastNormalMagnitude)
            for leaf in leaves where leaf.centroid.count == entry.embeddings.count {
                let similarity = innerProduct(leaf.centroid, entry.embeddings) / norm
                if similarity > maximum { (maximum, outlier.nearest) = (similarity, leaf.id) }
            }
            if outlier.nearest != nil { outlier.similarity = maximum }
            return outlier
        }.sorted { ($1.similarity, $0.entry.id) < ($0.similarity, $1.entry.id) }
    }

    private static func reason(_ recorded: Partition.OutlierReason, for entry: Entry) -> Reason {
        guard entry.content.contains(where: { $0.isLetter || $0.isNumber }) else { return .noWords }
        return switch recorded {
        case .distant: .distant
        case .zeroVector: .zeroVector
        }
    }
}

extension StoreClusters {
    /// Returns the entries that the last run assigned to no cluster, with the reasons. Entries that are most
    /// similar to a cluster come first.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(assignments + outliers · clusters · dimension).
    @concurrent
    public func outliers() async throws -> [ClusterOutlier] {
        try await ClusterOutlier.read(try await storage.snapshot())
    }
}
