public import RoostModel

/// The data about one cluster that is sent to a labeler.
public struct ClusterLabelingRequest: Sendable {
    /// The limits on the data that is sent about one cluster.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of keywords.
        public var keywords: Int
        /// The maximum number of texts.
        public var texts: Int
        /// The maximum number of characters of one text.
        public var charactersPerText: Int

        /// Creates limits.
        public init(keywords: Int, texts: Int, charactersPerText: Int) {
            (self.keywords, self.texts, self.charactersPerText) = (keywords, texts, charactersPerText)
        }
    }

    /// The id of the cluster.
    public var cluster: Cluster.ID
    /// The current label.
    public var label: String
    /// The keywords and excerpts of texts that the labeler receives.
    public var excerpt: ClusterExcerpt
}
