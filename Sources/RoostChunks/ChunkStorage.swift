public import Foundation

/// Stores chunks. A chunk is a sequence of bytes with an identifier.
///
/// Implementations can be called from any number of tasks at the same time. `ChunkStorageLaw` in
/// `RoostTestKit` tests them.
public protocol ChunkStorage: Sendable {
    /// Writes a chunk. A chunk with the same identifier is replaced.
    ///
    /// - **Atomicity**: Readers see either the old chunk or the new one, never a part of it.
    /// - **Idempotence**: Writing the same chunk again has no visible effect.
    /// - Parameters:
    ///   - data: The bytes of the chunk.
    ///   - identifier: The name of the chunk. An empty one is rejected, and so are those that the storage
    ///     cannot distinguish from all others.
    ///   - metadata: Information to store with the chunk. Some storages do not keep it.
    /// - Throws: ``ChunkStorageError``. In that case, the previous chunk is unchanged.
    func writeChunk(_ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?) async throws

    /// Returns the bytes of a chunk, or `nil` if the chunk does not exist.
    ///
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read or the chunk is corrupt.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// Returns whether a chunk exists.
    ///
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read.
    func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool

    /// Deletes a chunk. Deleting a chunk that does not exist is not an error.
    ///
    /// - Throws: ``ChunkStorageError``. In that case, the chunk may still exist.
    func deleteChunk(_ identifier: ChunkIdentifier) async throws

    /// Returns the metadata that was written with a chunk.
    ///
    /// The default implementation, which is intended for storages that keep no metadata, returns `nil`.
    ///
    /// - Returns: `nil` if the chunk does not exist or was written without metadata.
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read or the metadata is corrupt.
    func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata?
}

extension ChunkStorage {
    public func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata? { nil }
}
