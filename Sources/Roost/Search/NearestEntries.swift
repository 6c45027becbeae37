import RoostModel
import RoostVectors

/// The best passage of each entry among the nearest passages.
struct NearestEntries {
    private(set) var hits: [PassageContents.Hit]
    /// Whether the passages include the `k` nearest entries and all entries at the distance of the last of
    /// them.
    let isComplete: Bool

    /// - Parameters:
    ///   - passages: The passages, nearest first.
    ///   - allowed: The rows of the entries that may be found; `nil` for all.
    init(_ passages: [NearestPassage], k: Int, among allowed: RowSet? = nil) {
        var best: [Entry.ID: PassageContents.Hit] = [:]
        var scores: [Float] = []
        for passage in passages where allowed?.contains(passage.row) != false {
            let hit = PassageContents.Hit(
                entry: passage.entry, entryRow: passage.row, ordinal: passage.ordinal, score: passage.score)
            if let other = best[hit.entry] {
                // If several passages of an entry are equally near, the first of them is the hit.
                if other.score == hit.score, hit.ordinal < other.ordinal { best[hit.entry] = hit }
            } else {
                best[hit.entry] = hit
                scores.append(hit.score)
            }
        }
        isComplete = scores.count >= k && (passages.last?.score ?? 0) < scores[k - 1]
        hits = best.values.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }
        hits.removeLast(max(0, hits.count - k))
    }
}
