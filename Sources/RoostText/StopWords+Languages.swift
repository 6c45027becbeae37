extension StopWords {
    /// The most frequent function words of each language: articles, pronouns, prepositions, conjunctions and
    /// auxiliary verbs.
    ///
    /// Some of these words are ordinary words in another language ("die", "son"). A list is therefore used
    /// only for texts in its language.
    package static let byLanguage: [TextLanguage: Set<String>] = {
        let lists: [TextLanguage: String] = [
            .german: StopWordLists.german,
            .french: StopWordLists.french,
            .spanish: StopWordLists.spanish,
            .italian: StopWordLists.italian,
            .portuguese: StopWordLists.portuguese,
            .dutch: StopWordLists.dutch,
            .swedish: StopWordLists.swedish,
            .danish: StopWordLists.danish,
            .norwegian: StopWordLists.norwegian,
            .finnish: StopWordLists.finnish,
            .hungarian: StopWordLists.hungarian,
            .romanian: StopWordLists.romanian,
            .catalan: StopWordLists.catalan,
            .basque: StopWordLists.basque,
            .indonesian: StopWordLists.indonesian,
            .irish: StopWordLists.irish,
            .lithuanian: StopWordLists.lithuanian,
            .turkish: StopWordLists.turkish,
            .polish: StopWordLists.polish,
            .czech: StopWordLists.czech,
            .russian: StopWordLists.russian,
            .ukrainian: StopWordLists.ukrainian,
            .bulgarian: StopWordLists.bulgarian,
            .serbian: StopWordLists.serbian,
            .greek: StopWordLists.greek,
            .arabic: StopWordLists.arabic,
            .persian: StopWordLists.persian,
            .hebrew: StopWordLists.hebrew,
            .yiddish: StopWordLists.yiddish,
            .hindi: StopWordLists.hindi,
            .nepali: StopWordLists.nepali,
            .armenian: StopWordLists.armenian,
            .tamil: StopWordLists.tamil,
            .chinese: StopWordLists.chinese,
            .japanese: StopWordLists.japanese,
        ]
        var result = lists.mapValues { Set($0.split(separator: " ").map(String.init)) }
        result[.english] = english
        return result
    }()

    /// The lists for languages other than English, excluding words that are also English stop words, in the
    /// order of the languages' numbers.
    static let otherLanguages: [Set<String>] = TextLanguage.allCases.filter { $0 != .english }
        .compactMap { byLanguage[$0]?.subtracting(english) }

    /// The minimum share of words from a list in texts that are considered to be in the language of the list.
    /// Function words make up 30 to 50% of the words in a text in that language, and less than 3% in an
    /// English text.
    static let minimumShare = 0.1

    /// The stop words of each language in lower case without diacritics.
    private static let foldedByLanguage: [TextLanguage: Set<[UInt8]>] = byLanguage.mapValues {
        Set($0.map { WordFolding($0.utf8).folded })
    }

    /// The stop words of scripts without spaces, whose language need not be known.
    private static let foldedGrams = (foldedByLanguage[.chinese] ?? []).union(
        foldedByLanguage[.japanese] ?? [])

    /// Returns whether a word is a stop word in a text or query.
    ///
    /// - Parameter languages: The languages of the text or query.
    static func contains(_ term: Term, in languages: TextLanguages) -> Bool {
        switch term.kind {
        case .gram: foldedGrams.contains(term.word)
        case .word: foldedByLanguage[languages[term.script]]?.contains(term.word) ?? false
        case .verbatim, .part, .symbol: false
        }
    }

    /// Returns whether a word is a stop word in any of some languages.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case without diacritics.
    static func contains(_ word: [UInt8], in languages: Set<TextLanguage>) -> Bool {
        languages.contains { foldedByLanguage[$0]?.contains(word) ?? false }
    }
}
