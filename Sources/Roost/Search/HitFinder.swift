import RoostModel
import RoostText

/// The hits of one search, which are found as they are needed: a request for more hits continues where the
/// previous one ended.
struct HitFinder {
    private let plan: QueryPlan
    private let source: CandidateSource
    private let order: CandidateRanking
    private let resolver: HitResolver
    /// The maximum useful length of the candidate lists.
    private let maximumDepth: Int

    /// The candidate lists of the current stage.
    private var lists: CandidateLists
    /// The candidates of the current stage that have not been resolved, best first.
    private var rest: ArraySlice<Candidate> = []
    /// The number of candidates of the current stage that have been resolved.
    private var resolved = 0
    /// The candidates of all stages so far, and the entries that are never hits.
    private var seen: Set<Entry.ID>
    private var assembly: HitAssembly

    /// How the database found the nearest passages of the longest list; `nil` if the client's index found
    /// them.
    var databasePlan: PassageSearchPlan? { lists.databasePlan }

    /// Finds the candidates of the first stage.
    ///
    /// - Parameters:
    ///   - relevance: The formula without feedback.
    ///   - passagesRevision: The revision up to which the passage index includes all changes.
    ///   - wordsRevision: The same for the word index; `nil` if words are not searched.
    /// - Throws: ``IndexFault`` if an index is corrupt; `StorageError`; `CancellationError`.
    init(
        _ plan: QueryPlan, from source: CandidateSource, _ relevance: Relevance,
        in snapshot: any StorageSnapshot, passagesRevision: Revision, wordsRevision: Revision?
    ) async throws {
        (self.plan, self.source) = (plan, source)
        maximumDepth = snapshot.stamp.entryCount + plan.excluded.count
        lists = try await source.lists(depth: plan.firstDepth(of: snapshot.stamp.entryCount))
        let relevance = try await Self.withFeedback(relevance, &lists, plan, source)
        order = CandidateRanking(plan, relevance)
        resolver = HitResolver(
            plan: plan, relevance: relevance, words: source.wordScores, snapshot: snapshot,
            passagesRevision: passagesRevision, wordsRevision: wordsRevision)
        assembly = HitAssembly(plan)
        seen = plan.excluded
        beginStage()
    }

    /// Returns the formula with the feedback of the best candidates, and sets the projections of the lists.
    private static func withFeedback(
        _ relevance: Relevance, _ lists: inout CandidateLists, _ plan: QueryPlan, _ source: CandidateSource
    ) async throws -> Relevance {
        guard relevance.correction != nil else { return relevance }
        let ranking = CandidateRanking(plan, relevance).ranking(of: lists)
        let best = try source.feedback(of: ranking, in: lists, relevance)
        guard !best.isEmpty else { return relevance }
        let result = relevance.addingFeedback(of: best)
        try await source.project(&lists, for: result.correction)
        return result
    }

    private mutating func beginStage() {
        resolved = 0
        rest = order.ranking(of: lists).filter { seen.insert($0.id).inserted }[...]
    }

    /// Returns the best hits: at least `needed`, unless there are fewer. The hits of earlier stages come
    /// first; the order of those of the present stage can change between calls.
    ///
    /// - Throws: ``IndexFault`` if an index is corrupt or disagrees with the storage; `StorageError`;
    ///   `CancellationError`.
    mutating func hits(_ needed: Int) async throws -> [QueryHit] {
        assembly.needed = needed
        while true {
            try Task.checkCancellation()
            while !rest.isEmpty, !assembly.isComplete {
                let part = rest.prefix(assembly.partSize(after: resolved))
                rest = rest.dropFirst(part.count)
                resolved += part.count
                try assembly.add(
                    try await resolver.hits(for: part.filter(plan.mayReachMinimumSimilarity)))
            }
            try assembly.select()
            if assembly.isComplete || lists.areComplete || plan.isExhausted(lists, order)
                || lists.depth >= maximumDepth
            {
                return assembly.hits
            }
            assembly.endStage()
            lists = try await source.lists(depth: min(lists.depth * QueryPlan.stageGrowth, maximumDepth))
            try await source.project(&lists, for: order.relevance.correction)
            beginStage()
        }
    }
}
