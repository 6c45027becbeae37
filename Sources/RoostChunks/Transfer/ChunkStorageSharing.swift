public import Foundation

/// Read-only access to chunks of another storage.
public protocol ChunkStorageSharing: Sendable {
    /// Returns the bytes of a chunk, or `nil` if the other storage does not have it.
    ///
    /// - Throws: ``ChunkStorageError`` if the other storage cannot be read or the chunk is corrupt.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// Returns whether the other storage has a chunk.
    ///
    /// - Throws: ``ChunkStorageError`` if the other storage cannot be read.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool
}
