import RoostModel
import RoostText
import RoostVectors

/// The step that turns searches into plans: it parses queries, embeds texts, and looks up entries.
struct QueryPlanner {
    let embedder: any Embedder
    let splitter: PassageSplitter
    let storage: any StorageProvider

    /// The number of entries whose vectors are read at once.
    private static let entriesPerRead = 256

    /// A query that has been parsed but not embedded yet.
    private struct ParsedQuery {
        var index: Int
        var words: TextQuery?
        /// The text without operators.
        var plain: String
    }

    /// Returns the plans of the given searches, in the same order. All queries are embedded together.
    ///
    /// - Parameter phrases: For each search, the words with a hyphen that are text (``ExclusionCheck``).
    /// - Throws: ``RoostError`` for the first search that is invalid; `EmbedderError`; `StorageError`.
    func plans(
        for searches: [EntrySearch], keepingAsText phrases: [Set<String>]
    ) async throws -> [QueryPlan] {
        for search in searches { try search.validate() }
        var queries: [ParsedQuery] = []
        for (index, search) in searches.enumerated() {
            guard case .text(let text) = search.subject else { continue }
            queries.append(
                try Self.parse(
                    text, phrases[index], search.mode, index,
                    name: searches.count > 1 ? "query \(index + 1)" : "query"))
        }
        var plans = [QueryPlan?](repeating: nil, count: searches.count)
        if !queries.isEmpty {
            let needVectors = queries.contains { searches[$0.index].needsVectors }
            let embeddings = try await embeddings(of: queries.map(\.plain), areRequired: needVectors)
            for (row, query) in queries.enumerated() {
                let isVector = searches[query.index].mode == .vector
                let isKnown = isVector || embedder.understands(query.plain)
                plans[query.index] = QueryPlan(
                    search: searches[query.index], vector: isKnown ? embeddings?.vectors.row(row) ?? [] : [],
                    text: query.words, omittedTokens: embeddings?.omittedTokens[row] ?? 0)
            }
        }
        for (index, search) in searches.enumerated() {
            switch search.subject {
            case .text: break
            case .document(let text): plans[index] = try await plan(search, document: text)
            case .entries(let ids): plans[index] = try await plan(search, entries: ids)
            case .vector(let vector): plans[index] = try plan(search, vector: vector)
            }
        }
        return plans.compactMap(\.self)
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

    private static func parse(
        _ text: String, _ phrases: Set<String>, _ mode: SearchMode, _ index: Int, name: String
    ) throws -> ParsedQuery {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot search: the \(name) is empty; enter words to search for")
        }
        let words =
            mode == .vector ? TextQuery(exclusionsIn: text) : TextQuery(text, keepingAsText: phrases)
        guard !words.isOnlyExclusion else {
            throw RoostError(
                .badInput,
                "cannot search: the \(name) contains only excluded words; add words to search for")
        }
        let isUsed = mode != .vector || words.isSelective
        return ParsedQuery(index: index, words: isUsed ? words : nil, plain: words.plainText)
    }

    private func plan(_ search: EntrySearch, document text: String) async throws -> QueryPlan {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot search for similar entries: the text is empty")
        }
        var report = IngestReport()
        let entry = try await EntryEmbedder(embedder: embedder, splitter: splitter)
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
        let snapshot = try await storage.snapshot()
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
