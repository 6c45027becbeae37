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
