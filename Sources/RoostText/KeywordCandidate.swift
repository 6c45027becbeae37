/// A word or phrase that may become a keyword, with its similarity to the keywords chosen so far.
struct KeywordCandidate {
    let text: String
    let weight: Double
    private let stems: Set<String>
    /// The distinct byte trigrams of the text in ascending order. A space is added at each end of the text.
    private let trigrams: [UInt32]
    /// The highest similarity to a chosen keyword, from 0 to 1.
    private var similarity = 0.0

    /// - Parameter stems: The stems of the words.
    init(_ text: String, _ weight: Double, stems: Set<String>) {
        (self.text, self.weight, self.stems) = (text, weight, stems)
        let bytes = Array((" " + text + " ").utf8)
        trigrams = Set(
            (0..<max(0, bytes.count - 2)).map { start in
                bytes[start..<start + 3].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
        ).sorted()
    }

    /// The weights of relevance (λ) and diversity (1 - λ) in maximal marginal relevance (Carbonell &
    /// Goldstein 1998).
    private static let (relevanceWeight, diversityWeight) = (0.7, 0.3)

    /// Returns the marginal relevance of the candidate.
    ///
    /// - Parameter maximumWeight: The highest weight among all candidates. The candidate's weight is divided
    ///   by it.
    func relevance(_ maximumWeight: Double) -> Double {
        Self.relevanceWeight * weight / maximumWeight - Self.diversityWeight * similarity
    }

    /// Returns the candidate with its similarity updated for a newly chosen keyword. Returns `nil` if the
    /// candidate is redundant, because the stems of one of the two are a subset of the stems of the other.
    func updated(afterChoosing chosen: KeywordCandidate) -> KeywordCandidate? {
        guard !stems.isSubset(of: chosen.stems), !chosen.stems.isSubset(of: stems) else { return nil }
        var copy = self
        copy.similarity = max(similarity, diceCoefficient(chosen))
        return copy
    }

    /// Returns the Dice coefficient of the trigrams of two candidates, from 0 to 1.
    private func diceCoefficient(_ other: KeywordCandidate) -> Double {
        var (first, second, common) = (0, 0, 0)
        while first < trigrams.count, second < other.trigrams.count {
            let (a, b) = (trigrams[first], other.trigrams[second])
            if a == b { common += 1 }
            if a <= b { first += 1 }
            if b <= a { second += 1 }
        }
        let count = trigrams.count + other.trigrams.count
        return count > 0 ? 2 * Double(common) / Double(count) : 0
    }
}
