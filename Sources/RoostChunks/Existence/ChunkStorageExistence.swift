/// An existence check that is faster than reading chunks.
public protocol ChunkStorageExistence: Sendable {
    /// Returns whether a chunk exists. If the storage cannot be read, the result is `false`.
    func chunkExists(identifier: ChunkIdentifier) async -> Bool

    /// Returns, for each identifier, whether the chunk exists, in one pass. For chunks that cannot be checked
    /// because the storage cannot be read, the result is `false`.
    func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool]

    /// Returns whether a chunk exists.
    ///
    /// The default implementation calls ``chunkExists(identifier:)`` and therefore cannot distinguish a
    /// missing chunk from a storage that cannot be read. Implement this method if the backend can distinguish
    /// them.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation, if the storage cannot be read.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool

    /// Returns, for each identifier, whether the chunk exists, in one pass.
    ///
    /// The default implementation has the same limitation as the one for a single identifier.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation, if the storage cannot be read for
    ///   one of the chunks.
    func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool]
}

extension ChunkStorageExistence {
    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        await chunkExists(identifier: identifier)
    }

    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        await chunkExists(identifiers: identifiers)
    }
}
