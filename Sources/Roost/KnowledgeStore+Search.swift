import RoostFiles
public import RoostModel

extension KnowledgeStore {
    /// Returns the entries that best match a search.
    ///
    ///     let search = EntrySearch("roofs", matching: [.metadata("year") >= 2020, .tag("garden")])
    ///     let hits = try await store.search(search).hits
    ///
    /// - Throws: ``RoostError`` with `.badInput` for an empty query or settings out of range, `.notFound` for
    ///   an entry that the store does not have, `.spaceMismatch` for a vector of another dimension;
    ///   `StorageError`; `EmbedderError`; `CancellationError`.
    @concurrent
    public func search(_ search: EntrySearch) async throws -> QueryResult {
        try await SearchEngine(store: self).results(of: [search])[0]
    }

    /// Returns the results of several searches, in their order.
    ///
    /// Searches that differ only in their text are embedded and compared together, which is many times faster
    /// than running them one after another.
    ///
    /// - Throws: The error of the first search that fails, as described for ``search(_:)-(EntrySearch)``. No
    ///   partial results are returned.
    @concurrent
    public func search(_ searches: [EntrySearch]) async throws -> [QueryResult] {
        try await SearchEngine(store: self).results(of: searches)
    }

    /// Returns the results of several searches for texts, whose best 50 hits are ordered by a re-ranker.
    ///
    /// The score of a hit is that of the re-ranker, which has no shares (``QueryHit/explanation``). A result has no
    /// other hits.
    ///
    /// - Throws: The errors of ``search(_:)-([EntrySearch])``; ``RoostError`` with `.badInput` for a search
    ///   without a text; the errors of the re-ranker.
    @concurrent
    public func search(
        _ searches: [EntrySearch], rerankedBy reranker: any Reranker
    ) async throws -> [QueryResult] {
        try await RerankedSearch(store: self, reranker: reranker).results(of: searches)
    }

    /// Returns the entries that best match a query, by meaning and by words. This is a shorthand for
    /// ``search(_:)-(EntrySearch)`` with the default settings.
    public func search(
        _ text: String, matching filter: EntryFilter = .all, limit: Int = 10
    ) async throws -> QueryResult {
        try await search(EntrySearch(text, matching: filter, limit: limit))
    }

    /// Returns groups of near-duplicate entries: each entry has a cosine similarity of at least `threshold`
    /// with every other entry in its group.
    ///
    /// Groups are formed by complete linkage, the most similar entries first, so an entry may be similar to
    /// entries of a group that it is not in. The groups do not depend on the order of the entries. For up to
    /// 16,384 different vectors, all pairs are compared. If there are more, nearly all groups are found.
    ///
    /// - Parameters:
    ///   - threshold: The minimum cosine similarity of any two entries of a group, above 0 and up to 1.
    ///   - filter: The entries that are compared, by default all.
    /// - Returns: The groups, largest first. Among groups of equal size, the oldest come first.
    /// - Throws: ``RoostError`` with `.badInput` for a threshold out of range; `StorageError`;
    ///   `CancellationError`.
    /// - Complexity: O(n log n) time; the vectors of all compared entries are held in memory.
    public func duplicates(
        threshold: Float = 0.95, matching filter: EntryFilter = .all
    ) async throws -> [DuplicateGroup] {
        try await Computation.run {
            try await DuplicateFinder(storage: storage).groups(threshold: threshold, matching: filter)
        }
    }

    /// Returns the numbers of entries with the same values of some properties, such as the number of entries
    /// of each cluster and month.
    ///
    ///     let counts = try await store.count(by: [.cluster, .month])
    ///
    /// An entry with several values, such as tags, is counted once for each of them. Periods are in the order
    /// of the calendar, and other values by the number of their entries, largest first.
    ///
    /// - Complexity: O(matching entries), which are read unless all properties are clusters, sources, folders
    ///   and periods.
    /// - Throws: ``RoostError`` with `.badInput` if an entry has more than 10,000 combinations of values;
    ///   `StorageError`; `CancellationError`.
    @concurrent
    public func count(
        by properties: [EntryProperty], matching filter: EntryFilter = .all
    ) async throws -> [EntryCount] {
        try await count(by: properties, matching: filter, in: storage.snapshot())
    }

    @concurrent
    package func count(
        by properties: [EntryProperty], matching filter: EntryFilter, in snapshot: any StorageSnapshot
    ) async throws -> [EntryCount] {
        var counter = try await EntryCounter(properties, in: snapshot)
        return try await counter.counts(matching: filter)
    }
}
