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
