public import Foundation
import RoostFiles
import RoostIndexes
public import RoostModel
import RoostText
import RoostVectors

extension KnowledgeStore {
    /// The entries that answer a text best: by meaning and by words.
    ///
    /// Some signs count (see ``TextQuery``), but for ``SearchMode/vector``: `"some words"` must occur,
    /// `-word` must not, `begin*` is the beginning of a word.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; ``StorageError``; ``EmbedderError``.
    public func query(_ text: String, _ options: QueryOptions = QueryOptions()) async throws -> QueryResult {
        try await query(all: [text], options)[0]
    }

    /// What ``query(_:_:)`` finds for each of some texts: they are embedded together and compared in products
    /// of whole matrices, many times as quickly as one by one.
    ///
    /// - Returns: one result for each text, in their order.
    /// - Throws: as ``query(_:_:)``, for the first text that is empty too; there is no partial answer.
    public func query(
        all texts: [String], _ options: QueryOptions = QueryOptions()
    ) async throws -> [QueryResult] {
        try options.validate()
        let queries = try texts.enumerated().map { number, text in
            try Self.read(text, options.mode, number: texts.count > 1 ? number + 1 : nil)
        }
        guard !queries.isEmpty else { return [] }
        // What is searched is had while the texts are embedded; what goes wrong with it is told by the
        // search.
        async let prepared: Void = prepareSearch(hasWords: options.mode != .vector)
        var embeddings = try await embedder.embed(queries.map(\.plain), as: .query)
        await prepared
        if !embedder.space.isNormalized { embeddings.vectors.normalizeRows() }
        var results: [QueryResult] = []
        // So many at once that their products fill the cores, and their hits do not fill the memory.
        let depth = max(200, min(1 << 40, options.limit), min(1 << 40, options.offset))
        let size = max(1, min(512, 400_000 / depth))
        for start in stride(from: 0, to: queries.count, by: size) {
            try Task.checkCancellation()
            let part = start..<min(queries.count, start + size)
            results += try await find(
                embeddings.vectors.selecting(Array(part)), queries[part].map(\.words), options)
        }
        for number in results.indices { results[number].omittedTokens = embeddings.omittedTokens[number] }
        return results
    }

    private static func read(
        _ text: String, _ mode: SearchMode, number: Int?
    ) throws -> (words: TextQuery?, plain: String) {
        let name = number.map { "query \($0)" } ?? "the query"
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "\(name) is empty; give some words to look for")
        }
        let words = mode == .vector ? nil : TextQuery(text)
        let plain = words?.plainText ?? text
        guard words?.isOnlyExclusion != true else {
            throw RoostError(
                .badInput, "\(name) says only what to leave out; give some words to look for as well")
        }
        return (words, plain)
    }

    private func prepareSearch(hasWords: Bool) async {
        async let passages = try? catalog.current()
        if hasWords { _ = try? await wordCatalog.current() }
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
    ///   `.badInput` where none is given.
    public func similar(
        to ids: [Entry.ID], _ options: QueryOptions = QueryOptions()
    ) async throws -> QueryResult {
        guard !ids.isEmpty else { throw RoostError(.badInput, "no entry is given to compare others with") }
        let snapshot = try await storage.snapshot()
        var mean = [Float](repeating: 0, count: embedder.space.dimension)
        for start in stride(from: 0, to: ids.count, by: 256) {
            let part = ids[start..<min(ids.count, start + 256)]
            let entries = try await snapshot.entries(Array(part))
            let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
            for id in part {
                guard let entry = byID[id] else {
                    throw RoostError(.notFound, "there is no entry \(id.uuidString.lowercased())")
                }
                guard entry.embeddings.count == mean.count else {
                    throw RoostError(
                        .notFound, "entry \(id.uuidString.lowercased()) has no embeddings to compare")
                }
                for index in mean.indices { mean[index] += entry.embeddings[index] }
            }
        }
        let norm = length(of: mean)
        if norm > 0, ids.count > 1 { for index in mean.indices { mean[index] /= norm } }
        try options.validate()
        let query = Matrix([mean], columns: mean.count)
        return try await find(query, [nil], options, excluding: Set(ids))[0]
    }

    /// The entries nearest to a text of any length, as if it were an entry: by the mean of its passages.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; ``StorageError``; ``EmbedderError``.
    public func similar(
        toText text: String, _ options: QueryOptions = QueryOptions()
    ) async throws -> QueryResult {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "the text is empty; there is nothing to compare entries with")
        }
        var report = IngestReport()
        let entry = try await embedded([Entry(content: text)], known: [:], &report)[0]
        var result = try await search(entry.embeddings, options)
        result.omittedTokens = report.omittedTokens
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
        return try await find(Matrix([vector], columns: vector.count), [nil], options)[0]
    }

    /// - Parameters:
    ///   - vectors: (q, dimension): one for each query.
    ///   - texts: the words of each, `nil` where they do not count.
    private func find(
        _ vectors: Matrix, _ texts: [TextQuery?], _ options: QueryOptions, excluding: Set<Entry.ID> = []
    ) async throws -> [QueryResult] {
        // An entry that goes between the search and the look at it is looked for again.
        var contradictions = (ofVectors: 0, ofWords: 0)
        while true {
            let passages = try await catalog.current()
            let words = texts.contains { $0 != nil } ? try await wordCatalog.current() : nil
            do {
                for text in texts.lazy.compactMap(\.self) { try words?.verify(for: text) }
            } catch {
                try await wordCatalog.distrustIndex()
                continue
            }
            do {
                return try await find(vectors, texts, options, excluding, passages, words)
            } catch let damage as GraphIndex.Damaged {
                let notice = DerivedCatalog<PassageContents>.notice(damage.description)
                await catalog.update { $0.dropGraph(since: notice) }
            } catch let damage as SectionFile.Unusable where passages.isMapped {
                try await catalog.distrustIndex(since: damage.description)
            } catch let contradiction as Search.Contradiction {
                // An entry may have gone in between; an index that says what the storage does not may not be
                // used at all.
                if contradiction.isOfWords {
                    contradictions.ofWords += 1
                    if contradictions.ofWords == 2, words?.isMapped == true {
                        try await wordCatalog.distrustIndex()
                    }
                } else {
                    contradictions.ofVectors += 1
                    if contradictions.ofVectors == 2, passages.isMapped { try await catalog.distrustIndex() }
                }
                guard max(contradictions.ofVectors, contradictions.ofWords) > 4 else { continue }
                throw StorageError(
                    .damaged,
                    "entries are found that the store does not have, or has otherwise; `roost doctor` tells "
                        + "more")
            }
        }
    }

    @concurrent
    private func find(
        _ vectors: Matrix, _ texts: [TextQuery?], _ options: QueryOptions, _ excluded: Set<Entry.ID>,
        _ passages: PassageContents, _ words: TextContents?
    ) async throws -> [QueryResult] {
        let snapshot = try await storage.snapshot()
        let rows = options.filter.matchesAll ? nil : try await snapshot.rows(matching: options.filter)
        var searches = texts.indices.map { query in
            Search(
                vector: vectors.row(query), text: texts[query], options: options, passages: passages,
                words: words, snapshot: snapshot, filtered: rows, excluded: excluded)
        }
        guard searches.count > 1 else { return [try await searches[0].run()] }
        if options.mode != .text || words == nil {
            let nearest = try await passages.search(
                vectors, k: searches[0].firstDepth, among: rows, isExact: options.isExact)
            for query in searches.indices { searches[query].nearest = nearest[query] }
        }
        return try await withThrowingTaskGroup(of: (Int, QueryResult).self) { group in
            var results = [QueryResult?](repeating: nil, count: searches.count)
            for (query, search) in searches.enumerated() {
                // As many at a time as keep the cores busy.
                if query >= 4, let (done, result) = try await group.next() { results[done] = result }
                group.addTask { (query, try await search.run()) }
            }
            for try await (done, result) in group { results[done] = result }
            return results.compactMap(\.self)
        }
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
        if (mode == .hybrid && vectorWeight == 0 && textWeight == 0) || (mode == .text && textWeight == 0) {
            try refuse("nothing that is asked for has a weight; give words or vectors one above 0")
        }
        if let diversity, !(0...1).contains(diversity) { try refuse("diversity goes from 0 to 1") }
        if let duplicateThreshold, duplicateThreshold.isNaN {
            try refuse("the least cosine of duplicates is not a number")
        }
    }
}
