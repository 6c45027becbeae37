/// The meaning of a phrase in relation to the groups, measured by the embedding of the phrase.
package struct PhraseMeaning: Sendable, Hashable {
    /// The degree to which the phrase distinguishes its group from the others.
    package var specificity: Double
    /// The degree to which the phrase represents all phrases of its group.
    package var centrality: Double
    /// Whether the phrase repeats a better phrase of the group, such as "postgresql" and "postgres", or
    /// "players" and "play".
    package var isVariant = false

    package init(specificity: Double, centrality: Double) {
        (self.specificity, self.centrality) = (specificity, centrality)
    }
}
