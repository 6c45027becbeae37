/// The evidence for the languages of a text, collected word by word.
///
/// A function word counts for every language that has it, divided by the number of these languages. A letter
/// that few languages use counts less, because names and loanwords contain it too.
package struct LanguageEvidence: Sendable {
    /// The evidence for each language, by its raw value.
    private var scores = [Float](repeating: 0, count: LanguageEvidence.languageCount)
    /// The number of words in each script, by its raw value.
    private var words = [Float](repeating: 0, count: WordScript.allCases.count)

    private static let languageCount = 1 + Int(TextLanguage.allCases.map(\.rawValue).max() ?? 0)

    /// The weight of a letter, relative to that of a function word.
    private static let letterWeight: Float = 0.4
    /// The minimum evidence, in function words that occur in no other language.
    private static let minimumScore: Float = 1
    /// The minimum evidence per word. Function words make up 30 to 50% of a text, but most of them occur in
    /// several languages.
    private static let minimumShare: Float = 0.08
    /// The minimum ratio to the evidence for the default language.
    private static let minimumRatio: Float = 1.25

    package init() {}

    init(of utf8: UnsafeBufferPointer<UInt8>) {
        TokenScanner.forEachToken(in: utf8) { token in
            if token.kind == .word { add(Self.number(ofWord: utf8[token.range])) }
            return true
        }
    }

    package mutating func add(_ number: UInt16) {
        // The first numbers are those of the scripts. Most words have one of them and give no other clue.
        guard number >= words.count else {
            words[Int(number)] += 1
            return
        }
        let clue = Self.clues[Int(number)]
        words[Int(clue.script)] += 1
        for (language, weight) in clue.weights { scores[language] += weight }
    }

    package mutating func add(_ other: LanguageEvidence) {
        for index in scores.indices { scores[index] += other.scores[index] }
        for index in words.indices { words[index] += other.words[index] }
    }

    /// The number of words below which a text tells too little about its language.
    private static let minimumWords: Float = 10
    /// The number of bytes of a text that are read to find its language.
    private static let searchedBytes = 2000

    /// Returns the name of the language of a text, such as `german`, by the script of most words at its beginning.
    ///
    /// - Returns: `other` for the scripts of Chinese, Japanese, Korean and Thai and for unknown ones; `nil` for a text of
    ///   fewer than ten words.
    package static func languageName(of text: String) -> String? {
        var text = text
        var evidence = LanguageEvidence()
        // Scripts without spaces have pairs of characters in place of words.
        var pairs: Float = 0
        text.withUTF8 { utf8 in
            let beginning = UnsafeBufferPointer(rebasing: utf8.prefix(searchedBytes))
            TokenScanner.forEachToken(in: beginning) { token in
                if token.kind == .word { evidence.add(number(ofWord: beginning[token.range])) }
                if token.kind == .gram, !token.isOnlyForIndex { pairs += 1 }
                return true
            }
        }
        let words = evidence.words.reduce(0, +)
        guard words + pairs >= minimumWords else { return nil }
        let script = WordScript.allCases.max {
            evidence.words[Int($0.rawValue)] < evidence.words[Int($1.rawValue)]
        }
        guard let script, script != .other, words >= pairs else { return "other" }
        return "\(evidence.languages[script])"
    }

    package var languages: TextLanguages { TextLanguages(self) }

    package func best(_ script: WordScript, default fallback: TextLanguage) -> TextLanguage {
        let count = words[Int(script.rawValue)]
        guard count > 0 else { return fallback }
        var best = fallback
        for language in Self.languages[Int(script.rawValue)]
        where scores[Int(language.rawValue)] > scores[Int(best.rawValue)] {
            best = language
        }
        let score = scores[Int(best.rawValue)]
        let isSufficient =
            score >= Self.minimumScore && score >= Self.minimumShare * count
            && score >= Self.minimumRatio * scores[Int(fallback.rawValue)]
        return isSufficient ? best : fallback
    }

    /// Returns the given language with the most evidence, or the default if there is no evidence for any.
    func best(
        _ script: WordScript, among languages: Set<TextLanguage>, default fallback: TextLanguage
    ) -> TextLanguage {
        var best = fallback
        for language in Self.languages[Int(script.rawValue)]
        where languages.contains(language.stemming)
            && scores[Int(language.rawValue)] > scores[Int(best.rawValue)]
        {
            best = language
        }
        return best
    }

    // MARK: Clues

    private struct Clue: Sendable {
        var script: UInt8
        var weights: [(language: Int, weight: Float)]
    }

    private static let languages: [[TextLanguage]] = WordScript.allCases.map { script in
        TextLanguage.allCases.filter { $0 != .unstemmed && $0.scripts.contains(script) }
    }

    private struct Clues: Sendable {
        /// The first clues, one for each script, have no weights.
        var clues = WordScript.allCases.map { Clue(script: $0.rawValue, weights: []) }
        /// The clues of words by their FNV-1a hashes: all commands that read a query make the table.
        var ofWord: [UInt64: UInt16] = [:]
        var ofLetter: [Unicode.Scalar: UInt16] = [:]
    }

    private static let model: Clues = {
        var model = Clues()
        // Words of the same languages give the same clue. The bit of a language is its raw value.
        struct Writing: Hashable {
            var languages: UInt64 = 0
            var script: WordScript
        }
        var writings: [UInt64: Writing] = [:]
        writings.reserveCapacity(1 << 13)
        for language in TextLanguage.allCases {
            StopWords.forEachWord(of: language) { word in
                // The lists contain the words in lower case and in composed form, like spellings.
                writings[FNV1a.hash(of: word), default: Writing(script: WordScript.script(of: word))]
                    .languages |= 1 << UInt64(language.rawValue)
            }
        }
        func add(_ script: WordScript, _ languages: [TextLanguage], _ weight: Float) -> UInt16 {
            let share = weight / Float(languages.count)
            model.clues.append(
                Clue(script: script.rawValue, weights: languages.map { (Int($0.rawValue), share) }))
            return UInt16(model.clues.count - 1)
        }
        var numbers: [Writing: UInt16?] = [:]
        model.ofWord = writings.compactMapValues { writing in
            if let known = numbers[writing] { return known }
            let found = languages[Int(writing.script.rawValue)].filter {
                writing.languages & 1 << UInt64($0.rawValue) != 0
            }
            let number = found.isEmpty ? nil : add(writing.script, found, 1)
            numbers[writing] = .some(number)
            return number
        }
        var languagesOfLetter: [Unicode.Scalar: [TextLanguage]] = [:]
        for (language, letters) in letters {
            for letter in letters.unicodeScalars { languagesOfLetter[letter, default: []].append(language) }
        }
        for (letter, languages) in languagesOfLetter {
            let script = WordScript.script(of: letter) ?? .other
            model.ofLetter[letter] = add(script, languages, letterWeight)
        }
        return model
    }()

    private static let clues = model.clues

    private static let letters: [TextLanguage: String] = [
        .german: "äöüß", .french: "éèêàçùûîœ", .spanish: "ñáéíóú", .italian: "èàùò", .portuguese: "ãõçáâêéó",
        .swedish: "åäö", .danish: "åøæ", .norwegian: "åøæ", .finnish: "äö", .hungarian: "őűáéöü",
        .romanian: "ășțâî", .catalan: "çàèò", .turkish: "ğışçöü", .lithuanian: "ėųįšžč",
        .polish: "łąęśżźćń", .czech: "ěřůčšžýáí", .irish: "áéíóú", .serbian: "ђљњћџјčćšžđ",
        .ukrainian: "іїєґ", .russian: "ыэё", .bulgarian: "ъ", .persian: "پچژگکی", .arabic: "ةىأإ",
    ]

    /// Returns the number of the clue that a word gives.
    ///
    /// - Parameter utf8: The word as a text spells it.
    static func number(ofWord utf8: some Collection<UInt8>) -> UInt16 {
        number(of: WordFolding(utf8).spelling)
    }

    /// Returns the number of the clue that a word gives.
    ///
    /// - Parameter spelling: The word in lower case with its diacritics.
    package static func number(of spelling: [UInt8]) -> UInt16 {
        if let number = model.ofWord[FNV1a.hash(of: spelling)] { return number }
        let script = WordScript.script(of: spelling)
        guard spelling.contains(where: { $0 >= 128 }) else { return UInt16(script.rawValue) }
        let letters = String(decoding: spelling, as: UTF8.self).unicodeScalars
        return letters.lazy.compactMap { model.ofLetter[$0] }.first ?? UInt16(script.rawValue)
    }
}
