import RoostModel

/// An entry that is in one or both candidate lists.
struct Candidate: Sendable {
    var id: Entry.ID
    /// The sum of `weight / (60 + rank)` over the lists that contain the entry.
    var fused: Float = 0
    /// The rank among the nearest vectors, from 1.
    var vectorRank: Int?
    /// The nearest passage, if vectors found the entry.
    var passage: PassageContents.Hit?
    /// The rank among the best entries by words, from 1.
    var textRank: Int?
    /// The BM25 score, if words found the entry.
    var textScore: Float?
}

/// The step that merges the candidate lists into one ranking (reciprocal rank fusion, Cormack, Clarke and
/// Buettcher 2009).
struct RankFusion: Sendable {
    let vectorWeight: Float
    let textWeight: Float
    /// Whether candidates are ordered by cosine similarity instead of fused rank. This is the case if only
    /// vectors are searched.
    let ordersByScore: Bool

    /// The constant from the paper on reciprocal rank fusion. It gives the first ranks of a list almost equal
    /// weight.
    private static let constant: Float = 60

    init(_ plan: QueryPlan) {
        vectorWeight = plan.search.vectorWeight
        textWeight = plan.search.textWeight
        ordersByScore = plan.text == nil
    }

    /// Returns the candidates of both lists without repetition, best first. If candidates are equally good,
    /// the one with the lower id comes first.
    func ranking(of lists: CandidateLists) -> [Candidate] {
        var candidates: [Entry.ID: Candidate] = [:]
        for (index, hit) in (lists.nearest ?? []).enumerated() {
            let rank = index + 1
            var candidate = Candidate(id: hit.entry, vectorRank: rank, passage: hit)
            candidate.fused = vectorWeight / (Self.constant + Float(rank))
            candidates[hit.entry] = candidate
        }
        for (index, hit) in (lists.worded ?? []).enumerated() {
            let rank = index + 1
            var candidate = candidates[hit.entry] ?? Candidate(id: hit.entry)
            candidate.textRank = rank
            candidate.textScore = hit.score
            candidate.fused += textWeight / (Self.constant + Float(rank))
            candidates[hit.entry] = candidate
        }
        return candidates.values.sorted { first, second in
            if ordersByScore, let a = first.passage?.score, let b = second.passage?.score, a != b {
                return a > b
            }
            return (second.fused, first.id) < (first.fused, second.id)
        }
    }
}
