import RoostModel
import RoostText
import RoostVectors

/// The first step of a search: it parses queries, corrects their spelling, and reads the vectors of entries.
struct QueryParser {
    let state: SearchState
    /// The model. A word of its vocabulary is never corrected.
    let embedder: any Embedder

    private static let entriesPerRead = 256

    // MARK: Without a store

    static func plans(for searches: [EntrySearch]) throws -> [QueryPlan] {
        try searches.map { search in
            guard search.minimumScore?.isNaN != true else {
                throw RoostError(.badInput, "cannot search: the minimum score is not a number")
            }
            switch search.subject {
            case .text(let text):
                return QueryPlan(search: search, text: try parse(text))
            case .document(let text):
                guard !text.allSatisfy(\.isWhitespace) else {
                    throw RoostError(.badInput, "cannot search for similar entries: the text is empty")
                }
                return QueryPlan(search: search, comparesWholeEntries: true)
            case .entries(let ids):
                guard !ids.isEmpty else {
                    throw RoostError(.badInput, "cannot search for similar entries: no entry is given")
                }
                return QueryPlan(search: search, excluded: Set(ids), comparesWholeEntries: true)
            case .vector(let vector):
                // Products are cosines, even if the caller's vector does not have unit length.
                guard VectorDefect(of: vector) != .isNotFinite else {
                    throw RoostError(
                        .badInput, "cannot search: the vector has a component that is not finite")
                }
                return QueryPlan(search: search, vector: normalized(vector))
            }
        }
    }

    private static func parse(_ text: String) throws -> TextQuery {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot search: the query is empty; enter words to search for")
        }
        let query = TextQuery(text)
        guard !query.isOnlyExclusion else {
            throw RoostError(
                .badInput,
                "cannot search: the query contains only excluded words; add words to search for")
        }
        return query
    }

    // MARK: With the state of a store

    /// Returns the plans with the words that the store contains, and with the vectors of entries.
    func completed(_ plans: [QueryPlan]) async throws -> [QueryPlan] {
        var plans = plans
        var rows: [EntryFilter: RowSet] = [:]
        for index in plans.indices {
            if let visible = plans[index].search.visible, !visible.matchesAll {
                if rows[visible] == nil {
                    rows[visible] = try await state.snapshot.rows(
                        matching: try await visible.expandingParentCluster(in: state.snapshot))
                }
                plans[index].visibleRows = rows[visible]
            }
            switch plans[index].search.subject {
            case .text:
                let plan = plans[index]
                guard let text = plan.text, plan.usesWords, let words = state.words else { continue }
                plans[index].text = try await words.resolved(
                    text, correctsSpelling: plan.comparesWords && !plan.search.usesExactWords,
                    among: plan.visibleRows, with: embedder)
            case .entries(let ids): plans[index].vector = try await meanVector(of: ids)
            case .vector(let vector):
                guard vector.count == embedder.space.dimension else {
                    throw RoostError(
                        .spaceMismatch,
                        "cannot search: the vector has \(vector.count) components, but the store's embedding "
                            + "space has \(embedder.space.dimension)")
                }
            case .document: break
            }
        }
        return plans
    }

    private func meanVector(of ids: [Entry.ID]) async throws -> [Float] {
        try embedder.space.requireSupportedDimension()
        var mean = [Float](repeating: 0, count: embedder.space.dimension)
        for part in ids.groups(of: Self.entriesPerRead) {
            let entries = try await state.snapshot.entries(part).byID
            for id in part {
                guard let entry = entries[id] else {
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
        return ids.count > 1 && length(of: mean) > 0 ? normalized(mean) : mean
    }
}

/// A search whose query has been parsed. The steps of a search add what they find out: corrections, then the
/// vector.
struct QueryPlan: Sendable {
    let search: EntrySearch
    /// The vector that entries are compared with; empty before it is computed, and if the model does not know
    /// any word of the query.
    var vector: [Float] = []
    /// The parsed query; `nil` for searches for documents, entries or vectors.
    var text: TextQuery?
    /// The rows of the entries that the caller may see; `nil` for all.
    var visibleRows: RowSet?
    var excluded: Set<Entry.ID> = []
    var omittedTokens = 0
    /// Whether the cosines of whole entries count, not only those of their passages.
    var comparesWholeEntries = false
    /// Whether the vectors are hashes of words, whose cosines are lower than those of a model.
    var comparesHashes = false

    var comparesWords: Bool { text != nil && search.mode != .vector }

    var usesWords: Bool { comparesWords || text?.isSelective == true }

    var usesVectors: Bool { text == nil || search.mode != .text && !vector.isEmpty }

    /// The number of hits up to the end of the result.
    func neededHits(of count: Int) -> Int {
        // The number of passages is unknown.
        let maximum = search.listsPassages ? Int(UInt32.max) : count
        let end = max(0, search.limit).addingReportingOverflow(max(0, search.offset))
        return end.overflow ? maximum : min(maximum, end.partialValue)
    }

    /// The minimum number of entries in each list of candidates whose order the lists do not determine.
    private static let minimumDepth = 200
    /// The number of candidates in addition to the hits, because some may just have been removed.
    private static let margin = 4

    func depth(of count: Int) -> Int {
        let needed = min(count, neededHits(of: count))
        let isOrdered = !comparesWords && !comparesWholeEntries
        return (isOrdered ? needed + Self.margin : max(Self.minimumDepth, 2 * needed)) + excluded.count
    }

    /// Whether a result without a close entry is noise. A text with a required phrase or word is an answer.
    var judgesNoise: Bool { search.mode == .hybrid && text?.requiresWords == false }

    var hasNoiseLevel: Bool { judgesNoise && !search.includesAll && search.minimumScore == nil }
}

/// The second step of a search: it embeds the texts of queries and documents.
struct QueryEmbedder {
    let embedder: any Embedder

    /// Returns the plans with the vectors of their texts. All queries are embedded together.
    func embedded(_ plans: [QueryPlan]) async throws -> [QueryPlan] {
        var plans = plans
        for index in plans.indices {
            guard case .document(let text) = plans[index].search.subject else { continue }
            var report = IngestReport()
            plans[index].vector = try await EntryEmbedder(embedder: embedder)
                .embed([Entry(content: text)], reusing: nil, &report)[0].embeddings
            plans[index].omittedTokens = report.omittedTokens
        }
        let queries = plans.indices.filter { plans[$0].text != nil }
        let texts = queries.map { plans[$0].text?.plainText ?? "" }
        let areRequired = queries.contains { plans[$0].search.mode != .text }
        guard !texts.isEmpty else { return plans }
        let embeddings: Embeddings
        do {
            embeddings = try await embedder.checkedEmbeddings(texts, as: .query)
        } catch let error where !areRequired && !(error is CancellationError) {
            return plans
        }
        for (row, index) in queries.enumerated() {
            plans[index].omittedTokens = embeddings.omittedTokens[row]
            plans[index].comparesHashes = embedder.space.pooling == "hashed n-grams"
            if plans[index].search.mode == .vector || embedder.understands(texts[row]) {
                plans[index].vector = embeddings.vectors.row(row)
            }
        }
        return plans
    }
}
