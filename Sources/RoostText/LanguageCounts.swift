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
