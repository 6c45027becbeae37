/// What is told of a cluster to whoever is to name it.
public struct ClusterExcerpt: Sendable, Hashable, Codable {
    /// The words that tell the cluster from the others, most telling first.
    public var keywords: [String]
    /// The beginnings of the texts nearest to its centre, nearest first.
    public var texts: [String]

    public init(keywords: [String], texts: [String]) {
        (self.keywords, self.texts) = (keywords, texts)
    }
}

/// Finds names for clusters: a chat model, say.
public protocol ClusterLabeler: Sendable {
    /// Who gives the names, as it is kept with them (``Cluster/labeledBy``).
    var name: String { get }

    /// A name of a few words for the texts of an excerpt.
    ///
    /// Called for several clusters at a time.
    /// - Returns: what was answered; the caller looks whether it can be a name.
    /// - Throws: ``EmbedderError``; with `.badAnswer` or `.tooLarge` other clusters may still get theirs.
    ///   `CancellationError`.
    func label(_ excerpt: ClusterExcerpt) async throws -> String
}
