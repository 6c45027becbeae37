import RoostModel

extension KnowledgeStore {
    /// Builds the search index from the current state of the store and replaces an existing one.
    ///
    /// The index consists of files that searches map: the words of all entries, the vectors of all passages,
    /// and for large stores a graph over the vectors. Other processes keep using the files that they have
    /// mapped. Of two builders, the one with the newer state wins.
    ///
    /// - Parameters:
    ///   - minimumGraphPassages: The minimum number of passages for a graph. For fewer, comparing all
    ///     vectors is as fast.
    ///   - maximumGraphPassages: The maximum number of passages for a graph.
    /// - Returns: A description of the index; `nil` if the store is empty.
    /// - Throws: ``RoostError`` with `.configuration` if the store has no folder; `StorageError`;
    ///   `CancellationError`. An existing index is then unchanged.
    /// - Complexity: Reads all texts and vectors. The vectors, and about three bytes per word, are in memory.
    @discardableResult
    public func buildIndex(
        minimumGraphPassages: Int = 50_000, maximumGraphPassages: Int = .max
    ) async throws -> IndexDescription? {
        try await IndexBuilder(self).build(
            minimumGraphPassages: minimumGraphPassages, maximumGraphPassages: maximumGraphPassages)
    }

    /// Builds the search index if that is worth the time: if the store is large and has no index, or a tenth
    /// of its entries has changed since, and if it takes no longer than about ten seconds on two cores.
    ///
    /// The index of a larger store is kept, and searches read the changed entries in addition to it.
    ///
    /// - Parameters:
    ///   - minimumEntries: The minimum number of entries of a store that needs an index.
    ///   - maximumGraphPassages: The maximum number of passages for which a graph is built; building a larger
    ///     one takes too long.
    /// - Returns: The update that was made.
    /// - Throws: As ``buildIndex(minimumGraphPassages:maximumGraphPassages:)``.
    @discardableResult
    public func refreshIndex(
        minimumEntries: Int = 2000, maximumGraphPassages: Int = 100_000
    ) async throws -> IndexRefresh {
        try await IndexBuilder(self).refresh(
            minimumEntries: minimumEntries, maximumGraphPassages: maximumGraphPassages)
    }

    /// Returns a description of the search index; `nil` if there is none for this history of the store.
    ///
    /// - Throws: `StorageError` with `.damaged` if the index is corrupt.
    public func indexDescription() async throws -> IndexDescription? {
        try await IndexInspector(self).description()
    }

    /// Measures the recall of the graph on the store's own passages: the share of the ten nearest other
    /// passages, found by comparing all, that a search of the graph finds too.
    ///
    /// - Parameter samples: The number of passages to search for, spread evenly over all.
    /// - Returns: `nil` if the store has no graph.
    /// - Throws: As ``indexDescription()``.
    /// - Complexity: O(samples · passages).
    public func measureRecall(samples: Int = 200) async throws -> RecallMeasurement? {
        try await IndexInspector(self).recall(samples: samples)
    }
}
