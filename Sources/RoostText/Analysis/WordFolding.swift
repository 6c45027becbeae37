import Foundation

package struct WordFolding: Sendable, Hashable {
    /// The UTF-8 of the word in lower case and in normalization form NFKC, with its diacritics.
    package var spelling: [UInt8]
    /// The UTF-8 of the spelling without diacritics.
    var folded: [UInt8]

    /// The number of bytes after which a word is truncated. Longer words are usually encoded data, which
    /// nobody searches for in full.
    static let maximumLength = 128

    package init(_ utf8: some Collection<UInt8>) {
        var utf8 = utf8.prefix(Self.maximumLength)
        if utf8.allSatisfy({ $0 < 128 }) {
            spelling = utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
            folded = spelling
            return
        }
        // Truncation must not split a character.
        if utf8.count == Self.maximumLength { utf8 = Self.wholeCharacters(utf8) }
        let text = String(decoding: utf8, as: UTF8.self).precomposedStringWithCompatibilityMapping
            .lowercased().precomposedStringWithCompatibilityMapping
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !Self.isIgnorable(scalar) {
            scalars.append(scalar.value == 0x2019 ? "'" : scalar)
        }
        spelling = Array(String(scalars).utf8)
        folded = Self.withoutDiacritics(spelling)
    }

    /// Returns the bytes without an incomplete character at the end.
    private static func wholeCharacters<Bytes: Collection<UInt8>>(_ utf8: Bytes) -> Bytes.SubSequence
    where Bytes.SubSequence == Bytes {
        let bytes = Array(utf8)
        let start = bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let lead = bytes[start]
        let width = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        return start + width <= bytes.count ? utf8 : utf8.prefix(start)
    }

    /// Returns whether a character only affects the display: variation selectors, joiners, the soft hyphen,
    /// the Arabic tatweel, and the skin tones of emoji.
    private static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x640, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF: true
        default: false
        }
    }

    /// Returns a word in lower case without diacritics: without combining accents, Hebrew points and Arabic
    /// vowel signs, and with the plain letters in place of letters such as ø and ß. The vowel signs of other
    /// scripts distinguish words and are kept.
    static func withoutDiacritics(_ word: [UInt8]) -> [UInt8] {
        guard word.contains(where: { $0 >= 128 }) else { return word }
        let text = String(decoding: word, as: UTF8.self).decomposedStringWithCompatibilityMapping
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x300...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0x610...0x61A,
                0x64B...0x65F, 0x670:
                continue
            default:
                if let plain = plainLetters[scalar] {
                    scalars.append(contentsOf: plain.unicodeScalars)
                } else {
                    scalars.append(scalar)
                }
            }
        }
        return Array(String(scalars).precomposedStringWithCanonicalMapping.utf8)
    }

    /// Letters that Unicode does not decompose, although people write them without the diacritic.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h",
        "ı": "i", "ŋ": "n", "ς": "σ", "ى": "ي", "ة": "ه", "ک": "ك", "ی": "ي",
    ]
}
