public import Foundation

/// A retrieval that adds something to another one, such as compression, encryption or a cache.
///
/// Every method has a default implementation that calls ``wrapped``. A decorator implements only the methods
/// that it changes. Note that a decorator that changes bytes must implement `createChunk` in addition to
/// `readChunk` and `writeChunk`. The default implementation of `chunks(in:)` returns no sizes, because those
/// of ``wrapped`` are the sizes of the stored bytes.
public protocol ChunkRetrievalDecorator: ChunkStorageRetrieval {
    /// The retrieval that the decorator calls.
    var wrapped: any ChunkStorageRetrieval { get }
}

extension ChunkRetrievalDecorator {
    public func readChunk(at path: String) async throws -> Data? { try await wrapped.readChunk(at: path) }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await wrapped.writeChunk(data, at: path, metadata: metadata)
    }

    public func chunkExists(at path: String) async -> Bool { await wrapped.chunkExists(at: path) }

    public func deleteChunk(at path: String) async throws { try await wrapped.deleteChunk(at: path) }

    public func presence(at path: String) async throws -> Bool { try await wrapped.presence(at: path) }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        try await wrapped.metadata(at: path)
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await wrapped.createChunk(data, at: path, metadata: metadata)
    }

    public func paths(in folder: String) async throws -> [String] { try await wrapped.paths(in: folder) }

    public func removeLeftovers(in folder: String) async throws {
        try await wrapped.removeLeftovers(in: folder)
    }
}
