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
    /// The length of a row.
    private var width: Int { letters.count + 1 }

    init(of letters: [UInt32], maximumDistance: Int) {
        (self.letters, self.maximumDistance) = (letters, maximumDistance)
        matrix = Array(0...letters.count)
    }

    enum Comparison {
        /// The word is within the maximum distance.
        case distance(Int)
        /// The word is too distant.
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
