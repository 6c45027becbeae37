/// Whether chunks are there, more quickly than by reading them.
public protocol ChunkStorageExistence: Sendable {
    /// Whether there is a chunk; `false` also where that cannot be told.
    func chunkExists(identifier: ChunkIdentifier) async -> Bool

    /// For each of some chunks whether it is there, in one pass; `false` also where that cannot be told.
    func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool]

    /// Whether there is a chunk.
    ///
    /// The default cannot tell "absent" from "could not ask", since ``chunkExists(identifier:)`` cannot.
    /// - Throws: ``ChunkStorageError``, or an error of the implementer's, where that cannot be told.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool

    /// For each of some chunks whether it is there, in one pass. The default is as that for one.
    ///
    /// - Throws: as ``presence(of:)-(ChunkIdentifier)``, where it cannot be told of one of them.
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
