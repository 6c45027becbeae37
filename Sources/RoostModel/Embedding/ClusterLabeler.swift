/// A source of labels for clusters, such as a chat model.
public protocol ClusterLabeler: Sendable {
    /// The name of the labeler, which is stored with its labels (``Cluster/labeledBy``).
    var name: String { get }

    /// Returns a label of a few words for the cluster from which an excerpt was taken.
    ///
    /// The method may be called for several clusters at the same time.
    ///
    /// - Parameter excerpt: The excerpt of the cluster.
    /// - Returns: The proposed label. The caller checks whether it is suitable.
    /// - Throws: ``EmbedderError``; `CancellationError`. After `.badAnswer`, the caller continues with the
    ///   other clusters; every other error, also of another type, ends the labeling.
    func label(_ excerpt: ClusterExcerpt) async throws -> String
}

/// An excerpt from a cluster, from which a labeler derives a label: keywords and the beginnings of typical
/// texts.
public struct ClusterExcerpt: Sendable, Hashable, Codable {
    /// The words that distinguish the cluster from the others, the most distinctive first.
    public var keywords: [String]
    /// The beginnings of the texts nearest to the centroid, nearest first.
    public var texts: [String]

    /// Creates an excerpt.
    public init(keywords: [String], texts: [String]) { (self.keywords, self.texts) = (keywords, texts) }
}
