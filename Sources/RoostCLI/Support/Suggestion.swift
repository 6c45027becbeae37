/// Finds the known word that a person probably meant by a mistyped one.
enum Suggestion {
    /// The minimum number of characters of a word that is compared with the beginnings of known words.
    private static let minimumPrefixLength = 3
    /// The maximum number of known words that are compared; a list of more words is not a list of names.
    private static let maximumCandidates = 10_000

    /// Returns the known word that is most similar to a word, regardless of case: an equal word, the only
    /// word with this beginning, or the word with the fewest typing errors.
    ///
    /// - Complexity: O(number of known words) comparisons of words of similar length.
    static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let candidates = known.prefix(maximumCandidates).map { (name: $0, folded: $0.lowercased()) }
        let word = word.lowercased()
        if let equal = candidates.first(where: { $0.folded == word }) { return equal.name }
        let begun = candidates.filter { word.count >= minimumPrefixLength && $0.folded.hasPrefix(word) }
        if begun.count == 1 { return begun[0].name }
        let limit = word.count < 5 ? 1 : 2
        return candidates.map { (name: $0.name, distance: distance(Array(word), Array($0.folded))) }
            .filter { $0.distance <= limit && $0.distance < word.count }
            .min { $0.distance < $1.distance }?.name
    }

    /// Returns a clause for the end of a message: a question that names the similar known word, or
    /// the given advice if no known word is similar.
    static func clause(for word: String, among known: some Sequence<String>, else advice: String) -> String {
        guard let similar = nearest(to: word, among: known) else { return advice }
        return "did you mean '\(Terminal.line(similar, limit: 60))'?"
    }

    /// Returns the id whose beginning differs from the typed digits in one digit, or in the order of two
    /// neighboring digits; `nil` if no id or several ids do.
    ///
    /// - Complexity: O(number of ids).
    static func similarID(to digits: String, among ids: some Sequence<String>) -> String? {
        let typed = Array(digits.utf8)
        var found: String?
        for id in ids where isSimilar(id.utf8.prefix(typed.count), typed) {
            guard found == nil else { return nil }
            found = id
        }
        return found
    }

    private static func isSimilar(_ id: Substring.UTF8View, _ typed: [UInt8]) -> Bool {
        guard id.count == typed.count else { return false }
        let pairs = Array(zip(id, typed))
        let wrong = pairs.indices.filter { pairs[$0].0 != pairs[$0].1 }
        switch wrong.count {
        case 1: return true
        case 2:
            let (first, second) = (pairs[wrong[0]], pairs[wrong[1]])
            return wrong[1] == wrong[0] + 1 && first.0 == second.1 && first.1 == second.0
        default: return false
        }
    }

    /// Returns the number of inserted, deleted, replaced and swapped characters between two words (optimal
    /// string alignment).
    ///
    /// - Complexity: O(product of the lengths). Words whose lengths differ by more than 2 are not compared:
    ///   the result is the longer length.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard abs(left.count - right.count) <= 2, !left.isEmpty else { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
