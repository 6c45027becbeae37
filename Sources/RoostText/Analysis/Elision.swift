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
    package func content(in language: TextLanguage, of utf8: [UInt8]) -> Words.Word {
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
