import RoostModel
import RoostText
import RoostVectors

/// The step that finds candidates: it searches the derived indexes for one planned query.
struct CandidateSource: Sendable {
    let plan: QueryPlan
    let vectors: SearchVectors
    /// The scores by words of all entries; `nil` if words are not compared.
    let words: WordScores?
    /// The rows of the entries that may be found; `nil` for all.
    let allowed: RowSet?

    /// Returns the union of the nearest entries and the best entries by words, and how the database found the
    /// nearest passages; `nil` if the client's index found them.
    @concurrent
    func candidates(
        depth: Int, nearest known: [PassageContents.Hit]?
    ) async throws -> (candidates: [Candidate], databasePlan: PassageSearchPlan?) {
        var nearest = DatabaseVectors.Nearest(hits: known ?? [])
        if plan.usesVectors, known == nil { nearest = try await self.nearest(depth) }
        let worded = try await words?.best(depth, among: allowed) ?? []
        var candidates: [Entry.ID: Candidate] = [:]
        for hit in nearest.hits {
            candidates[hit.entry] = Candidate(id: hit.entry, row: hit.entryRow, passage: hit)
        }
        for found in worded where candidates[found.id] == nil { candidates[found.id] = found }
        var all = Array(candidates.values)
        if let words { for index in all.indices { words.complete(&all[index]) } }
        if plan.usesVectors, words != nil || plan.comparesWholeEntries { try await addCosines(to: &all) }
        return (all, nearest.plan)
    }

    private func nearest(_ depth: Int) async throws -> DatabaseVectors.Nearest {
        switch vectors.source {
        case .client(let passages):
            let hits = try await Self.nearest([plan], k: depth, among: allowed, in: passages)[0]
            return DatabaseVectors.Nearest(hits: hits)
        case .database(let database):
            return try await database.nearest(
                to: plan.vector, k: depth, among: allowed, isFilterOnly: plan.text?.isSelective != true,
                isExact: plan.search.isExact)
        }
    }

    /// The maximum number of entries whose vectors are read from a database.
    private static let maximumLoadedEntries = 40_000

    /// Adds the cosines that the lists lack: those of whole entries, and those of entries that were found by
    /// words.
    private func addCosines(to candidates: inout [Candidate]) async throws {
        let passages: PassageContents
        switch vectors.source {
        case .client(let index): passages = index
        case .database(let database):
            let rows = candidates.prefix(Self.maximumLoadedEntries).map(\.row)
            passages = try await database.contents(ofRows: RowSet(rows))
        }
        for index in candidates.indices {
            let candidate = candidates[index]
            guard let match = try passages.match(candidate.id, row: candidate.row, for: plan.vector)
            else { continue }
            candidates[index].passage = candidate.passage ?? match.passage
            candidates[index].entryCosine = match.entryCosine
            candidates[index].vector = match.vector
        }
    }

    static func nearest(
        _ plans: [QueryPlan], k: Int, among allowed: RowSet?, in passages: PassageContents
    ) async throws -> [[PassageContents.Hit]] {
        guard let first = plans.first else { return [] }
        let queries = Matrix(plans.map(\.vector), columns: first.vector.count)
        return try await passages.search(queries, k: k, among: allowed, isExact: first.search.isExact)
    }
}

/// An entry that is among the nearest or among the best by words, according to the indexes.
struct Candidate: Sendable {
    var id: Entry.ID
    /// The storage's row of the entry.
    var row: UInt32
    /// The nearest passage, if vectors are searched and the index contains the entry.
    var passage: PassageContents.Hit?
    /// The cosine of the whole entry, if it has several passages and vectors are searched.
    var entryCosine: Float?
    /// The vector of the passage; empty if vectors and words are not combined.
    var vector: [Float] = []
    /// The number to subtract from the cosines, because the passage is near to many others (`HubSample`).
    var correction: Float = 0
    /// The document in the index of words, if words are compared.
    var document: (part: Int, document: Int)?
    /// The score by words; 0 if the entry contains none of them.
    var wordScore: Float = 0
    /// Whether the title of the entry is the query.
    var isTitled = false
    var evidence = Relevance.Evidence(meaning: 0, words: 0)
}
