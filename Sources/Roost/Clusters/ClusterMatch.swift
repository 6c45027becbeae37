public import RoostModel
import RoostVectors

/// A cluster, and its similarity to a text.
public struct ClusterMatch: Sendable, Hashable {
    /// The cluster, with its members.
    public var cluster: Cluster
    /// The cosine of the vectors of the text and of the centroid, from -1 to 1.
    public var similarity: Float

    /// Creates a match.
    public init(cluster: Cluster, similarity: Float) {
        self.cluster = cluster
        self.similarity = similarity
    }

    /// Returns the clusters of all levels, the most similar to a text first. Clusters without a centroid are
    /// last.
    package static func matches(
        of text: String, among clusters: [Cluster], _ embedder: any Embedder
    ) async throws -> [ClusterMatch] {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot find clusters: the text is empty; enter words to search for")
        }
        guard !clusters.isEmpty else { return [] }
        let vector = try await embedder.checkedEmbeddings([text], as: .query).vectors.row(0)
        let matches = clusters.map { cluster in
            let isComparable = cluster.centroid.count == vector.count
            return ClusterMatch(
                cluster: cluster, similarity: isComparable ? innerProduct(cluster.centroid, vector) : -1)
        }
        return matches.sorted { ($1.similarity, $0.cluster.id) < ($0.similarity, $1.cluster.id) }
    }
}

extension KnowledgeStore {
    /// Returns the clusters of all levels, the most similar to a text first: those that contain entries about
    /// the subject of the text, even if no label names it. Empty before the first run.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; `EmbedderError`; `StorageError`.
    @concurrent
    public func clusters(matching text: String) async throws -> [ClusterMatch] {
        try await ClusterMatch.matches(of: text, among: try await storage.snapshot().clusters(), embedder)
    }
}
