/// An excerpt from a cluster, from which a labeler derives a label: keywords and the beginnings of typical
/// texts.
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
