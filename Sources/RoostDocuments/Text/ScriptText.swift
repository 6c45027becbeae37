/// Recognizes text that was decoded with a wrong encoding in scripts other than Latin.
enum ScriptText {
    /// Returns the share of the characters outside of ASCII that are plausible: letters of one script in a
    /// word, no capital after a small letter, and signs that texts contain.
    ///
    /// - Complexity: O(length of text).
    static func plausibleShare(_ text: String) -> Double {
        var (plausible, all) = (0, 0)
        var previous: Unicode.Scalar = " "
        // Whether the previous character is a sign that follows a letter, and may not precede one.
        var isAfterWord = false
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            let script = script(of: scalar)
            if isAfterWord, script != nil { plausible -= 1 }
            isAfterWord = false
            guard !scalar.isASCII else { continue }
            all += 1
            if isEastAsian(scalar) || isPunctuation(scalar) {
                plausible += 1
            } else if isSign(scalar) {
                plausible += 1
                isAfterWord = Self.script(of: previous) != nil
            } else if let script, Self.script(of: previous) ?? script == script, !isASCIILetter(previous),
                !(scalar.properties.isUppercase && previous.properties.isLowercase)
            {
                plausible += 1
            }
        }
        return all == 0 ? 0 : Double(plausible) / Double(all)
    }

    private static func isASCIILetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isAlphabetic
    }

    /// Whether a character belongs to the usual ones of Chinese, Japanese and Korean. The half-width letters
    /// and the rare ideographs, which wrong encodings produce, do not.
    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3000...0x30FF, 0x3200...0x33FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x3131...0x318E,
            0xFF01...0xFF60, 0xFFE0...0xFFE6:
            true
        default: false
        }
    }

    /// Whether a character is punctuation that can stand between two letters.
    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA0, 0xAB, 0xAD, 0xB7, 0xBB, 0x2010...0x2044: true
        default: false
        }
    }

    /// Whether a character is another sign of texts: symbols, currencies, arrows, boxes and similar ones.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA2...0xBF, 0xD7, 0xF7, 0x20A0...0x20BF, 0x2100...0x2193, 0x2460...0x27BF: true
        default: false
        }
    }

    /// Returns a number for the script of a letter; `nil` for other characters and for other scripts.
    private static func script(of scalar: Unicode.Scalar) -> Int? {
        switch scalar.value {
        case 0x370...0x3FF: 1
        case 0x400...0x45F, 0x490...0x491: 2
        case 0x5B0...0x5EA: 3
        case 0x60C...0x6F9: 4
        case 0xE01...0xE5B: 5
        default: nil
        }
    }
}
