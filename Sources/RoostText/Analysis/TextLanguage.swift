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
