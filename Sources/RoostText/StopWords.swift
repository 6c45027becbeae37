import Synchronization

/// Words that are too frequent in a language to characterize the subject of a text.
package enum StopWords {
    /// The English stop words in lower case: articles, pronouns, prepositions, conjunctions, auxiliary verbs,
    /// and adverbs and verbs that occur with any subject.
    package static let english = Set(englishList.split(whereSeparator: \.isWhitespace).map(String.init))

    /// The English stop words, separated by white space.
    static let englishList = """
        a about above across actually after afterwards again against ago all almost alone along
        already also although always am among an and another any anybody anyone anything anyway
        anywhere are aren't around as aside ask asked at away back be became because become becomes
        been before began begin behind being below beside besides between beyond both bring brought
        but by came can can't cannot come comes coming could couldn't did didn't do does doesn't
        doing don't done down during each either else enough especially etc even ever every
        everybody everyone everything everywhere except far few finally first for four from full
        further gave get gets getting give given gives go goes going gone good got great had hadn't
        half hardly has hasn't have haven't having he he'd he'll he's hence her here here's hers
        herself him himself his how however i i'd i'll i'm i've if in indeed instead into is isn't
        it it'd it'll it's its itself just keep kept knew know known last later least left less let
        let's like likely little long look made make makes making many may maybe me mean means
        meanwhile might mine more moreover most mostly much must my myself near nearly need needs
        neither never nevertheless new next no nobody none nor not nothing now nowhere of off often
        oh ok okay on once one ones only onto or other others otherwise ought our ours ourselves out
        over own per perhaps please plus put quite rather really said same saw say says second see
        seem seemed seems seen several shall she she'd she'll she's should shouldn't show since so
        some somebody somehow someone something sometimes somewhere soon still such take taken takes
        tell than thank thanks that that's the their theirs them themselves then there there's
        therefore these they they'd they'll they're they've thing things think third this those
        though three through throughout thus till to together too took toward towards tried try
        trying two under unless until up upon us use used uses using usually very via want wanted
        wants was wasn't way ways we we'd we'll we're we've well went were weren't what what's
        whatever when whenever where whereas wherever whether which while who who's whoever whole
        whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're
        you've your yours yourself yourselves com html http https org www
        mr mrs ms dr st vs co re ve ll nbsp quot amp apos href
        """
}

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

    /// The lists for languages other than English, excluding words that are also English stop words, in the
    /// order of the languages' numbers.
    static let otherLanguages: [Set<String>] = TextLanguage.allCases.filter { $0 != .english }
        .compactMap { byLanguage[$0]?.subtracting(english) }

    /// The minimum share of words from a list in texts that are considered to be in the language of the list.
    /// Function words make up 30 to 50% of the words in a text in that language, and less than 3% in an
    /// English text.
    static let minimumShare = 0.1

    /// The stop words in lower case without diacritics of the languages that have been asked for.
    private static let folded = Mutex<[TextLanguage: Set<[UInt8]>]>([:])

    /// Returns the UTF-8 of the words of a language. A word may occur twice.
    static func words(of language: TextLanguage) -> [Substring.UTF8View.SubSequence] {
        (lists[language] ?? "")[...].utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    }

    private static func foldedWords(of language: TextLanguage) -> Set<[UInt8]> {
        folded.withLock { folded in
            if let words = folded[language] { return words }
            let words = Set(words(of: language).map { WordFolding.withoutDiacritics(Array($0)) })
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
    ///
    /// - Parameter word: The UTF-8 of the word in lower case without diacritics.
    static func contains(_ word: [UInt8], in languages: Set<TextLanguage>) -> Bool {
        languages.contains { foldedWords(of: $0).contains(word) }
    }
}

/// The rules that determine which words can be part of keywords and labels.
enum KeywordRules {
    /// English words for numbers and units of time. They occur with any subject, so they name none.
    static let quantities: Set<String> = Set(
        """
        five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
        nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
        million millions billion billions dozen dozens second seconds minute minutes hour hours day days
        week weeks month months year years
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Stop words that may occur inside a phrase.
    static let joiningWords: Set<String> = ["of"]

    /// For each stop word, the indices of the lists in ``StopWords/otherLanguages`` that contain it.
    static let languagesOfStopWords: [String: [Int]] = {
        var result: [String: [Int]] = [:]
        for (index, words) in StopWords.otherLanguages.enumerated() {
            for word in words { result[word, default: []].append(index) }
        }
        return result
    }()

    /// Returns whether a word begins with a character of a script that is written without spaces.
    static func isSeparateWord(_ word: String) -> Bool {
        word.unicodeScalars.first.map(WordScanner.isSeparateWord) ?? false
    }

    /// Returns whether a word can be a keyword. A word in ASCII must have at least two characters, mostly
    /// letters. A word with other letters must begin with a letter; one of a single letter counts only in
    /// scripts whose characters can be words, but not in alphabets (à, я).
    static func isSignificant(_ word: String) -> Bool {
        var (length, letters, digits, isASCII) = (0, 0, 0, true)
        for byte in word.utf8 {
            length += 1
            if byte >= 128 { isASCII = false }
            if (97...122).contains(byte) { letters += 1 }
            if (48...57).contains(byte) { digits += 1 }
        }
        if isASCII { return length > 1 && letters > digits && !isIdentifier(word, length, digits) }
        guard let first = word.unicodeScalars.first else { return false }
        if word.count == 1, WordScript.script(of: first) != nil { return false }
        switch first.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter:
            // In Japanese, function words and endings are written in hiragana.
            return !(0x3040...0x309F).contains(first.value)
        default: return false
        }
    }

    /// Returns whether a word consists of only two ASCII characters. Such words can be meaningful ("uk",
    /// "jq") or not ("md", "fn"), and are used only if they also occur in titles.
    static func isAbbreviation(_ word: String) -> Bool {
        word.utf8.count == 2 && word.utf8.allSatisfy { $0 < 128 }
    }

    /// The minimum length of a hash, and the maximum length of a word in a label.
    private static let (hashLength, maximumWordLength) = (6, 32)

    /// Returns whether a word is a hash or a similar identifier that people would not use in speech.
    private static func isIdentifier(_ word: String, _ length: Int, _ digits: Int) -> Bool {
        if length > maximumWordLength { return true }
        guard digits > 0 else { return false }
        if digits >= 3, length >= hashLength + 2 { return true }
        return length >= hashLength
            && word.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
