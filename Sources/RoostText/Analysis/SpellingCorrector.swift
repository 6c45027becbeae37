/// Finds the words of a collection that a misspelled word may stand for.
///
/// A word that no text contains is replaced with the word at the smallest distance that most texts contain.
struct SpellingCorrector {
    private let parts: [TextPart]
    /// The texts whose words may be suggested; `nil` for all.
    private let visible: VisibleDocuments?

    /// The minimum length of a word that is corrected, and the length from which two errors are corrected.
    /// Below, another word is more likely than an error.
    private static let (minimumLength, lengthForTwo) = (4, 8)
    /// Longer words are data.
    private static let maximumLength = 40

    init(_ parts: [TextPart], among visible: VisibleDocuments?) {
        (self.parts, self.visible) = (parts, visible)
    }

    private struct Candidate {
        var word: [UInt8]
        var frequency = 0
        var distance: Int

        func isBetter(than other: Candidate) -> Bool {
            if distance != other.distance { return distance < other.distance }
            if frequency != other.frequency { return frequency > other.frequency }
            return word.lexicographicallyPrecedes(other.word)
        }
    }

    /// Returns the correction of a word that no text contains.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case without diacritics.
    /// - Returns: `nil` if no word is similar enough.
    func correction(of word: [UInt8]) -> [UInt8]? {
        let letters = Self.letters(word)
        guard (Self.minimumLength...Self.maximumLength).contains(letters.count),
            letters.allSatisfy(Self.isLetter)
        else { return nil }
        var found: [[UInt8]: Candidate] = [:]
        for (number, part) in parts.enumerated() {
            part.index.reading {
                let words = part.index.words
                var edits = SpellingEdits(
                    of: letters, maximumDistance: letters.count < Self.lengthForTwo ? 1 : 2)
                Self.visit(words, &edits) { index, word, distance in
                    found[word, default: Candidate(word: word, distance: distance)].frequency +=
                        part.textCount(ofWord: index) { visible?.contains(number, $0) ?? true }
                }
            }
        }
        return found.values.filter { $0.frequency > 0 }.min { $0.isBetter(than: $1) }?.word
    }

    private static func letters(_ word: [UInt8]) -> [UInt32] {
        String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
    }

    private static func isLetter(_ value: UInt32) -> Bool {
        if value < 128 { return (97...122).contains(value) || value == 39 }
        guard let scalar = Unicode.Scalar(value) else { return false }
        return CharacterClass.ofNonASCII(scalar) == .word && scalar.properties.numericType == nil
    }

    private static func visit(
        _ words: InvertedIndex.Dictionary, _ edits: inout SpellingEdits,
        _ body: (_ index: Int, _ word: [UInt8], _ distance: Int) -> Void
    ) {
        var index = 0
        while index < words.count {
            let bytes = Array(Term.word(ofListing: words[index]))
            let word = letters(bytes)
            switch edits.compare(word) {
            case .distance(let distance):
                if distance > 0, word.allSatisfy(isLetter) { body(index, bytes, distance) }
                index += 1
            case .distant: index += 1
            case .distantPrefix(let length):
                let prefix = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(length)
                index = words.firstIndex(after: index, notBeginningWith: Array(String(prefix).utf8))
            }
        }
    }
}

extension InvertedIndex.Dictionary {
    /// Returns the index of the first string after `index` that does not begin with a prefix with which the
    /// string at `index` begins.
    func firstIndex(after index: Int, notBeginningWith prefix: [UInt8]) -> Int {
        var (low, step) = (index, 1)
        while low + step < count, self[low + step].starts(with: prefix) {
            low += step
            step *= 2
        }
        return (low + 1..<min(count, low + step)).partitioningIndex { !self[$0].starts(with: prefix) }
    }
}

extension TextPart {
    /// Returns the number of texts that contain a word in any field.
    fileprivate func textCount(ofWord word: Int, where isVisible: (_ document: Int) -> Bool) -> Int {
        var documents = Set<Int>()
        index.forEachFieldPosting(ofWord: word) { document, _ in documents.insert(document) }
        index.forEachPosting(ofWord: word) { document, _ in documents.insert(document) }
        return documents.count { !isRemoved($0) && isVisible($0) }
    }
}

/// A word of a query that no text contains and that was replaced with a similar word.
public struct TextCorrection: Sendable, Hashable, Codable {
    /// The word in lower case as the query contains it.
    public var original: String
    /// The word that was searched for instead.
    public var corrected: String

    /// Creates a correction.
    public init(original: String, corrected: String) {
        (self.original, self.corrected) = (original, corrected)
    }
}

/// The differences between a misspelled and a correct word: insertions, deletions, substitutions and
/// transpositions of adjacent letters (optimal string alignment, a restricted Damerau-Levenshtein distance).
struct SpellingEdits {
    private let letters: [UInt32]
    let maximumDistance: Int
    /// The rows of the distance matrix for the prefixes of the word that was compared last, one after
    /// another. Row `i` has the distances of its first `i` letters to all prefixes of the misspelled word.
    private var matrix: [Int]
    private var minima: [Int] = [0]
    private var compared: [UInt32] = []
    private var width: Int { letters.count + 1 }

    init(of letters: [UInt32], maximumDistance: Int) {
        (self.letters, self.maximumDistance) = (letters, maximumDistance)
        matrix = Array(0...letters.count)
    }

    enum Comparison {
        case distance(Int)
        case distant
        /// Every word that begins with this number of the word's letters is too distant.
        case distantPrefix(Int)
    }

    /// Compares the misspelled word with a word. If the word has a prefix in common with the previous one,
    /// the work for the prefix is not repeated.
    mutating func compare(_ word: [UInt32]) -> Comparison {
        var common = 0
        while common < min(compared.count, word.count), compared[common] == word[common] { common += 1 }
        compared.removeLast(compared.count - common)
        minima.removeLast(minima.count - common - 1)
        matrix.removeLast(matrix.count - (common + 1) * width)
        for index in common..<word.count {
            appendRow(word[index], at: index)
            compared.append(word[index])
            // A transposition skips one row, so two rows must exceed the distance.
            if min(minima[index + 1], minima[index] + 1) > maximumDistance {
                return .distantPrefix(index + 1)
            }
        }
        let distance = matrix[matrix.count - 1]
        return distance <= maximumDistance ? .distance(distance) : .distant
    }

    private mutating func appendRow(_ letter: UInt32, at index: Int) {
        let above = index * width
        var last = index + 1
        var minimum = last
        matrix.append(last)
        for column in letters.indices {
            let isEqual = letters[column] == letter
            var distance = min(
                matrix[above + column] + (isEqual ? 0 : 1), matrix[above + column + 1] + 1, last + 1)
            if index > 0, column > 0, letters[column - 1] == letter, compared[index - 1] == letters[column] {
                distance = min(distance, matrix[above - width + column - 1] + 1)
            }
            matrix.append(distance)
            last = distance
            minimum = min(minimum, distance)
        }
        minima.append(minimum)
    }
}
