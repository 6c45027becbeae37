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
    /// Whether every vector is compared. Otherwise large stores are searched by a graph, where they have one,
    /// which finds nearly all of what is nearest.
    public var isExact = false

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

    /// Whether something was found that the storage does not have, or has with another vector, though it has
    /// not been changed since.
    private static func isContradicted(
        _ hits: [PassageCatalog.Hit], _ contents: PassageCatalog.Contents, _ entries: [Entry.ID: Entry],
        _ vector: [Float], _ snapshot: any StorageSnapshot
    ) async throws -> Bool {
        let norm = length(of: vector)
        let doubtful = hits.filter { found in
            guard let entry = entries[found.entry], let best = hit(entry, vector) else { return true }
            // Sums differ by rounding, in proportion to what is summed up.
            let tolerance = 1e-3 * norm * length(of: best.passage.vector) + 1e-6
            return abs(best.score - found.score) > tolerance
        }
        guard !doubtful.isEmpty else { return false }
        let revisions = try await snapshot.revisions(of: doubtful.map(\.entry))
        return doubtful.contains { found in revisions[found.entry].map { $0 <= contents.revision } ?? true }
    }

    /// An entry with the passage of it that is nearest to a vector; of equally near ones the first.
    private static func hit(_ entry: Entry, _ vector: [Float]) -> QueryHit? {
        var best: QueryHit?
        for passage in entry.searchablePassages where passage.vector.count == vector.count {
            let score = innerProduct(passage.vector, vector)
            if best.map({ score > $0.score }) ?? true {
                best = QueryHit(entry: entry, score: score, passage: passage)
            }
        }
        return best
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
        wider.limit = options.limit == .max ? .max : max(0, options.limit) + 1
        var result = try await search(entry.embeddings, wider)
        result.hits = Array(result.hits.filter { $0.entry.id != id }.prefix(max(0, options.limit)))
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
            let limit = max(0, options.limit)
            let reach = limit < 1 << 20 ? limit + min(limit, 4) : limit
            let hits = try await contents.search(vector, k: reach, among: rows, isExact: options.isExact)
            let entries = try await snapshot.entries(hits.map(\.entry))
            let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
            // The index finds; what is said is of the storage.
            var found = entries.compactMap { Self.hit($0, vector) }
            guard try await !Self.isContradicted(hits, contents, byID, vector, snapshot) else {
                // An entry may have gone in between; an index that says what the storage does not may not be
                // used at all.
                if attempt == 1, contents.isMapped { try await catalog.distrustIndex() }
                if attempt < 4 { continue }
                throw StorageError(
                    .damaged,
                    "entries have vectors but are not found by their ids, or have others; "
                        + "`roost doctor` tells more")
            }
            found.sort { ($1.score, $0.entry.id.uuidString) < ($0.score, $1.entry.id.uuidString) }
            found = found.prefix(limit).filter { $0.score >= options.minimumScore ?? -.infinity }
            return QueryResult(
                hits: found, stamp: snapshot.stamp,
                candidateCount: rows?.count ?? snapshot.stamp.entryCount,
                notices: [contents.notice].compactMap(\.self))
        }
        preconditionFailure("the last attempt returns")
    }
}
