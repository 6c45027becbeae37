/// The spelling of a word that is not always written in lower case, such as a name or an abbreviation.
struct WordSpelling: Sendable, Equatable {
    /// The most frequent spelling that is not in lower case.
    var text: String
    /// The number of occurrences that are not in lower case.
    var cased: Int
    /// The number of all occurrences whose spelling is significant. See ``SentenceSpelling``.
    var count: Int

    /// Whether the word is a name or an abbreviation: most of its occurrences are not in lower case.
    var isUsual: Bool { 2 * cased > count }

    /// Returns the spelling with the counts of another group of texts added.
    func adding(_ other: WordSpelling) -> WordSpelling {
        let text = (cased, other.text) >= (other.cased, text) ? text : other.text
        return WordSpelling(text: text, cased: cased + other.cased, count: count + other.count)
    }
}
