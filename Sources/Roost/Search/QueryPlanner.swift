import RoostModel
import RoostText
import RoostVectors

/// The step that turns searches into plans: it parses queries, corrects their spelling, embeds texts, and
/// looks up entries.
struct QueryPlanner {
    private let store: KnowledgeStore
    private var embedder: any Embedder { store.embedder }

    /// The number of entries whose vectors are read at once.
    private static let entriesPerRead = 256

    init(_ store: KnowledgeStore) { self.store = store }

    /// Returns the plans of the given searches, in the same order. All queries are embedded together.
    ///
    /// - Throws: ``RoostError`` for the first search that is invalid; `EmbedderError`; `StorageError`.
    func plans(for searches: [EntrySearch]) async throws -> [QueryPlan] {
        var plans = [QueryPlan?](repeating: nil, count: searches.count)
        for (index, search) in searches.enumerated() {
            try search.validate()
            switch search.subject {
            case .text(let text):
                let name = searches.count > 1 ? "query \(index + 1)" : "query"
                plans[index] = QueryPlan(search: search, vector: [], text: try Self.parse(text, name: name))
            case .document(let text): plans[index] = try await plan(search, document: text)
            case .entries(let ids): plans[index] = try await plan(search, entries: ids)
            case .vector(let vector): plans[index] = try plan(search, vector: vector)
            }
        }
        var all = plans.compactMap(\.self)
        try await resolve(&all)
        try await embed(&all)
        return all
    }

    /// Looks up and corrects the words of queries in the index of words.
    private func resolve(_ plans: inout [QueryPlan]) async throws {
        guard plans.contains(where: \.usesWords) else { return }
        let contents = try await store.wordCatalog.current()
        var rows: [EntryFilter: RowSet] = [:]
        for index in plans.indices {
            guard let text = plans[index].text, plans[index].usesWords else { continue }
            let search = plans[index].search
            if let visible = search.visible, !visible.matchesAll {
                if rows[visible] == nil {
                    let snapshot = try await store.storage.snapshot()
                    rows[visible] = try await snapshot.rows(
                        matching: try await visible.expandingParentCluster(in: snapshot))
                }
                plans[index].visibleRows = rows[visible]
            }
            plans[index].text = try await contents.resolved(
                text, correctsSpelling: plans[index].comparesWords && !search.usesExactWords,
                among: plans[index].visibleRows, with: embedder)
        }
    }

    /// Embeds the texts of queries.
    private func embed(_ plans: inout [QueryPlan]) async throws {
        let queries = plans.indices.filter { plans[$0].text != nil }
        guard !queries.isEmpty else { return }
        let texts = queries.map { plans[$0].text?.plainText ?? "" }
        let areRequired = queries.contains { plans[$0].search.needsVectors }
        guard let embeddings = try await embeddings(of: texts, areRequired: areRequired) else { return }
        for (row, index) in queries.enumerated() {
            plans[index].omittedTokens = embeddings.omittedTokens[row]
            if plans[index].search.mode == .vector || embedder.understands(texts[row]) {
                plans[index].vector = embeddings.vectors.row(row)
            }
        }
    }

    /// Returns the embeddings of queries; `nil` if the model cannot embed them and they are not required.
    private func embeddings(of texts: [String], areRequired: Bool) async throws -> Embeddings? {
        do {
            return try await embedder.checkedEmbeddings(texts, as: .query)
        } catch {
            guard !areRequired, !(error is CancellationError) else { throw error }
            return nil
        }
    }

    private static func parse(_ text: String, name: String) throws -> TextQuery {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot search: the \(name) is empty; enter words to search for")
        }
        let query = TextQuery(text)
        guard !query.isOnlyExclusion else {
            throw RoostError(
                .badInput,
                "cannot search: the \(name) contains only excluded words; add words to search for")
        }
        return query
    }

    private func plan(_ search: EntrySearch, document text: String) async throws -> QueryPlan {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot search for similar entries: the text is empty")
        }
        var report = IngestReport()
        let entry = try await EntryEmbedder(embedder: embedder, splitter: store.splitter)
            .embed([Entry(content: text)], reusing: nil, &report)[0]
        var plan = try plan(search, vector: entry.embeddings)
        plan.comparesWholeEntries = true
        plan.omittedTokens = report.omittedTokens
        return plan
    }

    private func plan(_ search: EntrySearch, entries ids: [Entry.ID]) async throws -> QueryPlan {
        guard !ids.isEmpty else {
            throw RoostError(.badInput, "cannot search for similar entries: no entry is given")
        }
        try embedder.space.requireSupportedDimension()
        let snapshot = try await store.storage.snapshot()
        var mean = [Float](repeating: 0, count: embedder.space.dimension)
        for start in stride(from: 0, to: ids.count, by: Self.entriesPerRead) {
            let part = ids[start..<min(ids.count, start + Self.entriesPerRead)]
            let entries = try await snapshot.entries(Array(part))
            let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
            for id in part {
                guard let entry = byID[id] else {
                    throw RoostError(
                        .notFound, "cannot search for similar entries: no entry has the id \(id.text)")
                }
                guard entry.embeddings.count == mean.count else {
                    throw RoostError(
                        .notFound,
                        "cannot search for similar entries: entry \(id.text) has no vector of this embedding "
                            + "space")
                }
                for index in mean.indices { mean[index] += entry.embeddings[index] }
            }
        }
        let norm = length(of: mean)
        if norm > 0, ids.count > 1 { for index in mean.indices { mean[index] /= norm } }
        return QueryPlan(
            search: search, vector: mean, text: nil, excluded: Set(ids), comparesWholeEntries: true)
    }

    private func plan(_ search: EntrySearch, vector: [Float]) throws -> QueryPlan {
        guard vector.count == embedder.space.dimension else {
            throw RoostError(
                .spaceMismatch,
                "cannot search: the vector has \(vector.count) components, but the store's embedding space "
                    + "has \(embedder.space.dimension)")
        }
        // Scores are cosines, even if the caller's vector does not have unit length.
        guard VectorDefect(of: vector) != .isNotFinite else {
            throw RoostError(.badInput, "cannot search: the vector has a component that is not finite")
        }
        return QueryPlan(search: search, vector: normalized(vector), text: nil)
    }
}
