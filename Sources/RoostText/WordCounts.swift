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
    var wordCount = 0
    var textCount = 0
    /// For each word, and for each phrase that at least two texts contain, the number of occurrences in
    /// representative texts.
    var representative: [String: Int] = [:]
    /// For each phrase that at least two representative texts contain, the number of these texts.
    var phraseTexts: [String: Int] = [:]
    /// For each list in ``StopWords/otherLanguages``, the number of words in the texts that are in the list.
    var languages = [Int](repeating: 0, count: StopWords.otherLanguages.count)
    var allWordCount = 0

    mutating func add(_ other: WordCounts) {
        words.merge(other.words, uniquingKeysWith: +)
        texts.merge(other.texts, uniquingKeysWith: +)
        titles.merge(other.titles, uniquingKeysWith: +)
        spellings.merge(other.spellings) { $0.adding($1) }
        wordCount += other.wordCount
        textCount += other.textCount
        representative.merge(other.representative, uniquingKeysWith: +)
        phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        languages = zip(languages, other.languages).map { $0 + $1 }
        allWordCount += other.allWordCount
    }

    /// The phrases in scripts without spaces, which are treated as words, and the number of occurrences of
    /// each.
    var compounds: [String: Int] {
        representative.filter { phrase, _ in
            KeywordRules.isSeparateWord(phrase) && phrase.unicodeScalars.count > 1
                && !phrase.utf8.contains(UInt8(ascii: " "))
        }
    }

    /// The stop words of the languages other than English in which the texts are written.
    var stopWordsOfLanguages: Set<String> {
        languages.indices.reduce(into: []) { result, language in
            let share = Double(languages[language]) / Double(max(1, allWordCount))
            if share >= StopWords.minimumShare { result.formUnion(StopWords.otherLanguages[language]) }
        }
    }
}
