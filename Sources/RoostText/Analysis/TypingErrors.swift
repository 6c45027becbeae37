/// The likelihood of single typing errors.
enum TypingErrors {
    /// The logarithms of the likelihood of errors, relative to a transposition.
    private enum Weight {
        static let missingLetter = -0.2
        static let doubledLetter = -0.3
        /// An extra `e` after a vowel that has an umlaut in German: "faehren" for "Fähren".
        static let writtenUmlaut = -0.2
        static let neighboringKey = -1.0
        /// One vowel in place of another. People who do not know the spelling of a word confuse vowels most
        /// often ("kestral"); in the confusion matrix of Kernighan, Church & Gale (1990), `a` for `e` and `e`
        /// for `a` are the most frequent substitutions.
        static let otherVowel = -1.2
        static let otherLetter = -2.5
        static let extraLetter = -1.8
        /// The additional weight of an error in the first letter, which people notice and correct more often.
        static let firstLetter = -0.7
        /// The weight of each error if there are several.
        static let secondError = -4.0
    }

    /// The rows of the keyboard. Keys next to each other are often confused.
    private static let keyboard = ["qwertyuiop", "asdfghjkl", "zxcvbnm"].map {
        $0.unicodeScalars.map(\.value)
    }

    private static let e = UInt32(UInt8(ascii: "e"))
    private static let umlauts = Set("aou".unicodeScalars.map(\.value))
    private static let vowels = Set("aeiouy".unicodeScalars.map(\.value))

    /// Returns the logarithm of the likelihood that a word was misspelled in a certain way, relative to a
    /// transposition.
    ///
    /// - Parameters:
    ///   - typed: The letters of the misspelled word.
    ///   - word: The letters of the correct word.
    ///   - distance: The number of errors.
    static func likelihood(of typed: [UInt32], for word: [UInt32], distance: Int) -> Double {
        guard distance == 1 else {
            return Double(distance) * Weight.secondError
                + (typed.first == word.first ? 0 : Weight.firstLetter)
        }
        var start = 0
        while start < min(typed.count, word.count), typed[start] == word[start] { start += 1 }
        let first = start == 0 ? Weight.firstLetter : 0
        if typed.count < word.count { return Weight.missingLetter + first }
        if typed.count > word.count {
            guard start > 0 else { return Weight.extraLetter + first }
            if typed[start] == typed[start - 1] { return Weight.doubledLetter }
            let isUmlaut = typed[start] == e && umlauts.contains(typed[start - 1])
            return isUmlaut ? Weight.writtenUmlaut : Weight.extraLetter
        }
        if start + 1 < word.count, typed[start] == word[start + 1], typed[start + 1] == word[start] {
            return first
        }
        return substitution(of: typed[start], for: word[start]) + first
    }

    private static func substitution(of typed: UInt32, for letter: UInt32) -> Double {
        if areNeighbors(typed, letter) { return Weight.neighboringKey }
        return vowels.isSuperset(of: [typed, letter]) ? Weight.otherVowel : Weight.otherLetter
    }

    private static func areNeighbors(_ first: UInt32, _ second: UInt32) -> Bool {
        func place(_ letter: UInt32) -> (row: Int, column: Int)? {
            for (row, keys) in keyboard.enumerated() {
                if let column = keys.firstIndex(of: letter) { return (row, column) }
            }
            return nil
        }
        guard let one = place(first), let other = place(second) else { return false }
        return abs(one.row - other.row) <= 1 && abs(one.column - other.column) <= 1
    }
}
