public import Foundation
import Synchronization

/// A retrieval that keeps chunks in memory, for tests and temporary data.
public final class InMemoryRetrieval: ChunkStorageRetrieval {
    private struct Chunk {
        var data: Data
        var metadata: ChunkMetadata?
    }

    private let chunks = Mutex<[ChunkPath.Key: Chunk]>([:])

    /// Creates an empty retrieval.
    public init() {}

    public func readChunk(at path: String) async throws -> Data? {
        chunks.withLock { $0[.init(path)]?.data }
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try ChunkPath.check(path)
        chunks.withLock { $0[.init(path)] = Chunk(data: data, metadata: metadata) }
    }

    public func chunkExists(at path: String) async -> Bool { chunks.withLock { $0[.init(path)] != nil } }

    public func deleteChunk(at path: String) async throws { chunks.withLock { $0[.init(path)] = nil } }

    public func presence(at path: String) async throws -> Bool { await chunkExists(at: path) }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        chunks.withLock { $0[.init(path)]?.metadata }
    }

    /// Writes a chunk unless one exists at this path.
    ///
    /// - **Atomicity**: If several tasks create the same chunk at the same time, exactly one succeeds.
    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try ChunkPath.check(path)
        return chunks.withLock { chunks in
            guard chunks[.init(path)] == nil else { return false }
            chunks[.init(path)] = Chunk(data: data, metadata: metadata)
            return true
        }
    }

    public func paths(in folder: String) async throws -> [String] {
        try await chunks(in: folder).map(\.path)
    }

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        let prefix = try ChunkPath.prefix(of: folder)
        return chunks.withLock { chunks in
            chunks.compactMap { key, chunk in
                guard key.path.utf8.starts(with: prefix.utf8) else { return nil }
                return ListedChunk(path: key.path, size: chunk.data.count)
            }
        }
    }
}
