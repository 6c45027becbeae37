public import Foundation

/// Keeps chunks: pieces of bytes, each under an identifier.
///
/// Safe to call from any number of tasks at once.
public protocol ChunkStorage: Sendable {
    /// Writes a chunk, in the place of one with the same identifier.
    ///
    /// - **Atomicity**: readers see the old chunk or the new one, never a part.
    /// - **Idempotence**: writing the same again changes nothing that a reader could tell.
    /// - Throws: ``ChunkStorageError``; what was there before is there still.
    func writeChunk(_ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?) async throws

    /// The bytes of a chunk; `nil` where there is none.
    ///
    /// - Throws: ``ChunkStorageError`` where it could not be asked for, or is not as it was written.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// Whether there is a chunk.
    ///
    /// - Throws: ``ChunkStorageError`` where that cannot be told.
    func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool

    /// Removes a chunk; one that is not there is no error.
    ///
    /// - Throws: ``ChunkStorageError``; the chunk may be there still.
    func deleteChunk(_ identifier: ChunkIdentifier) async throws

    /// What was written with a chunk; `nil` where there is no chunk, nothing was written with it, or the
    /// storage keeps no metadata, which is the default.
    ///
    /// - Throws: ``ChunkStorageError``.
    func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata?
}

extension ChunkStorage {
    public func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata? { nil }
}
