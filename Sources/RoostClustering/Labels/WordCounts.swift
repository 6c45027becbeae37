import RoostText

struct WordCounts: Sendable {
    var texts: [String: Int] = [:]
    /// The number of titles that contain each word. The names of the folders of a text count as part of its title.
    var titles: [String: Int] = [:]
    var textCount = 0
    /// For each word, and for each phrase that at least two texts contain, the number of occurrences in
    /// representative texts.
    var representative: [String: Int] = [:]
    /// For each phrase that at least two representative texts contain, the number of these texts.
    var phraseTexts: [String: Int] = [:]
    /// The number of texts in each language. The language of all words together counts for all texts.
    var languages: [TextLanguage: Int] = [:]

    mutating func add(_ other: WordCounts) {
        texts.merge(other.texts, uniquingKeysWith: +)
        titles.merge(other.titles, uniquingKeysWith: +)
        textCount += other.textCount
        representative.merge(other.representative, uniquingKeysWith: +)
        phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        languages.merge(other.languages, uniquingKeysWith: +)
    }

    /// The minimum share of texts in a language among the texts of a group, because the language of a few
    /// texts may be detected incorrectly.
    private static let minimumTextShare = 0.02

    /// The function words of the languages in which the texts are written, without those that are also English ones.
    var stopWords: Set<String> {
        languages.reduce(into: []) { words, language in
            guard Double(language.value) >= Self.minimumTextShare * Double(textCount) else { return }
            words.formUnion(StopWords.otherLanguages[language.key] ?? [])
        }
    }

    /// The share of a compound's occurrences that must be part of a longer one for the longer one to replace it.
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
