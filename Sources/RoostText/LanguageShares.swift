/// The number of texts in each language, from a sample.
package struct LanguageShares: Sendable {
    private var texts: [TextLanguage: Int] = [:]
    /// The number of texts whose language is known.
    private var known = 0

    /// The maximum number of texts that are examined, and of bytes of each.
    private static let maximumTexts = 1_000
    private static let maximumBytes = 2_000
    /// The minimum number of texts whose language is known, for a statement about all texts.
    private static let minimumTexts = 10

    /// Creates shares without texts.
    package init() {}

    /// Counts a text, if its language can be detected and not too many texts have been counted.
    ///
    /// - Complexity: O(1), because only the beginning of a text is examined.
    package mutating func add(_ text: String) {
        guard known < Self.maximumTexts, let language = Self.language(of: text) else { return }
        known += 1
        texts[language, default: 0] += 1
    }

    /// The most frequent language of the texts, if most of them are not in English; otherwise `nil`.
    package var foreignLanguage: TextLanguage? {
        let english = texts[.english] ?? 0
        guard known >= Self.minimumTexts, english * 2 < known else { return nil }
        return texts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }

    /// Returns the language of most words; `nil` if it cannot be detected.
    private static func language(of text: String) -> TextLanguage? {
        var evidence = LanguageEvidence()
        var (words, grams, hasKana) = (0, 0, false)
        var head = String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self)
        head.withUTF8 { utf8 in
            evidence = LanguageEvidence(of: utf8)
            TokenScanner.forEachToken(in: utf8) { token in
                if token.kind == .word { words += 1 }
                if token.kind == .gram { grams += 1 }
                return true
            }
        }
        guard grams > words else { return evidence.dominant }
        hasKana = head.unicodeScalars.contains { (0x3041...0x30FF).contains($0.value) }
        let hasHan = head.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
        return hasKana ? .japanese : hasHan ? .chinese : nil
    }
}
