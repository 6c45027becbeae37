import RoostModel

/// The step that assembles the result from resolved hits: it applies the minimum score, folds near-duplicates
/// and diversifies.
struct HitAssembly {
    /// The number of hits that the result needs, before the offset is applied.
    var needed = 0
    private let minimumSimilarity: Float
    private let minimumScore: Float
    /// Whether hits without evidence are omitted.
    private let endsWithoutEvidence: Bool
    /// The number of hits with evidence that have been added, including folded ones.
    private var hitsWithEvidence = 0
    private let duplicateThreshold: Float?
    private let diversifier: Diversifier?

    /// The hits that have been added. If there is a diversifier, only those that it has not selected yet.
    private var pool: [QueryHit] = []
    /// The number of hits in the pool that earlier stages have added.
    private var earlier = 0
    /// The lowest evidence and score among the hits of earlier stages, and the lowest evidence relative to
    /// that of an exact match.
    private var (evidenceLimit, scoreLimit) = (Float.infinity, Float.infinity)
    private var relativeLimit = Float.infinity
    /// The hits that the diversifier has selected.
    private var selected: [QueryHit] = []

    init(_ plan: QueryPlan) {
        minimumSimilarity = plan.search.minimumSimilarity ?? -.infinity
        duplicateThreshold = plan.search.duplicateThreshold
        minimumScore = plan.search.minimumScore ?? -.infinity
        endsWithoutEvidence = plan.hasNoiseLevel
        diversifier = (plan.search.diversity).flatMap { $0 > 0 ? Diversifier(weight: $0) : nil }
    }

    /// The hits of the result so far, best first.
    var hits: [QueryHit] { diversifier == nil ? pool : selected }

    /// Whether the result has all the hits that it needs.
    var isComplete: Bool { hits.count >= needed }

    /// Returns the number of candidates to resolve at once. A diversifier needs all candidates of a stage,
    /// because it compares them with each other. Without a diversifier, only the candidates that the result
    /// may need are resolved.
    ///
    /// - Parameter resolved: The number of candidates of the stage that have been resolved. If fewer hits
    ///   were needed then, the next part ends where it would if all hits had been requested at once.
    func partSize(after resolved: Int) -> Int {
        guard diversifier == nil else { return .max }
        let size = max(1, QueryPlan.withMargin(needed))
        return size - resolved % size
    }

    /// Adds hits of the current stage. A near-duplicate of an earlier hit is added to that hit's duplicates.
    ///
    /// - Throws: `CancellationError`.
    mutating func add(_ hits: [QueryHit]) throws {
        var duplicates = duplicateThreshold.map(NearDuplicates.init(threshold:))
        for hit in selected + pool { duplicates?.add(hit.entry) }
        let hits = hits.filter { $0.similarity >= minimumSimilarity }
        for start in stride(from: 0, to: hits.count, by: NearDuplicates.block) {
            let block = hits[start..<min(hits.count, start + NearDuplicates.block)]
            let comparison = duplicates?.compare(block.map(\.entry))
            for (index, hit) in block.enumerated() {
                try Task.checkCancellation()
                guard let hit = accepted(hit) else { continue }
                let first = comparison.flatMap { duplicates?.first(of: hit.entry, at: index, in: $0) }
                if let first {
                    fold(hit, into: first)
                } else {
                    pool.append(hit)
                    duplicates?.add(hit.entry)
                }
            }
        }
        // Candidates are ordered by evidence from the indexes, but the result by evidence from the storage.
        pool[earlier...].sort {
            ($1.unlimitedEvidence, $0.entry.id) < ($0.unlimitedEvidence, $1.entry.id)
        }
    }

    /// Returns a hit with its evidence and score limited to those of earlier stages; `nil` if the result
    /// omits the hit.
    private mutating func accepted(_ hit: QueryHit) -> QueryHit? {
        if hit.evidence > 0 { hitsWithEvidence += 1 }
        guard pool.count < SearchRun.nearestCount || hasEvidence(hit) else { return nil }
        var hit = hit
        // Hits of a later stage follow those of an earlier one, so that consecutive pages neither repeat nor
        // omit a hit.
        hit.unlimitedEvidence = hit.evidence
        hit.evidence = min(hit.evidence, evidenceLimit)
        hit.relativeEvidence = min(hit.relativeEvidence, relativeLimit)
        if hit.score > scoreLimit {
            hit.explanation = hit.explanation.scaled(by: scoreLimit / hit.score)
            hit.score = scoreLimit
        }
        return hit.score >= minimumScore ? hit : nil
    }

    /// Returns whether a hit is more than noise.
    ///
    /// A text that contains all words of the query is an answer even if its evidence is not above 0, as with
    /// words that every text contains.
    private func hasEvidence(_ hit: QueryHit) -> Bool {
        guard endsWithoutEvidence, !hit.hasAllWords, hit.evidence <= 0 else { return true }
        return hitsWithEvidence >= Relevance.longList && hit.evidence >= Relevance.minimumEvidence
    }

    /// Lets the diversifier select from the hits that have been added. Hits with a score of 0 follow all
    /// others: most of them differ from the hits before them because they do not answer the query.
    ///
    /// - Throws: `CancellationError`.
    mutating func select() throws {
        guard let diversifier else { return }
        for isRelevant in [true, false] where selected.count < needed {
            selected += try diversifier.select(
                from: pool.filter { ($0.evidence > 0) == isRelevant }, after: selected,
                count: needed - selected.count)
        }
        let taken = Set(selected.map(\.entry.id))
        earlier -= pool[..<earlier].count { taken.contains($0.entry.id) }
        pool.removeAll { taken.contains($0.entry.id) }
    }

    /// Ends a stage. The hits that are added later follow those that have been added.
    mutating func endStage() {
        for hit in pool + selected {
            evidenceLimit = min(evidenceLimit, hit.evidence)
            scoreLimit = min(scoreLimit, hit.score)
            relativeLimit = min(relativeLimit, hit.relativeEvidence)
        }
        earlier = pool.count
    }

    /// Adds a hit to the duplicates of an earlier one.
    ///
    /// - Parameter index: The index of the earlier hit among those that have been selected, followed by those
    ///   of the pool.
    private mutating func fold(_ hit: QueryHit, into index: Int) {
        if index < selected.count {
            selected[index].duplicates.append(hit.entry.id)
        } else {
            pool[index - selected.count].duplicates.append(hit.entry.id)
        }
    }
}
