public import Foundation
public import RoostModel
import RoostVectors

/// An entry that was found.
public struct QueryHit: Sendable, Hashable {
    public var entry: Entry
    /// The cosine of the query with the best passage.
    public var score: Float
    /// The passage that is nearest to the query.
    public var passage: Passage
}

/// What a query found.
public struct QueryResult: Sendable {
    /// Best first; of equal scores the lower id first.
    public var hits: [QueryHit]
    /// The state of the store that was searched.
    public var stamp: Stamp
    /// How many entries met the filter; of a search without a filter all.
    public var candidateCount: Int
    /// How many tokens of the query's text were left out because the model's limit was reached.
    public var omittedTokens = 0
    /// What people should know of how it was found: a damaged index that was left out, say.
    public var notices: [String] = []
}

/// How to search.
public struct QueryOptions: Sendable, Hashable {
    /// The most hits.
    public var limit = 10
    /// Hits with a lower cosine are left out.
    public var minimumScore: Float?
    /// Applied before the cut.
    public var filter = EntryFilter.all

    public init(limit: Int = 10, minimumScore: Float? = nil, filter: EntryFilter = .all) {
        self.limit = limit
        self.minimumScore = minimumScore
        self.filter = filter
    }
}

extension KnowledgeStore {
    /// The entries nearest to a text.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; ``StorageError``; ``EmbedderError``.
    public func query(_ text: String, _ options: QueryOptions = QueryOptions()) async throws -> QueryResult {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "the query is empty; give some words to look for")
        }
        // The vectors are had while the text is embedded; what goes wrong with them is told by the search.
        async let prepared: Void = prepareSearch()
        var embeddings = try await embedder.embed([text], as: .query)
        await prepared
        if !embedder.space.isNormalized { embeddings.vectors.normalizeRows() }
        var result = try await search(embeddings.vectors.row(0), options)
        result.omittedTokens = embeddings.omittedTokens[0]
        return result
    }

    private func prepareSearch() async { _ = try? await catalog.current() }

    /// The entries nearest to an entry, without itself.
    ///
    /// - Throws: ``RoostError`` with `.notFound`.
    public func similar(to id: Entry.ID, _ options: QueryOptions = QueryOptions()) async throws -> QueryResult
    {
        guard let entry = try await storage.snapshot().entries([id]).first else {
            throw RoostError(.notFound, "there is no entry \(id.uuidString.lowercased())")
        }
        guard !entry.embeddings.isEmpty else {
            throw RoostError(.notFound, "entry \(id.uuidString.lowercased()) has no embeddings to compare")
        }
        var wider = options
        wider.limit = options.limit == .max ? .max : options.limit + 1
        var result = try await search(entry.embeddings, wider)
        result.hits = Array(result.hits.filter { $0.entry.id != id }.prefix(options.limit))
        return result
    }

    /// The entries nearest to a vector of the store's space.
    ///
    /// - Throws: ``RoostError`` with `.spaceMismatch`; ``StorageError``.
    public func search(_ vector: [Float], _ options: QueryOptions) async throws -> QueryResult {
        guard vector.count == embedder.space.dimension else {
            throw RoostError(
                .spaceMismatch,
                "a vector of \(vector.count) numbers cannot be compared in a space of "
                    + "\(embedder.space.dimension)")
        }
        // An entry that goes between the search and the look at it is looked for again.
        for attempt in 0... {
            let contents = try await catalog.current()
            let snapshot = try await storage.snapshot()
            let rows = options.filter.matchesAll ? nil : try await snapshot.rows(matching: options.filter)
            // A few more than are wanted: where rows lie decides over the last bits of their scores, which
            // must not decide over the answer.
            let reach = options.limit < 1 << 20 ? options.limit + min(options.limit, 4) : options.limit
            let hits = try await contents.search(vector, k: reach, among: rows)
            let entries = try await snapshot.entries(hits.map(\.entry))
            guard entries.count == hits.count else {
                if attempt < 3 { continue }
                throw StorageError(
                    .damaged,
                    "\(hits.count - entries.count) entries have vectors but are not found by their ids; "
                        + "`roost doctor` tells more")
            }
            let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
            var found = hits.compactMap { hit -> QueryHit? in
                guard let entry = byID[hit.entry] else { return nil }
                let passages = entry.searchablePassages
                guard hit.ordinal < passages.count else { return nil }
                let passage = passages[hit.ordinal]
                // The index finds; what is said is of the storage.
                guard passage.vector.count == vector.count else { return nil }
                let score = innerProduct(passage.vector, vector)
                return QueryHit(entry: entry, score: score, passage: passage)
            }
            found.sort { ($1.score, $0.entry.id.uuidString) < ($0.score, $1.entry.id.uuidString) }
            found = found.prefix(options.limit).filter { $0.score >= options.minimumScore ?? -.infinity }
            return QueryResult(
                hits: found, stamp: snapshot.stamp,
                candidateCount: rows?.count ?? snapshot.stamp.entryCount,
                notices: [contents.notice].compactMap(\.self))
        }
        preconditionFailure("the last attempt returns")
    }
}
