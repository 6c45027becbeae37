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

    package init() {}

    /// Detects the languages of a text by its most frequent function words and by letters that few languages
    /// use.
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
    package subscript(script: WordScript) -> TextLanguage {
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
    package var stemming: TextLanguage { rawValue < TextLanguage.polish.rawValue ? self : .unstemmed }

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

/// The alphabet of a word, as far as it matters for the choice of a stemmer.
package enum WordScript: UInt8, Sendable, Hashable, CaseIterable {
    case latin, cyrillic, greek, arabic, hebrew, devanagari, armenian, tamil, other

    /// Returns the script of a character; `nil` if it is not a letter of one of these alphabets.
    package static func script(of scalar: Unicode.Scalar) -> WordScript? {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xAA, 0xBA, 0xC0...0x24F, 0x1E00...0x1EFF, 0xFB00...0xFB06: .latin
        case 0xFF21...0xFF3A, 0xFF41...0xFF5A: .latin
        case 0x370...0x3FF, 0x1F00...0x1FFF: .greek
        case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: .cyrillic
        case 0x531...0x587, 0xFB13...0xFB17: .armenian
        case 0x591...0x5F4, 0xFB1D...0xFB4F: .hebrew
        case 0x600...0x6FF, 0x750...0x77F, 0x8A0...0x8FF, 0xFB50...0xFDFF, 0xFE70...0xFEFC: .arabic
        case 0x900...0x97F: .devanagari
        case 0xB80...0xBFF: .tamil
        default: nil
        }
    }

    /// Returns the script of a word: that of its first letter with a known script.
    package static func script(of utf8: some Sequence<UInt8>) -> WordScript {
        var hasLetters = false
        for byte in utf8 {
            if byte >= 0x80 {
                hasLetters = true
                break
            }
            if (65...90).contains(byte & 0xDF) { return .latin }
        }
        guard hasLetters else { return .latin }
        return String(decoding: Array(utf8), as: UTF8.self).unicodeScalars.lazy.compactMap(script).first
            ?? .other
    }
}
