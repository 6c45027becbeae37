import RoostModel

/// The step that orders the candidates of both lists by their evidence (``Relevance``).
struct CandidateRanking: Sendable {
    let relevance: Relevance
    let vectorWeight: Float
    let textWeight: Float

    /// The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009).
    private static let fusionConstant: Float = 60

    init(_ plan: QueryPlan, _ relevance: Relevance) {
        self.relevance = relevance
        vectorWeight = plan.search.vectorWeight
        textWeight = plan.search.textWeight
    }

    /// Returns the candidates of both lists without repetition, best first. If candidates are equally good,
    /// the one with the lower id comes first.
    func ranking(of lists: CandidateLists) -> [Candidate] {
        var candidates: [Entry.ID: Candidate] = [:]
        for (index, hit) in (lists.nearest ?? []).enumerated() {
            var candidate = Candidate(
                id: hit.entry, row: hit.entryRow, vectorRank: index + 1, passage: hit)
            candidate.fused = vectorWeight / (Self.fusionConstant + Float(index + 1))
            candidates[hit.entry] = candidate
        }
        for (index, hit) in (lists.worded ?? []).enumerated() {
            var candidate = candidates[hit.entry] ?? Candidate(id: hit.entry, row: hit.entryRow)
            candidate.textRank = index + 1
            candidate.textScore = hit.score
            candidate.fused += textWeight / (Self.fusionConstant + Float(index + 1))
            candidates[hit.entry] = candidate
        }
        return candidates.values.map { candidate in
            var candidate = candidate
            if candidate.textScore == nil { candidate.textScore = lists.textScores[candidate.id] }
            if candidate.passage == nil { candidate.passage = lists.passages[candidate.id] }
            candidate.entryCosine = lists.entryCosines[candidate.id]
            candidate.evidence =
                relevance.evidence(
                    passage: candidate.passage?.score, entry: candidate.entryCosine,
                    lists.projections[candidate.id],
                    words: candidate.textScore ?? 0
                ).total
            return candidate
        }.sorted { ($1.evidence, $0.id) < ($0.evidence, $1.id) }
    }

    /// Returns an estimate of the maximum evidence for the entries that are in neither list. It assumes that
    /// their cosines are corrected by at most as much as those of the listed entries.
    func bound(of lists: CandidateLists) -> Float {
        let passage = lists.nearest.flatMap { $0.count < lists.depth ? nil : $0.last?.score }
        let words = lists.worded.flatMap { $0.count < lists.depth ? nil : $0.last?.score }
        let projection = lists.projections.values.max()
        return relevance.evidence(passage: passage, entry: passage, projection, words: words ?? 0).total
    }
}
