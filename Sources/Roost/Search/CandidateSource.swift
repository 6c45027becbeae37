import RoostFiles
import RoostIndexes
import RoostModel
import RoostText
import RoostVectors

/// The step that produces candidates: it searches the derived indexes for one planned query.
struct CandidateSource: Sendable {
    private let plan: QueryPlan
    private let vectors: SearchVectors
    private let words: TextContents?
    private let precomputed: PrecomputedHits?
    /// The scores by words of all entries; `nil` if words are not compared.
    let wordScores: WordScores?
    /// The rows of the entries that may be found; `nil` for all.
    let allowed: RowSet?
    /// The number of entries that match the search's filter.
    private let matchingCount: Int

    /// Creates the source for a query.
    ///
    /// - Parameters:
    ///   - words: The words of the store; `nil` if the plan has no words.
    ///   - allowed: The rows of the entries that may be found; `nil` for all.
    ///   - matchingCount: The number of entries that match the search's filter.
    ///   - depth: The length of the first lists; `nil` if no lists will be needed.
    ///   - precomputed: The nearest passages among the entries that match the search's filter, if they are
    ///     known. They are not used if the query requires or excludes words.
    /// - Throws: ``IndexFault`` if an index is corrupt.
    init(
        for plan: QueryPlan, in vectors: SearchVectors, _ words: TextContents?, allowed: RowSet?,
        of matchingCount: Int, depth: Int?, precomputed: PrecomputedHits?
    ) async throws {
        self.plan = plan
        self.vectors = vectors
        self.words = words
        self.allowed = allowed
        self.matchingCount = matchingCount
        let precomputed = plan.text?.isSelective == true ? nil : precomputed
        guard let text = plan.text, plan.comparesWords, let words else {
            (self.precomputed, wordScores) = (precomputed, nil)
            return
        }
        guard plan.usesVectors, precomputed == nil, let depth else {
            self.precomputed = precomputed
            wordScores = try await words.scores(for: text, counting: plan.countedRows)
            return
        }
        // Both searches use one core most of the time.
        async let nearest = Self.nearest(plan, depth: depth, in: vectors, among: allowed, of: matchingCount)
        wordScores = try await words.scores(for: text, counting: plan.countedRows)
        self.precomputed = try await nearest
    }

    /// Returns the best `depth` entries by vector and by words.
    ///
    /// - Throws: ``IndexFault`` if an index is corrupt.
    func lists(depth: Int) async throws -> CandidateLists {
        var lists = CandidateLists(depth: depth)
        if plan.usesVectors {
            var found = precomputed
            if found?.depth != depth {
                found = try await Self.nearest(
                    plan, depth: depth, in: vectors, among: allowed, of: matchingCount)
            }
            (lists.nearest, lists.databasePlan) = (found?.hits, found?.databasePlan)
        }
        guard let wordScores else {
            if plan.comparesWholeEntries, let nearest = lists.nearest {
                lists.vectors = try await contents(of: lists)
                try await addEntryCosines(of: nearest, to: &lists)
            }
            return lists
        }
        let worded = try await wordScores.best(depth, among: allowed)
        lists.worded = worded
        lists.vectors = try await contents(of: lists)
        if let nearest = lists.nearest { try await complete(&lists, nearest, worded, wordScores) }
        return lists
    }

    /// Returns the `depth` entries with the nearest passages.
    private static func nearest(
        _ plan: QueryPlan, depth: Int, in vectors: SearchVectors, among allowed: RowSet?,
        of matchingCount: Int
    ) async throws -> PrecomputedHits {
        switch vectors {
        case .client(let passages):
            let hits = try await nearest([plan], k: depth, among: allowed, in: passages)[0]
            return PrecomputedHits(depth: depth, hits: hits)
        case .database(let database):
            let found = try await database.nearest(
                to: plan.vector, k: depth, among: allowed, of: matchingCount,
                isFilterOnly: plan.text?.isSelective != true, isExact: plan.search.isExact)
            return PrecomputedHits(depth: depth, hits: found.hits, databasePlan: found.plan)
        }
    }

    /// The maximum number of entries of each list whose vectors are read from a database.
    private static let maximumLoadedEntries = 20_000

    /// Returns the vectors of the entries of the lists, if cosines are computed from them.
    private func contents(of lists: CandidateLists) async throws -> PassageContents {
        switch vectors {
        case .client(let passages): return passages
        case .database(let database):
            guard let nearest = lists.nearest else { return PassageContents() }
            let worded = lists.worded ?? []
            let rows = [nearest.map(\.entryRow), worded.map(\.entryRow)]
            return try await database.contents(
                ofRows: RowSet(rows.flatMap { $0.prefix(Self.maximumLoadedEntries) }))
        }
    }

    /// Adds the scores that each list lacks: those by words for the nearest entries, and the cosines for the
    /// entries that were found by words.
    @concurrent
    private func complete(
        _ lists: inout CandidateLists, _ nearest: [PassageContents.Hit], _ worded: [TextContents.Hit],
        _ wordScores: WordScores
    ) async throws {
        let passages = lists.vectors
        let known = Set(worded.map(\.entry))
        for hit in nearest where !known.contains(hit.entry) {
            lists.textScores[hit.entry] = wordScores.score(of: hit.entry, row: hit.entryRow)
        }
        let found = Set(nearest.map(\.entry))
        do {
            for hit in worded where !found.contains(hit.entry) {
                let match = try passages.match(hit.entry, row: hit.entryRow, for: plan.vector)
                lists.passages[hit.entry] = match?.passage
                lists.entryCosines[hit.entry] = match?.entryCosine
            }
        } catch let error as SectionFile.Unusable where passages.isMapped {
            throw IndexFault.corruptVectors(error.description)
        }
        try await addEntryCosines(of: nearest, to: &lists)
    }

    /// Adds the cosines of those nearest entries that have several passages.
    @concurrent
    private func addEntryCosines(
        of nearest: [PassageContents.Hit], to lists: inout CandidateLists
    ) async throws {
        let passages = lists.vectors
        do {
            for hit in nearest {
                let match = try passages.match(
                    hit.entry, row: hit.entryRow, for: plan.vector, ifSeveral: true)
                lists.entryCosines[hit.entry] = match?.entryCosine
            }
        } catch let error as SectionFile.Unusable where passages.isMapped {
            throw IndexFault.corruptVectors(error.description)
        }
    }

    /// Sets the projections of all entries of the lists; does nothing without a correction.
    ///
    /// - Throws: ``IndexFault`` if an index is corrupt.
    @concurrent
    func project(_ lists: inout CandidateLists, for correction: CosineCorrection?) async throws {
        guard let correction, correction.isEffective else { return }
        let rows =
            (lists.nearest ?? []).map { ($0.entry, $0.entryRow) }
            + (lists.worded ?? []).map { ($0.entry, $0.entryRow) }
        lists.projections = [:]
        for (entry, row) in rows where lists.projections[entry] == nil {
            lists.projections[entry] = try Self.vector(of: entry, row, in: lists.vectors)
                .flatMap(correction.projection)
        }
    }

    /// Returns the vectors of the best candidates with their evidence; empty if even the best one is no
    /// closer to the query than unrelated text, because feedback from unrelated text would worsen the
    /// ranking.
    ///
    /// - Parameters:
    ///   - ranking: The candidates, best first.
    ///   - lists: The lists with the candidates.
    /// - Throws: ``IndexFault`` if an index is corrupt.
    func feedback(
        of ranking: [Candidate], in lists: CandidateLists, _ relevance: Relevance
    ) throws -> [(vector: [Float], weight: Float)] {
        guard let best = ranking.first, relevance.score(best.evidence) >= Relevance.noiseLevel else {
            return []
        }
        return try ranking.prefix(CosineCorrection.count).compactMap { candidate in
            try Self.vector(of: candidate.id, candidate.row, in: lists.vectors)
                .map { ($0, max(0, candidate.evidence)) }
        }
    }

    private static func vector(
        of entry: Entry.ID, _ row: UInt32, in passages: PassageContents
    ) throws -> [Float]? {
        do {
            return try passages.vector(of: entry, row: row)
        } catch let error as SectionFile.Unusable where passages.isMapped {
            throw IndexFault.corruptVectors(error.description)
        }
    }

    /// Returns, for each plan, the `k` entries with the nearest passages.
    ///
    /// - Parameter plans: Plans with the same settings.
    /// - Throws: ``IndexFault`` if an index is corrupt.
    static func nearest(
        _ plans: [QueryPlan], k: Int, among allowed: RowSet?, in passages: PassageContents
    ) async throws -> [[PassageContents.Hit]] {
        guard let first = plans.first else { return [] }
        let queries = Matrix(plans.map(\.vector), columns: first.vector.count)
        do {
            return try await passages.search(queries, k: k, among: allowed, isExact: first.search.isExact)
        } catch let error as GraphIndex.Damaged {
            throw IndexFault.corruptGraph(error.description)
        } catch let error as SectionFile.Unusable where passages.isMapped {
            throw IndexFault.corruptVectors(error.description)
        }
    }
}
