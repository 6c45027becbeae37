public import Foundation
public import RoostModel
import RoostText
import RoostVectors

extension KnowledgeStore {
    /// The entries that answer a text best: by meaning and by words.
    ///
    /// Some signs count (see ``TextQuery``), but for ``SearchMode/vector``: `"some words"` must occur,
    /// `-word`
    /// must not, `begin*` is the beginning of a word.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; ``StorageError``; ``EmbedderError``.
    public func query(_ text: String, _ options: QueryOptions = QueryOptions()) async throws -> QueryResult {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "the query is empty; give some words to look for")
        }
        try options.validate()
        let words = options.mode == .vector ? nil : TextQuery(text)
        let plain = words?.plainText ?? text
        guard !plain.allSatisfy(\.isWhitespace) else {
            throw RoostError(
                .badInput, "the query says only what to leave out; give some words to look for as well")
        }
        // What is searched is had while the text is embedded; what goes wrong with it is told by the search.
        async let prepared: Void = prepareSearch(words)
        var embeddings = try await embedder.embed([plain], as: .query)
        await prepared
        if !embedder.space.isNormalized { embeddings.vectors.normalizeRows() }
        var result = try await find(embeddings.vectors.row(0), words, options)
        result.omittedTokens = embeddings.omittedTokens[0]
        return result
    }

    private func prepareSearch(_ words: TextQuery?) async {
        async let passages = try? catalog.current()
        if words != nil { _ = try? await wordCatalog.current() }
        _ = await passages
    }

    /// The entries nearest to an entry, without itself.
    ///
    /// - Throws: ``RoostError`` with `.notFound`.
    public func similar(to id: Entry.ID, _ options: QueryOptions = QueryOptions()) async throws -> QueryResult
    {
        try await similar(to: [id], options)
    }

    /// The entries nearest to the mean of some entries, without those.
    ///
    /// - Throws: ``RoostError`` with `.notFound` where one is not there or has no embeddings, with
    ///   `.badInput`
    ///   where none is given.
    public func similar(
        to ids: [Entry.ID], _ options: QueryOptions = QueryOptions()
    ) async throws -> QueryResult {
        guard !ids.isEmpty else { throw RoostError(.badInput, "no entry is given to compare others with") }
        let entries = try await storage.snapshot().entries(ids)
        var mean = [Float](repeating: 0, count: embedder.space.dimension)
        for id in ids {
            guard let entry = entries.first(where: { $0.id == id }) else {
                throw RoostError(.notFound, "there is no entry \(id.uuidString.lowercased())")
            }
            guard entry.embeddings.count == mean.count else {
                throw RoostError(
                    .notFound, "entry \(id.uuidString.lowercased()) has no embeddings to compare")
            }
            for index in mean.indices { mean[index] += entry.embeddings[index] }
        }
        let norm = length(of: mean)
        if norm > 0, ids.count > 1 { for index in mean.indices { mean[index] /= norm } }
        var wider = options
        wider.limit = [options.limit, options.offset, ids.count].reduce(0) { sum, count in
            let next = sum.addingReportingOverflow(max(0, count))
            return next.overflow ? .max : next.partialValue
        }
        wider.offset = 0
        var result = try await search(mean, wider)
        let own = Set(ids)
        result.hits = result.hits.filter { !own.contains($0.entry.id) }
        for place in result.hits.indices { result.hits[place].rank = place + 1 }
        result.hits = Array(result.hits.dropFirst(max(0, options.offset)).prefix(max(0, options.limit)))
        return result
    }

    /// The entries nearest to a vector of the store's space; words do not count.
    ///
    /// - Throws: ``RoostError`` with `.spaceMismatch`; ``StorageError``.
    public func search(_ vector: [Float], _ options: QueryOptions) async throws -> QueryResult {
        guard vector.count == embedder.space.dimension else {
            throw RoostError(
                .spaceMismatch,
                "a vector of \(vector.count) numbers cannot be compared in a space of "
                    + "\(embedder.space.dimension)")
        }
        try options.validate()
        return try await find(vector, nil, options)
    }

    private func find(_ vector: [Float], _ text: TextQuery?, _ options: QueryOptions) async throws
        -> QueryResult
    {
        // An entry that goes between the search and the look at it is looked for again.
        for attempt in 0... {
            let passages = try await catalog.current()
            let words = text == nil ? nil : try await wordCatalog.current()
            do {
                if let text { try words?.verify(for: text) }
            } catch {
                try await wordCatalog.distrustIndex()
                continue
            }
            let search = Search(
                vector: vector, text: text, options: options, passages: passages, words: words,
                snapshot: try await storage.snapshot())
            do {
                return try await search.run()
            } catch let contradiction as Search.Contradiction {
                // An entry may have gone in between; an index that says what the storage does not may not be
                // used at all.
                if attempt == 1, contradiction.isOfWords {
                    if words?.isMapped == true { try await wordCatalog.distrustIndex() }
                } else if attempt == 1, passages.isMapped {
                    try await catalog.distrustIndex()
                }
                if attempt < 4 { continue }
                throw StorageError(
                    .damaged,
                    "entries are found that the store does not have, or has otherwise; `roost doctor` tells "
                        + "more")
            }
        }
        preconditionFailure("the last attempt returns")
    }
}

extension QueryOptions {
    /// - Throws: ``RoostError`` with `.badInput` for numbers that mean nothing.
    func validate() throws {
        func refuse(_ what: String) throws -> Never { throw RoostError(.badInput, what) }
        if let minimumScore, minimumScore.isNaN { try refuse("the least score is not a number") }
        if !(vectorWeight >= 0 && textWeight >= 0 && vectorWeight.isFinite && textWeight.isFinite) {
            try refuse("the weights of vectors and words are numbers from 0")
        }
        if mode == .hybrid, vectorWeight == 0, textWeight == 0 {
            try refuse("the weights of vectors and words are both 0: nothing would be found")
        }
        if let diversity, !(0...1).contains(diversity) { try refuse("diversity goes from 0 to 1") }
        if let duplicateThreshold, duplicateThreshold.isNaN {
            try refuse("the least cosine of duplicates is not a number")
        }
    }
}
