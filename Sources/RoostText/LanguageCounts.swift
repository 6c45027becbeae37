/// The languages other than English of a group of texts.
///
/// The language of each text is counted separately, because a group can have texts in several languages, and
/// the stop words of a language with a tenth of the texts are only a few percent of all words.
struct LanguageCounts: Sendable {
    /// The words of one text.
    struct Text: Sendable {
        /// For each list in ``StopWords/otherLanguages``, the number of words that are in the list.
        fileprivate var stopWords = [Int](repeating: 0, count: StopWords.otherLanguages.count)
        fileprivate var wordCount = 0

        /// Adds a word that is in the lists with the given indices.
        mutating func add(_ languages: [Int]) {
            wordCount += 1
            for language in languages { stopWords[language] += 1 }
        }
    }

    /// For each list in ``StopWords/otherLanguages``, the number of words that are in the list.
    private var words = [Int](repeating: 0, count: StopWords.otherLanguages.count)
    /// For each list, the number of texts in its language.
    private var texts = [Int](repeating: 0, count: StopWords.otherLanguages.count)
    private var (wordCount, textCount) = (0, 0)

    /// The minimum number of stop words in a text in their language. A text with this number needs twice the
    /// share of a longer one, because two foreign words can be a name.
    private static let minimumStopWords = 2
    /// The minimum share of texts in a language among the texts of a group, because the language of a few
    /// texts may be detected incorrectly.
    private static let minimumTextShare = 0.02

    mutating func add(_ text: Text) {
        textCount += 1
        wordCount += text.wordCount
        let best = max(Self.minimumStopWords, text.stopWords.max() ?? 0)
        let share = Double(best) / Double(max(1, text.wordCount))
        let minimumShare = StopWords.minimumShare * (best == Self.minimumStopWords ? 2 : 1)
        for language in words.indices {
            words[language] += text.stopWords[language]
            if text.stopWords[language] == best, share >= minimumShare { texts[language] += 1 }
        }
    }

    mutating func add(_ other: LanguageCounts) {
        wordCount += other.wordCount
        textCount += other.textCount
        for language in words.indices {
            words[language] += other.words[language]
            texts[language] += other.texts[language]
        }
    }

    /// The stop words of the languages in which the texts are written.
    var stopWords: Set<String> {
        words.indices.reduce(into: []) { result, language in
            let wordShare = Double(words[language]) / Double(max(1, wordCount))
            let textShare = Double(texts[language]) / Double(max(1, textCount))
            if wordShare >= StopWords.minimumShare || textShare >= Self.minimumTextShare {
                result.formUnion(StopWords.otherLanguages[language])
            }
        }
    }
}

/// The frequencies of the words and phrases in a group of texts, keyed by the words and phrases.
struct WordCounts: Sendable {
    /// The number of texts that contain each word.
    var texts: [String: Int] = [:]
    /// The number of titles that contain each word. The names of the folders of a text count as part of its
    /// title.
    var titles: [String: Int] = [:]
    var textCount = 0
    /// For each word, and for each phrase that at least two texts contain, the number of occurrences in
    /// representative texts.
    var representative: [String: Int] = [:]
    /// For each phrase that at least two representative texts contain, the number of these texts.
    var phraseTexts: [String: Int] = [:]
    var languages = LanguageCounts()

    mutating func add(_ other: WordCounts) {
        texts.merge(other.texts, uniquingKeysWith: +)
        titles.merge(other.titles, uniquingKeysWith: +)
        textCount += other.textCount
        representative.merge(other.representative, uniquingKeysWith: +)
        phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        languages.add(other.languages)
    }

    /// The share of a compound's occurrences that must be part of a longer one for the longer one to replace
    /// it.
    private static let compoundShare = 0.5

    /// Returns the phrases in scripts without spaces, which are treated as words, that do not mostly occur in
    /// a longer one. A word of three or more characters rarely begins or ends with a function word, such as 了
    /// in 参观了, so those phrases are excluded.
    ///
    /// - Parameter stopWords: The function words of the languages of the texts.
    func wholeCompounds(without stopWords: Set<String>) -> some Collection<String> {
        let compounds = representative.filter { phrase, _ in
            guard KeywordRules.isSeparateWord(phrase), phrase.unicodeScalars.count > 1,
                !phrase.utf8.contains(UInt8(ascii: " "))
            else { return false }
            return phrase.count < 3
                || ![phrase.first, phrase.last].contains { $0.map { stopWords.contains(String($0)) } == true }
        }
        var parts = Set<String>()
        for (phrase, count) in compounds {
            for part in [String(phrase.dropLast()), String(phrase.dropFirst())] {
                let isPart = Double(count) >= Self.compoundShare * Double(compounds[part, default: 0])
                if isPart { parts.insert(part) }
            }
        }
        return compounds.keys.filter { !parts.contains($0) }
    }
}
