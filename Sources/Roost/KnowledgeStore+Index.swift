import RoostFiles
import RoostModel

extension KnowledgeStore {
    /// Builds the search index from the current state of the store and replaces an existing one.
    ///
    /// The index consists of files that searches map: the words of all entries, the vectors of all passages,
    /// and for large stores a graph over the vectors. Other processes keep using the files that they have
    /// mapped. If two processes build an index at the same time, the index of the newer state is kept.
    ///
    /// - Parameters:
    ///   - minimumGraphPassages: The minimum number of passages for a graph. For fewer, comparing all
    ///     vectors is as fast.
    ///   - maximumGraphPassages: The maximum number of passages for a graph.
    /// - Returns: A description of the index; `nil` if the store is empty.
    /// - Throws: ``RoostError`` with `.configuration` if the store has no folder; `StorageError`;
    ///   `CancellationError`. An existing index is then unchanged.
    /// - Complexity: Reads all texts and vectors. The vectors, and about three bytes per word, are held in
    ///   memory.
    @discardableResult
    public func buildIndex(
        minimumGraphPassages: Int = 50_000, maximumGraphPassages: Int = .max
    ) async throws -> IndexDescription? {
        try await Computation.run {
            try await IndexBuilder(self).build(
                minimumGraphPassages: minimumGraphPassages, maximumGraphPassages: maximumGraphPassages)
        }
    }

    /// Builds the search index if that is useful and fast. It is useful if the store is large (by entries
    /// or by its size on disk) and has no index, or if a tenth of the entries has changed since the index
    /// was built. It is fast if it takes no longer than about ten seconds on two cores.
    ///
    /// If building would take longer, the existing index is kept, and searches also read the entries that
    /// have changed.
    ///
    /// - Parameters:
    ///   - minimumEntries: The minimum number of entries for which an index is useful.
    ///   - maximumGraphPassages: The maximum number of passages for which a graph is built; building a larger
    ///     one takes too long.
    /// - Returns: The update that was made.
    /// - Throws: The errors of ``buildIndex(minimumGraphPassages:maximumGraphPassages:)``.
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
}
