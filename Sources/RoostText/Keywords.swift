/// The words that tell groups of texts from each other: class-based TF-IDF (Grootendorst 2022). A word's
/// weight in a group is its share of the group's words times log(1 + A / f), where f is how often it occurs
/// in all groups and A the mean number of words of a group.
public struct KeywordExtractor: Sendable {
    private var counts: [[String: Int]]
    private var texts: [[String: Int]]
    private var totals: [Int]
    private let stopWords: Set<String>

    /// - Parameter groups: how many groups there are.
    public init(groups: Int, stopWords: Set<String> = StopWords.english) {
        counts = Array(repeating: [:], count: groups)
        texts = Array(repeating: [:], count: groups)
        totals = Array(repeating: 0, count: groups)
        self.stopWords = stopWords
    }

    /// Counts a text's words for a group.
    ///
    /// - Complexity: O(length of text).
    public mutating func add(_ text: String, to group: Int) {
        var seen = Set<String>()
        for word in Words(text) {
            var term = word.folded
            if term.hasSuffix("'s") { term.removeLast(2) }
            guard isTelling(term) else { continue }
            counts[group][term, default: 0] += 1
            totals[group] += 1
            if seen.insert(term).inserted { texts[group][term, default: 0] += 1 }
        }
    }

    /// The most telling words of a group, best first; of equal weight the alphabet decides. A word that is
    /// only another's plural is left out.
    ///
    /// - Complexity: O(words of all groups) for the first call of each, which a caller makes once.
    public func keywords(limit: Int) -> [[String]] {
        var frequencies: [String: Int] = [:]
        for group in counts { for (word, count) in group { frequencies[word, default: 0] += count } }
        let mean = Double(totals.reduce(0, +)) / Double(max(1, counts.count))
        return counts.indices.map { group in
            // A word that one text of the group repeats is that text's, not the group's.
            let spread = counts[group].filter { texts[group][$0.key, default: 0] > 1 }
            let candidates = spread.count >= limit ? spread : counts[group]
            let weights = candidates.map { word, count in
                (
                    word: word,
                    weight: Double(count) * logarithm(1 + mean / Double(frequencies[word, default: 1]))
                )
            }
            var chosen: [String] = []
            for (word, _) in weights.sorted(by: { ($1.weight, $0.word) < ($0.weight, $1.word) }) {
                guard chosen.count < limit else { break }
                if !chosen.contains(where: { Self.areForms($0, word) }) { chosen.append(word) }
            }
            return chosen
        }
    }

    private func isTelling(_ word: String) -> Bool {
        guard !stopWords.contains(word) else { return false }
        let scalars = word.unicodeScalars
        if scalars.allSatisfy({ $0.isASCII }) {
            return scalars.count > 2 && scalars.contains { $0.properties.isAlphabetic }
        }
        return true
    }

    private static func areForms(_ a: String, _ b: String) -> Bool {
        let (short, long) = a.count < b.count ? (a, b) : (b, a)
        guard short != long else { return true }
        if long == short + "s" || long == short + "es" || long == short + "'s" { return true }
        return short.hasSuffix("y") && long == short.dropLast() + "ies"
    }
}
