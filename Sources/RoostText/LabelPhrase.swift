/// A word or phrase from which labels are made.
package struct LabelPhrase: Sendable, Hashable {
    /// The words in lower case, separated by spaces.
    package let text: String
    /// The stem of the word in its language; for a phrase, its text.
    package let stem: String
    /// The words as they are usually written in the texts, such as "PostgreSQL" or "Prime Minister".
    package let spelling: String
    /// The weight, computed from the frequencies of the words; above 0. See
    /// `GroupVocabularies/labelPhrases(limit:)`.
    package let weight: Double
    /// The share of the group's texts that contain the phrase, divided by the share of all texts that do.
    package let lift: Double
}
