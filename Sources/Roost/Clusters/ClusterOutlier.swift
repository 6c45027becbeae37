public import Foundation
public import RoostModel
import RoostVectors

/// An entry that the last run assigned to no cluster, and the reason.
public struct ClusterOutlier: Sendable, Hashable, Identifiable {
    /// The reason why an entry is in no cluster.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The entry is not similar enough to any cluster.
        case distant
        /// Too few entries are similar to the entry to form a cluster.
        case sparse
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

    /// Creates an outlier.
    public init(entry: Entry, reason: Reason, nearest: Cluster.ID? = nil, similarity: Float) {
        self.entry = entry
        self.reason = reason
        self.nearest = nearest
        self.similarity = similarity
    }

    /// The id of the entry.
    public var id: Entry.ID { entry.id }

    /// Reads the outliers of the last run. Those most similar to a cluster come first.
    static func read(_ snapshot: any StorageSnapshot) async throws -> [ClusterOutlier] {
        let outliers = try await snapshot.assignments(of: nil).filter { $0.outlierReason != nil }
        guard !outliers.isEmpty else { return [] }
        let clusters = try await snapshot.clusterRecords()
        let parents = Set(clusters.compactMap(\.parent))
        let leaves = clusters.filter { !parents.contains($0.id) && !$0.centroid.isEmpty }
        let entries = Dictionary(
            try await snapshot.entries(outliers.map(\.entry)).map { ($0.id, $0) }
        ) { first, _ in first }
        return outliers.compactMap { assignment -> ClusterOutlier? in
            guard let entry = entries[assignment.entry], let recorded = assignment.outlierReason else {
                return nil
            }
            let reason = Self.reason(recorded, for: entry)
            var outlier = ClusterOutlier(
                entry: entry, reason: reason, nearest: nil, similarity: assignment.similarity)
            guard recorded != .zeroVector else { return outlier }
            var maximum = -Float.infinity
            for leaf in leaves where leaf.centroid.count == entry.embeddings.count {
                let similarity = cosine(leaf.centroid, entry.embeddings)
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
        case .sparse: .sparse
        case .zeroVector: .zeroVector
        }
    }

    private static func cosine(_ first: [Float], _ second: [Float]) -> Float {
        var (product, length) = (Float(0), Float(0))
        for index in first.indices {
            product += first[index] * second[index]
            length += second[index] * second[index]
        }
        return length > 0 ? product / length.squareRoot() : 0
    }
}
