/// The matches of a query in a text, weighted by what they tell about the query.
struct SnippetMatches {
    /// A word, two words that are adjacent in the query and in the text, or the query as a whole.
    struct Item {
        /// The range of the words. The item of the complete query only has the range of its first word, so
        /// that it fits into every window.
        var range: Range<Int>
        /// The number of the clause, of the pair, or of the complete query (`Keys`). A window counts each of
        /// them once.
        var key: Int
        var weight: Float
    }

    /// A part of the text.
    struct Window {
        /// The range from the first to the last item.
        var range: Range<Int>
        /// The sum of the weights of the different words and pairs.
        var weight: Float
        /// The most informative item.
        var best: Range<Int>
    }

    /// The numbers of the items' kinds. They are consecutive, so that counts of them are arrays: a text can
    /// have hundreds of thousands of matches.
    private struct Keys {
        var clauseCount: Int
        /// The key of the complete query, which is the highest.
        var query: Int { 2 * clauseCount }
        var count: Int { query + 1 }

        func clause(_ index: Int) -> Int { index }
        func pair(endingWith clause: Int) -> Int { clauseCount + clause }
    }

    /// The items, in ascending order of their lower bounds.
    private(set) var items: [Item] = []
    private let keys: Keys

    /// The factor for identifiers, dates and operators, which nobody writes by accident.
    private static let identifierWeight: Float = 2
    /// The maximum number of bytes between adjacent words.
    private static let maximumGap = 3

    /// - Parameters:
    ///   - matches: The matching words in order of their lower bounds.
    ///   - query: The query that they match.
    init(_ matches: [TextQuery.Match], of query: TextQuery, in utf8: UnsafeBufferPointer<UInt8>) {
        let weights = query.scoring.map(Self.weight)
        keys = Keys(clauseCount: query.scoring.count)
        var (previous, end) = (-1, 0)
        for match in matches {
            let clause = query.scoring[match.clause]
            items.append(
                Item(range: match.range, key: keys.clause(match.clause), weight: weights[match.clause]))
            guard match.range.lowerBound >= end else { continue }
            if previous >= 0, clause.word == query.scoring[previous].word + 1,
                match.range.lowerBound - end <= Self.maximumGap
            {
                let start = items[..<(items.count - 1)].last { $0.range.upperBound == end }?.range.lowerBound
                items.append(
                    Item(
                        range: (start ?? end)..<match.range.upperBound,
                        key: keys.pair(endingWith: match.clause),
                        weight: min(weights[previous], weights[match.clause]) * (clause.isQuoted ? 2 : 1)))
            }
            (previous, end) = (match.clause, match.range.upperBound)
        }
        // A sentence with the query as a whole outweighs all its words elsewhere.
        let weight = 2 * weights.reduce(0, +)
        for range in VerbatimText(query.plainText)?.firstWords(in: utf8) ?? [] {
            items.append(Item(range: range, key: keys.query, weight: weight))
        }
        items.sort { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }
        removeLinkTargets(utf8)
    }

    private init(_ items: [Item], _ keys: Keys) { (self.items, self.keys) = (items, keys) }

    private static func weight(_ clause: TextQuery.ScoringClause) -> Float {
        let weight = clause.information * clause.weight
        if case .anyPhrase = clause.clause { return weight * identifierWeight }
        guard case .phrase(let terms) = clause.clause, let kind = terms.first?.kind else { return weight }
        return kind == .verbatim || kind == .operator ? weight * identifierWeight : weight
    }

    /// The maximum length of a link target in bytes.
    private static let maximumTarget = 400

    /// Removes the items in the targets of Markdown links, which readers do not see.
    ///
    /// - Complexity: O(items + length of text).
    private mutating func removeLinkTargets(_ utf8: UnsafeBufferPointer<UInt8>) {
        // The offset of the parenthesis that opens the target; `nil` outside of targets.
        var target: Int?
        var offset = 0
        items.removeAll { item in
            let start = item.range.lowerBound
            while offset < start {
                switch utf8[offset] {
                case 10, UInt8(ascii: ")"): target = nil
                case UInt8(ascii: "("):
                    if offset > 0, utf8[offset - 1] == UInt8(ascii: "]") { target = offset }
                default: break
                }
                offset += 1
            }
            return target.map { start - $0 <= Self.maximumTarget } ?? false
        }
    }

    /// Returns the items that lie within a range.
    func within(_ range: Range<Int>) -> SnippetMatches {
        SnippetMatches(
            items.filter {
                range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound
            }, keys)
    }

    /// The length in bytes of the part of a window that is searched for its most informative item: about a
    /// line, so that a single word elsewhere in the window does not win against a phrase.
    private static let lineLength = 80

    /// Returns the first window of the highest weight, or `nil` if there are no items.
    ///
    /// - Parameters:
    ///   - length: The maximum length in bytes.
    ///   - required: A range that the window must contain; `nil` for any window.
    /// - Complexity: O(items).
    func best(length: Int, containing required: Range<Int>? = nil) -> Window? {
        guard let best = bestItems(length: length, containing: required) else { return nil }
        let found = SnippetMatches(Array(items[best.items]), keys)
        let line = found.bestItems(length: min(length, Self.lineLength))
        let candidates = found.shortest(line.map { found.items[$0.items] } ?? found.items[...])
        let heaviest = candidates.map(\.weight).max() ?? 0
        return Window(
            range: found.items[0].range.lowerBound..<(found.items.map(\.range.upperBound).max() ?? 0),
            weight: best.weight,
            best: candidates.first { $0.weight >= heaviest }?.range ?? found.items[0].range)
    }

    /// Returns the first of the shortest parts of some items with all their words and pairs, so that a phrase
    /// wins against one of its words before it.
    ///
    /// The length is that between the beginnings of the first and the last item: of several occurrences of
    /// one word, the first is chosen, even if others are shorter forms of the word.
    private func shortest(_ items: ArraySlice<Item>) -> ArraySlice<Item> {
        let different = Set(items.map(\.key)).count
        var counts = [Int](repeating: 0, count: keys.count)
        var (first, present) = (items.startIndex, 0)
        var best: (items: ArraySlice<Item>, length: Int)?
        for (last, item) in zip(items.indices, items) {
            present += counts[item.key] == 0 ? 1 : 0
            counts[item.key] += 1
            while counts[items[first].key] > 1 {
                counts[items[first].key] -= 1
                first += 1
            }
            let length = item.range.lowerBound - items[first].range.lowerBound
            if present == different, best.map({ length < $0.length }) ?? true {
                best = (items[first...last], length)
            }
        }
        return best?.items ?? items
    }

    /// Returns the indices of the items of the first window of the highest weight, or `nil` if there are no
    /// items or none is short enough.
    private func bestItems(
        length: Int, containing required: Range<Int>? = nil
    ) -> (items: Range<Int>, weight: Float)? {
        var best: (items: Range<Int>, weight: Float)?
        var counts = [Int](repeating: 0, count: keys.count)
        var (last, weight) = (0, Float(0))
        for (first, item) in items.enumerated() {
            let start = item.range.lowerBound
            while last < items.count, items[last].range.upperBound - start <= length {
                counts[items[last].key] += 1
                if counts[items[last].key] == 1 { weight += items[last].weight }
                last += 1
            }
            let isAllowed = required.map {
                start <= $0.lowerBound && $0.upperBound - start <= length
            }
            if last > first, isAllowed ?? true, best.map({ weight > $0.weight * 1.0001 }) ?? true {
                best = (first..<last, weight)
            }
            if last <= first {
                last = first + 1
            } else {
                counts[item.key] -= 1
                if counts[item.key] == 0 { weight -= item.weight }
            }
        }
        return best
    }
}
