/// The decoding of single characters of a UTF-8 text.
enum UTF8Decoding {
    /// Returns the character at an offset, and its length in bytes. Invalid bytes yield other characters.
    @inline(__always)
    static func scalar(
        _ utf8: UnsafeBufferPointer<UInt8>, _ offset: Int
    ) -> (scalar: Unicode.Scalar, width: Int) {
        let first = UInt32(utf8[offset])
        func rest(_ index: Int) -> UInt32 {
            offset + index < utf8.count ? UInt32(utf8[offset + index]) & 0x3F : 0
        }
        let value: UInt32
        let width: Int
        switch first {
        case ..<0x80: (value, width) = (first, 1)
        case ..<0xE0: (value, width) = ((first & 0x1F) << 6 | rest(1), 2)
        case ..<0xF0: (value, width) = ((first & 0x0F) << 12 | rest(1) << 6 | rest(2), 3)
        default: (value, width) = ((first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4)
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", min(width, utf8.count - offset))
    }
}

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

/// The alphabet of a word, as far as it matters for the choice of a stemmer.
enum WordScript: UInt8, Sendable, Hashable, CaseIterable {
    case latin, cyrillic, greek, arabic, hebrew, devanagari, armenian, tamil, other

    /// Returns the script of a character; `nil` if it is not a letter of one of these alphabets.
    static func script(of scalar: Unicode.Scalar) -> WordScript? {
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
    static func script(of utf8: some Sequence<UInt8>) -> WordScript {
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
