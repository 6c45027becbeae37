/// The frequencies of the words and phrases in a group of texts, keyed by the words and phrases.
struct WordCounts: Sendable {
    /// The number of occurrences of each word.
    var words: [String: Int] = [:]
    /// The number of texts that contain each word.
    var texts: [String: Int] = [:]
    /// The number of the text that contains the word, for each word that only one text of a small group
    /// contains. Texts are numbered across all groups.
    var singleTexts: [String: Int] = [:]
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
    /// For each phrase whose spelling is significant somewhere, the number of occurrences in each spelling.
    var phraseSpellings: [String: [String: Int]] = [:]
    /// The stop words before phrases and words that are part of their names.
    var namePrefixes: [String: NamePrefixes] = [:]
    /// The function words of other languages that mostly occur within names.
    var nameParticles: Set<String> = []
    /// The languages of the texts.
    var languages = LanguageCounts()

    mutating func add(_ other: WordCounts) {
        words.merge(other.words, uniquingKeysWith: +)
        texts.merge(other.texts, uniquingKeysWith: +)
        titles.merge(other.titles, uniquingKeysWith: +)
        singleTexts.merge(other.singleTexts) { first, _ in first }
        spellings.merge(other.spellings) { $0.adding($1) }
        spellingsElsewhere.merge(other.spellingsElsewhere) { first, _ in first }
        wordCount += other.wordCount
        textCount += other.textCount
        representative.merge(other.representative, uniquingKeysWith: +)
        phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        phraseSpellings.merge(other.phraseSpellings) { $0.merging($1, uniquingKeysWith: +) }
        for (phrase, prefixes) in other.namePrefixes {
            namePrefixes[phrase, default: NamePrefixes()].add(prefixes)
        }
        nameParticles.formUnion(other.nameParticles)
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

    /// The share of a compound's occurrences that must be part of a longer one for the longer one to replace
    /// it.
    private static let compoundShare = 0.5

    /// Returns the compounds that do not mostly occur in a longer one, and the number of occurrences of each.
    /// A word of three or more characters rarely begins or ends with a function word, such as 了 in 参观了,
    /// so those compounds are excluded.
    ///
    /// - Parameter stopWords: The function words of the languages of the texts.
    func wholeCompounds(without stopWords: Set<String>) -> [String: Int] {
        let compounds = compounds.filter { phrase, _ in
            phrase.count < 3
                || ![phrase.first, phrase.last].contains { $0.map { stopWords.contains(String($0)) } == true }
        }
        var parts = Set<String>()
        for (phrase, count) in compounds {
            for part in [String(phrase.dropLast()), String(phrase.dropFirst())] {
                let isPart = Double(count) >= Self.compoundShare * Double(compounds[part, default: 0])
                if isPart { parts.insert(part) }
            }
        }
        return compounds.filter { !parts.contains($0.key) }
    }
}
