/// The frequencies of the words and phrases in a group of texts, keyed by the words and phrases.
struct WordCounts: Sendable {
    /// The number of occurrences of each word.
    var words: [String: Int] = [:]
    /// The number of texts that contain each word.
    var texts: [String: Int] = [:]
    /// The number of titles that contain each word. The names of the folders of a text count as part of its
    /// title.
    var titles: [String: Int] = [:]
    /// The spellings of words that are not always written in lower case.
    var spellings: [String: WordSpelling] = [:]
    /// The usual spellings in other groups of names and abbreviations whose spelling is not significant in
    /// this group, for example because they occur only in headlines.
    var spellingsElsewhere: [String: String] = [:]
    var wordCount = 0
    var textCount = 0
    /// For each word, and for each phrase that at least two texts contain, the number of occurrences in
    /// representative texts.
    var representative: [String: Int] = [:]
    /// For each phrase that at least two representative texts contain, the number of these texts.
    var phraseTexts: [String: Int] = [:]
    /// The languages of the texts.
    var languages = LanguageCounts()

    mutating func add(_ other: WordCounts) {
        words.merge(other.words, uniquingKeysWith: +)
        texts.merge(other.texts, uniquingKeysWith: +)
        titles.merge(other.titles, uniquingKeysWith: +)
        spellings.merge(other.spellings) { $0.adding($1) }
        spellingsElsewhere.merge(other.spellingsElsewhere) { first, _ in first }
        wordCount += other.wordCount
        textCount += other.textCount
        representative.merge(other.representative, uniquingKeysWith: +)
        phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        languages.add(other.languages)
    }

    /// The phrases in scripts without spaces, which are treated as words, and the number of occurrences of
    /// each.
    var compounds: [String: Int] {
        representative.filter { phrase, _ in
            KeywordRules.isSeparateWord(phrase) && phrase.unicodeScalars.count > 1
                && !phrase.utf8.contains(UInt8(ascii: " "))
        }
    }
}
