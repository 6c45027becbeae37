/// A natural language that determines the stems of words and the stop words of a query.
///
/// The raw values are stored in indexes and must not change.
package enum TextLanguage: UInt8, Sendable, Hashable, CaseIterable {
    case english = 0
    /// A language without a stemmer, or an unknown one.
    case unstemmed = 1
    case arabic = 2
    case armenian, basque, catalan, danish, dutch, finnish, french, german, greek, hindi, hungarian
    case indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian
    case spanish, swedish, tamil, turkish, yiddish
    /// Languages whose stop words are known but which have no stemmer.
    case polish = 40
    case czech, ukrainian, bulgarian, persian, hebrew, chinese, japanese

    /// The name of the stemming algorithm in libstemmer; `nil` for a language without one.
    var stemmerName: String? { stemming == self && self != .unstemmed ? "\(self)" : nil }

    /// The language under which words are indexed: all languages without a stemmer count as one.
    var stemming: TextLanguage { rawValue < TextLanguage.polish.rawValue ? self : .unstemmed }

    /// The alphabets in which the language is written.
    var scripts: Set<WordScript> {
        switch self {
        case .unstemmed: Set(WordScript.allCases)
        case .arabic, .persian: [.arabic]
        case .armenian: [.armenian]
        case .greek: [.greek]
        case .hindi, .nepali: [.devanagari]
        case .russian, .ukrainian, .bulgarian: [.cyrillic]
        case .serbian: [.latin, .cyrillic]
        case .tamil: [.tamil]
        case .hebrew, .yiddish: [.hebrew]
        case .chinese, .japanese: [.other]
        default: [.latin]
        }
    }
}

/// The language of the words of one text, for each alphabet that more than one language with a stemmer uses.
///
/// A text may contain several alphabets, so a Russian text with English names has two languages. A text
/// without evidence counts as English, Russian, Arabic, Hebrew or Hindi, depending on the alphabet.
package struct TextLanguages: Sendable, Hashable {
    private(set) var latin = TextLanguage.english
    private(set) var cyrillic = TextLanguage.russian
    private(set) var arabic = TextLanguage.arabic
    private(set) var hebrew = TextLanguage.hebrew
    private(set) var devanagari = TextLanguage.hindi

    /// The languages of a text without evidence.
    package init() {}

    /// Detects the languages of a text by its most frequent function words and by letters that few languages
    /// use.
    ///
    /// - Complexity: O(length of text).
    package init(of text: String) {
        var text = text
        self = text.withUTF8 { TextLanguages(utf8: $0) }
    }

    init(utf8: UnsafeBufferPointer<UInt8>) { self.init(LanguageEvidence(of: utf8)) }

    /// Detects the languages of a query, which is too short for the evidence that a text needs.
    ///
    /// - Parameter languages: The languages of the store. The query is in one of them.
    init(ofQuery text: String, among languages: Set<TextLanguage>) {
        var text = text
        let evidence = text.withUTF8 { LanguageEvidence(of: $0) }
        latin = evidence.best(.latin, among: languages, default: .english)
        cyrillic = evidence.best(.cyrillic, among: languages, default: .russian)
        arabic = evidence.best(.arabic, among: languages, default: .arabic)
        hebrew = evidence.best(.hebrew, among: languages, default: .hebrew)
        devanagari = evidence.best(.devanagari, among: languages, default: .hindi)
    }

    init(_ evidence: LanguageEvidence) {
        latin = evidence.best(.latin, default: .english)
        cyrillic = evidence.best(.cyrillic, default: .russian)
        arabic = evidence.best(.arabic, default: .arabic)
        hebrew = evidence.best(.hebrew, default: .hebrew)
        devanagari = evidence.best(.devanagari, default: .hindi)
    }

    /// The language of words in an alphabet.
    subscript(script: WordScript) -> TextLanguage {
        switch script {
        case .latin: latin
        case .cyrillic: cyrillic
        case .arabic: arabic
        case .hebrew: hebrew
        case .devanagari: devanagari
        case .greek: .greek
        case .armenian: .armenian
        case .tamil: .tamil
        case .other: .unstemmed
        }
    }
}

/// Separates a word from what is written together with it: an elided article, preposition or pronoun before
/// an apostrophe, as in "l'heure", or the endings after the apostrophe of a Turkish name, as in "Ankara'da".
enum Elision {
    /// The articles, prepositions and pronouns that are written together with the next word.
    private static let elided: [TextLanguage: Set<[UInt8]>] = [
        .french: "l d j m t s n c qu jusqu lorsqu puisqu quoiqu",
        .italian: "l un d c all dall dell nell sull coll quell quest gl dov com",
        .catalan: "l d m t s n",
    ].mapValues { Set($0.split(separator: " ").map { Array($0.utf8) }) }

    /// Returns the range of the word itself.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case, with `'` as the apostrophe.
    static func content(of word: [UInt8], in language: TextLanguage) -> Range<Int> {
        guard let apostrophe = word.firstIndex(of: UInt8(ascii: "'")), apostrophe + 1 < word.count else {
            return word.indices
        }
        if language == .turkish, apostrophe > 0 { return 0..<apostrophe }
        guard elided[language]?.contains(Array(word[..<apostrophe])) == true else { return word.indices }
        return (apostrophe + 1)..<word.count
    }
}

extension Words.Word {
    /// Returns the word without what is written together with it in the given language (``Elision``).
    ///
    /// - Parameter utf8: The text that contains the word.
    func content(in language: TextLanguage, of utf8: [UInt8]) -> Words.Word {
        let word = Array(folded.utf8)
        let content = Elision.content(of: word, in: language)
        guard content.count < word.count else { return self }
        var result = self
        result.folded = String(decoding: word[content], as: UTF8.self)
        // In the text, the apostrophe may be typographic, which has three bytes.
        let bytes = utf8[utf8Range]
        let start = bytes.indices.first {
            bytes[$0] == UInt8(ascii: "'") || bytes[$0...].starts(with: Self.typographicApostrophe)
        }
        guard let start else { return result }
        let width = bytes[start] == UInt8(ascii: "'") ? 1 : Self.typographicApostrophe.count
        let isBefore = content.lowerBound == 0
        result.utf8Range = isBefore ? utf8Range.lowerBound..<start : (start + width)..<utf8Range.upperBound
        return result
    }

    private static let typographicApostrophe = Array("\u{2019}".utf8)
}
