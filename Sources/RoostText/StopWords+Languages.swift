import Synchronization

extension StopWords {
    /// The most frequent function words of each language: articles, pronouns, prepositions, conjunctions and
    /// auxiliary verbs.
    ///
    /// Some of these words are ordinary words in another language ("die", "son"). A list is therefore used
    /// only for texts in its language.
    package static let byLanguage = lists.mapValues { list in
        Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The words of each language, separated by white space. Reading one list takes less time than making the
    /// sets of all languages.
    static let lists: [TextLanguage: String] = {
        var lists: [TextLanguage: String] = [
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
        lists[.english] = englishList
        return lists
    }()

    /// The words of each language without those that are also English stop words.
    package static let otherLanguages = byLanguage.mapValues { $0.subtracting(english) }

    /// The stop words in lower case without diacritics of the languages that have been asked for.
    private static let folded = Mutex<[TextLanguage: Set<[UInt8]>]>([:])

    static func forEachWord(of language: TextLanguage, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var list = lists[language] ?? ""
        list.withUTF8 { utf8 in
            for word in utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
                body(UnsafeBufferPointer(rebasing: word))
            }
        }
    }

    private static func foldedWords(of language: TextLanguage) -> Set<[UInt8]> {
        folded.withLock { folded in
            if let words = folded[language] { return words }
            var words: Set<[UInt8]> = []
            forEachWord(of: language) { words.insert(WordFolding.withoutDiacritics(Array($0))) }
            folded[language] = words
            return words
        }
    }

    /// Returns whether a word is a stop word in a text or query.
    ///
    /// - Parameter languages: The languages of the text or query.
    static func contains(_ term: Term, in languages: TextLanguages) -> Bool {
        switch term.kind {
        // The language of a query in a script without spaces need not be known.
        case .gram: contains(term.word, in: [.chinese, .japanese])
        case .word: contains(term.word, in: [languages[term.script]])
        case .verbatim, .symbol: false
        }
    }

    /// Returns whether a word is a stop word in any of some languages.
    static func contains(_ word: [UInt8], in languages: Set<TextLanguage>) -> Bool {
        languages.contains { foldedWords(of: $0).contains(word) }
    }
}
