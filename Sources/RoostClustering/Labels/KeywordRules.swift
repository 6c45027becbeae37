import RoostText

/// The rules that determine which words can be part of keywords and labels.
enum KeywordRules {
    /// English words for numbers and units of time. They occur with any subject, so they name none.
    static let quantities: Set<String> = Set(
        """
        five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
        nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
        million millions billion billions dozen dozens second seconds minute minutes hour hours day days
        week weeks month months year years
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Stop words that may occur inside a phrase.
    static let joiningWords: Set<String> = ["of"]

    /// Returns whether a word begins with a character of a script that is written without spaces.
    static func isSeparateWord(_ word: String) -> Bool {
        word.unicodeScalars.first.map(WordScanner.isSeparateWord) ?? false
    }

    /// Returns whether a word can be a keyword. A word in ASCII must have at least two characters, mostly
    /// letters. A word with other letters must begin with a letter; one of a single letter counts only in
    /// scripts whose characters can be words, but not in alphabets (à, я).
    static func isSignificant(_ word: String) -> Bool {
        var (length, letters, digits, isASCII) = (0, 0, 0, true)
        for byte in word.utf8 {
            length += 1
            if byte >= 128 { isASCII = false }
            if (97...122).contains(byte) { letters += 1 }
            if (48...57).contains(byte) { digits += 1 }
        }
        if isASCII { return length > 1 && letters > digits && !isIdentifier(word, length, digits) }
        guard let first = word.unicodeScalars.first else { return false }
        if word.count == 1, WordScript.script(of: first) != nil { return false }
        switch first.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter:
            // In Japanese, function words and endings are written in hiragana.
            return !(0x3040...0x309F).contains(first.value)
        default: return false
        }
    }

    /// Returns whether a word consists of only two ASCII characters. Such words can be meaningful ("uk",
    /// "jq") or not ("md", "fn"), and are used only if they also occur in titles.
    static func isAbbreviation(_ word: String) -> Bool {
        word.utf8.count == 2 && word.utf8.allSatisfy { $0 < 128 }
    }

    private static let (hashLength, maximumWordLength) = (6, 32)

    /// Returns whether a word is a hash or a similar identifier that people would not use in speech.
    private static func isIdentifier(_ word: String, _ length: Int, _ digits: Int) -> Bool {
        if length > maximumWordLength { return true }
        guard digits > 0 else { return false }
        if digits >= 3, length >= hashLength + 2 { return true }
        return length >= hashLength
            && word.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
