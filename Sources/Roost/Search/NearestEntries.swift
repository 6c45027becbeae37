import RoostModel

/// The best passage of each entry among the nearest passages.
struct NearestEntries {
    /// The passages, in any order.
    let hits: [PassageContents.Hit]
    /// Whether the passages include the `k` nearest entries and all entries at the distance of the last of
    /// them.
    let isComplete: Bool

    /// - Parameters:
    ///   - passages: The passages that may be found, nearest first.
    ///   - lastScore: The score of the last of the nearest passages, even if it may not be found.
    init(_ passages: some Sequence<PassageContents.Hit>, k: Int, lastScore: Float?) {
        var best: [Entry.ID: PassageContents.Hit] = [:]
        var scores: [Float] = []
        for hit in passages {
            if let other = best[hit.entry] {
                // If several passages of an entry are equally near, the first of them is the hit.
                if other.score == hit.score, hit.ordinal < other.ordinal { best[hit.entry] = hit }
            } else {
                best[hit.entry] = hit
                scores.append(hit.score)
            }
        }
        isComplete = scores.count >= k && (lastScore ?? 0) < scores[k - 1]
        hits = Array(best.values)
    }
}
