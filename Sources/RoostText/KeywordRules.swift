/// The rules by which words can be parts of keywords and labels.
enum KeywordRules {
    /// Words that end a phrasal verb or noun: "top up", "check out".
    static let particles: Set<String> = ["up", "off", "out", "down", "back"]
    /// Stop words that may stand within a phrase.
    static let joiningWords: Set<String> = particles.union(["of"])

    /// The indices of the lists in ``StopWords/otherLanguages`` that contain each word.
    static let languagesOfStopWords: [String: [Int]] = {
        var result: [String: [Int]] = [:]
        for (index, words) in StopWords.otherLanguages.enumerated() {
            for word in words { result[word, default: []].append(index) }
        }
        return result
    }()

    /// Returns whether a word begins with a character of a script without spaces.
    static func isSeparateWord(_ word: String) -> Bool {
        word.unicodeScalars.first.map(WordScanner.isSeparateWord) ?? false
    }

    /// Returns whether a word can be a keyword. A word in ASCII needs two characters, mostly letters; words
    /// in other scripts may be shorter, but begin with a letter.
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
        switch first.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter:
            // Japanese writes its function words and endings in hiragana.
            return !(0x3040...0x309F).contains(first.value)
        default: return false
        }
    }

    /// Returns whether a word has only two ASCII characters. Such a word ("uk", "jq", but also "md", "fn") is
    /// used only if titles contain it.
    static func isAbbreviation(_ word: String) -> Bool {
        word.utf8.count == 2 && word.utf8.allSatisfy { $0 < 128 }
    }

    /// The minimum length of a hash, and the maximum length of a word in a label.
    private static let (hashLength, maximumWordLength) = (6, 32)

    /// Returns whether a word is a hash or another identifier that nobody would say.
    private static func isIdentifier(_ word: String, _ length: Int, _ digits: Int) -> Bool {
        if length > maximumWordLength { return true }
        guard digits > 0 else { return false }
        if digits >= 3, length >= hashLength + 2 { return true }
        return length >= hashLength
            && word.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
