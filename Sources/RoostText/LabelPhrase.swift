/// A word or phrase from which labels are made.
package struct LabelPhrase: Sendable, Hashable {
    /// The words in lower case, separated by spaces.
    package let text: String
    /// The stem of the word in its language; for a phrase, its text.
    package let stem: String
    /// The words as they are usually written in the texts, such as "PostgreSQL".
    package let spelling: String
    /// The weight, computed from the frequencies of the words; above 0. See
    /// `GroupVocabularies/labelPhrases(limit:)`.
    package let weight: Double
    /// The share of the group's texts that contain the phrase, divided by the share of all texts that do.
    package let lift: Double
}

/// The meaning of a phrase in relation to the groups, measured by the embedding of the phrase.
package struct PhraseMeaning: Sendable, Hashable {
    /// The degree to which the phrase distinguishes its group from the others.
    package var specificity: Double
    /// The degree to which the phrase represents all phrases of its group.
    package var centrality: Double
    /// Whether the phrase means the same as a more specific phrase of the group.
    package var isVariant = false

    package init(specificity: Double, centrality: Double) {
        (self.specificity, self.centrality) = (specificity, centrality)
    }
}
