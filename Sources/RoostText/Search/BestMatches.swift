/// Collects the best matches from a stream of candidates.
struct BestMatches {
    private let limit: Int
    private let precedes: (TextMatch, TextMatch) -> Bool
    /// The best candidates so far, unsorted, and some worse ones. They are sorted and cut to `limit` only
    /// after their number has at least doubled.
    private var matches: [TextMatch] = []
    /// The score below which a candidate is not kept. Initially the smallest positive number, because
    /// documents without any of the words have a score of 0.
    private(set) var threshold = Float.leastNonzeroMagnitude

    init(_ limit: Int, precedes: @escaping (TextMatch, TextMatch) -> Bool) {
        (self.limit, self.precedes) = (limit, precedes)
    }

    mutating func insert(_ match: TextMatch) {
        matches.append(match)
        guard matches.count - limit >= max(limit, 64) else { return }
        matches = sorted()
        threshold = matches[limit - 1].score
    }

    func sorted() -> [TextMatch] {
        let all = matches.sorted { $0.score > $1.score || ($0.score == $1.score && precedes($0, $1)) }
        return Array(all.prefix(limit))
    }
}
