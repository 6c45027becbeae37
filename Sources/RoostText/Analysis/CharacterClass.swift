/// The role of a character in the division of a text into words.
///
/// Follows the word boundary rules of Unicode (UAX #29), except for scripts without spaces between words.
enum CharacterClass: UInt8, Sendable {
    case separator
    /// A letter or digit of a script with spaces between words.
    case word
    /// A mark or invisible character, which belongs to the character before it.
    case extend
    /// A character of a script without spaces between words, or with particles attached to words.
    case han, hiragana, katakana, hangul, southeastAsian
    /// A symbol or emoji, which is a word.
    case symbol
    /// A regional indicator; two of them form a flag.
    case regionalIndicator

    static func ofNonASCII(_ scalar: Unicode.Scalar) -> CharacterClass {
        // The most frequent ranges are tested first, because looking up the properties of a character takes
        // much longer.
        switch scalar.value {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F, 0x400...0x481, 0x48A...0x52F, 0x620...0x63F,
            0x641...0x64A:
            .word
        case 0x300...0x36F, 0xFE00...0xFE0F, 0x200C, 0x200D, 0x2060, 0xAD, 0x640, 0x1F3FB...0x1F3FF,
            0xE0020...0xE007F, 0xFF9E, 0xFF9F:
            .extend
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF, 0x3005, 0x3006, 0x3007:
            .han
        case 0x3041...0x3096, 0x309D...0x309F, 0x1B001...0x1B11F: .hiragana
        case 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D: .katakana
        case 0xAC00...0xD7A3, 0x1100...0x11FF, 0x3131...0x318E: .hangul
        case 0x0E01...0x0E2E, 0x0E30, 0x0E32, 0x0E33, 0x0E40...0x0E46, 0x0E81...0x0EB0, 0x0EB2, 0x0EB3,
            0x0EBD...0x0EC6, 0x0EDC...0x0EDF, 0x1000...0x102A, 0x103F, 0x1050...0x1055, 0x1780...0x17B3:
            .southeastAsian
        case 0x1F1E6...0x1F1FF: .regionalIndicator
        // Box-drawing, block and Braille characters, and the replacement character for invalid bytes.
        case 0x2500...0x259F, 0x2800...0x28FF, 0xFFFD: .separator
        default: ofRareCharacter(scalar)
        }
    }

    private static func ofRareCharacter(_ scalar: Unicode.Scalar) -> CharacterClass {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber:
            .word
        // The digits of formulas, as in CO₂. Raised digits are not, because most of them are the numbers of
        // notes.
        case .otherNumber where (0x2080...0x2089).contains(scalar.value): .word
        case .nonspacingMark, .spacingMark, .enclosingMark: .extend
        case .otherSymbol, .mathSymbol, .currencySymbol: .symbol
        default: scalar.properties.isEmojiPresentation ? .symbol : .separator
        }
    }
}
