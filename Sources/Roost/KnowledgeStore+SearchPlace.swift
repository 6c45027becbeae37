public import RoostModel

extension KnowledgeStore {
    /// The size of the vectors of entries, in bytes, from which a search runs in the database by default: a
    /// client with an index would read all of them first.
    private static let largeVectorSize = 1 << 30

    /// Returns the place where a search of the current state compares vectors.
    ///
    /// It is ``SearchPlace/client`` for storages that cannot search. Otherwise, it is ``searchPlace`` or, by
    /// default, the database if the vectors of the entries are larger than 1 GB.
    ///
    /// - Throws: `StorageError`.
    public func currentSearchPlace() async throws -> SearchPlace {
        searchPlace(in: try await storage.snapshot())
    }

    func searchPlace(in snapshot: any StorageSnapshot) -> SearchPlace {
        guard snapshot.passageSearch != nil else { return .client }
        if let searchPlace { return searchPlace }
        let dimension = min(embedder.space.dimension, EmbeddingSpace.maximumDimension)
        let size = snapshot.stamp.entryCount * dimension * MemoryLayout<Float>.size
        return size > Self.largeVectorSize ? .database : .client
    }

    /// Builds the index over all vectors in the database, which all clients use, unless it is complete.
    ///
    /// Until it is built, searches in the database compare all vectors. Other clients can read and write the
    /// store meanwhile.
    ///
    /// - Parameter progress: Receives a description of the step and, if it is known, the finished share of
    ///   the step, from 0 to 1.
    /// - Returns: The state of the index; `nil` if searches do not run in a database.
    /// - Throws: `StorageError`, with `.unsupported` if the database cannot build an index;
    ///   `CancellationError`.
    public func buildDatabaseIndex(
        progress: @escaping @Sendable (String, Double?) -> Void = { _, _ in }
    ) async throws -> PassageIndexState? {
        let snapshot = try await storage.snapshot()
        guard let search = snapshot.passageSearch, searchPlace(in: snapshot) == .database else {
            return nil
        }
        try await search.buildIndex(progress: progress)
        return try await search.indexState()
    }

    /// Returns the state of the index over all vectors in the database; `nil` if searches do not run in a
    /// database.
    ///
    /// - Throws: `StorageError`.
    public func databaseIndexState() async throws -> PassageIndexState? {
        let snapshot = try await storage.snapshot()
        guard searchPlace(in: snapshot) == .database else { return nil }
        return try await snapshot.passageSearch?.indexState()
    }
}
