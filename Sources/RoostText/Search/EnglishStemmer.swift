/// Removes the endings of English words, so that `running` and `runs` become the same term.
///
/// Implements the "English" (Porter2) algorithm of M. F. Porter
/// (https://snowballstem.org/algorithms/english/stemmer.html) and uses its names for steps and regions.
package struct EnglishStemmer {
    /// The word in lower-case ASCII, in which `Y` denotes a `y` that is a consonant.
    private var word: [UInt8]
    /// The start offsets of the regions R1 and R2.
    private var (first, second) = (0, 0)

    /// Returns the stem of a word of lower-case ASCII letters and apostrophes. Any other word is returned
    /// unchanged.
    ///
    /// - Complexity: O(length).
    static func stem(_ word: [UInt8]) -> [UInt8] {
        guard word.count > 2, word.allSatisfy({ (97...122).contains($0) || $0 == apostrophe }) else {
            return word
        }
        if let stem = exceptions[word] { return stem }
        var stemmer = EnglishStemmer(word: word)
        stemmer.run()
        return stemmer.word.map { $0 == consonantY ? y : $0 }
    }

    /// Returns the stem of a word in lower case.
    package static func stem(of word: String) -> String {
        String(decoding: stem(Array(word.utf8)), as: UTF8.self)
    }

    private static let apostrophe = UInt8(ascii: "'")
    private static let y = UInt8(ascii: "y")
    private static let consonantY = UInt8(ascii: "Y")

    /// The stems of words that the algorithm lists as exceptions.
    private static let exceptions: [[UInt8]: [UInt8]] = {
        var table: [[UInt8]: [UInt8]] = [:]
        let pairs = """
            skis ski skies sky dying die lying lie tying tie idly idl gently gentl ugly ugli early earli \
            only onli singly singl sky sky news news howe howe atlas atlas cosmos cosmos bias bias andes andes
            """.split(separator: " ").map { Array($0.utf8) }
        for index in stride(from: 0, to: pairs.count, by: 2) { table[pairs[index]] = pairs[index + 1] }
        return table
    }()

    /// Words that are left unchanged after the plural ending has been removed.
    private static let singular = Set(
        ["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"].map {
            Array($0.utf8)
        })

    private init(word: [UInt8]) { self.word = word }

    private mutating func run() {
        if word.first == Self.apostrophe { word.removeFirst() }
        for index in word.indices where word[index] == Self.y {
            if index == 0 || isVowel(index - 1) { word[index] = Self.consonantY }
        }
        findRegions()
        removePossessive()
        removePlural()
        guard !Self.singular.contains(word) else { return }
        removePastAndGerund()
        if word.count > 2, word.last == Self.y || word.last == Self.consonantY, !isVowel(word.count - 2) {
            word[word.count - 1] = UInt8(ascii: "i")
        }
        shortenDoubleSuffixes()
        shortenSuffixes()
        removeSuffixes()
        removeFinalLetter()
    }

    // MARK: Letters and regions

    private func isVowel(_ index: Int) -> Bool {
        switch word[index] {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"),
            Self.y:
            true
        default: false
        }
    }

    private mutating func findRegions() {
        let start = ["gener", "commun", "arsen"].first { word.starts(with: $0.utf8) }?.utf8.count
        first = start ?? region(from: 0)
        second = region(from: first)
    }

    /// Returns the offset after the first non-vowel that follows a vowel.
    private func region(from start: Int) -> Int {
        guard start + 1 < word.count else { return word.count }
        for index in (start + 1)..<word.count where !isVowel(index) && isVowel(index - 1) {
            return index + 1
        }
        return word.count
    }

    /// Returns whether the word up to `end` ends in a short syllable.
    private func endsInShortSyllable(_ end: Int) -> Bool {
        guard end >= 2, !isVowel(end - 1), isVowel(end - 2) else { return false }
        if end == 2 { return true }
        let isOpen = [UInt8(ascii: "w"), UInt8(ascii: "x"), Self.consonantY].contains(word[end - 1])
        return !isVowel(end - 3) && !isOpen
    }

    private func ends(with suffix: String) -> Bool { word.reversed().starts(with: suffix.utf8.reversed()) }

    /// Returns the first element of `suffixes` that the word ends with. The caller sorts them from longest to
    /// shortest.
    private func suffix(of suffixes: [String]) -> String? { suffixes.first { ends(with: $0) } }

    private mutating func replace(_ suffix: String, with other: String) {
        word.removeLast(suffix.utf8.count)
        word += Array(other.utf8)
    }

    private func isIn(_ region: Int, _ suffix: String) -> Bool { word.count - suffix.utf8.count >= region }

    // MARK: Steps

    private mutating func removePossessive() {
        if let suffix = suffix(of: ["'s'", "'s", "'"]) { replace(suffix, with: "") }
    }

    private mutating func removePlural() {
        switch suffix(of: ["sses", "ied", "ies", "us", "ss", "s"]) {
        case "sses"?: replace("sses", with: "ss")
        case "ied"?, "ies"?: word.removeLast(word.count > 4 ? 2 : 1)
        case "s"?:
            if word.count > 2, (0..<word.count - 2).contains(where: isVowel) { word.removeLast() }
        default: break
        }
    }

    private mutating func removePastAndGerund() {
        guard let suffix = suffix(of: ["eedly", "ingly", "edly", "eed", "ing", "ed"]) else { return }
        if suffix.hasPrefix("ee") {
            if isIn(first, suffix) { replace(suffix, with: "ee") }
            return
        }
        guard (0..<word.count - suffix.utf8.count).contains(where: isVowel) else { return }
        replace(suffix, with: "")
        if ends(with: "at") || ends(with: "bl") || ends(with: "iz") {
            word.append(UInt8(ascii: "e"))
        } else if let last = word.last, word.count > 1, word[word.count - 2] == last,
            "bdfgmnprt".utf8.contains(last)
        {
            word.removeLast()
        } else if first >= word.count, endsInShortSyllable(word.count) {
            word.append(UInt8(ascii: "e"))
        }
    }

    private mutating func shortenDoubleSuffixes() {
        let table = [
            ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"),
            ("iveness", "ive"), ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"),
            ("ation", "ate"), ("alism", "al"), ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"),
            ("fulli", "ful"), ("enci", "ence"), ("anci", "ance"), ("abli", "able"), ("izer", "ize"),
            ("ator", "ate"), ("alli", "al"), ("bli", "ble"), ("ogi", "og"), ("li", ""),
        ]
        guard let (suffix, shorter) = table.first(where: { ends(with: $0.0) }), isIn(first, suffix) else {
            return
        }
        let before = word.count > suffix.utf8.count ? word[word.count - suffix.utf8.count - 1] : 0
        if suffix == "ogi", before != UInt8(ascii: "l") { return }
        if suffix == "li", !"cdeghkmnrt".utf8.contains(before) { return }
        replace(suffix, with: shorter)
    }

    private mutating func shortenSuffixes() {
        let table = [
            ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"),
            ("ative", ""), ("ical", "ic"), ("ness", ""), ("ful", ""),
        ]
        guard let (suffix, shorter) = table.first(where: { ends(with: $0.0) }),
            isIn(suffix == "ative" ? second : first, suffix)
        else { return }
        replace(suffix, with: shorter)
    }

    private mutating func removeSuffixes() {
        let suffixes = [
            "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive",
            "ize", "ion", "al", "er", "ic",
        ]
        guard let suffix = suffix(of: suffixes), isIn(second, suffix) else { return }
        if suffix == "ion" {
            guard word.count > 3, "st".utf8.contains(word[word.count - 4]) else { return }
        }
        replace(suffix, with: "")
    }

    private mutating func removeFinalLetter() {
        if ends(with: "e") {
            let isShort = endsInShortSyllable(word.count - 1)
            if isIn(second, "e") || (isIn(first, "e") && !isShort) { word.removeLast() }
        } else if ends(with: "ll"), isIn(second, "l") {
            word.removeLast()
        }
    }
}
