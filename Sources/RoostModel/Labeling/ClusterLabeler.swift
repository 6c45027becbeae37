/// The excerpt of a cluster that a labeler reads: keywords and the beginnings of typical texts.
public struct ClusterExcerpt: Sendable, Hashable, Codable {
    /// The words that distinguish the cluster from the others, the most distinctive first.
    public var keywords: [String]
    /// The beginnings of the texts nearest to the centroid, nearest first.
    public var texts: [String]

    /// Creates an excerpt.
    public init(keywords: [String], texts: [String]) {
        (self.keywords, self.texts) = (keywords, texts)
    }
}

/// A source of labels for clusters, such as a chat model.
public protocol ClusterLabeler: Sendable {
    /// The name of the labeler, which is stored with its labels (``Cluster/labeledBy``).
    var name: String { get }

    /// Returns a label of a few words for the texts of an excerpt.
    ///
    /// The method is called for several clusters at the same time.
    ///
    /// - Parameter excerpt: The excerpt of the cluster.
    /// - Returns: The answer. The caller checks whether it is suitable as a label.
    /// - Throws: ``EmbedderError``. After `.badAnswer` the caller continues with the other clusters; other
    ///   codes end the labeling. `CancellationError`.
    func label(_ excerpt: ClusterExcerpt) async throws -> String
}
