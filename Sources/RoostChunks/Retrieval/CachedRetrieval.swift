public import Foundation
import Synchronization

/// A decorator that keeps recently used chunks in memory.
///
/// If several tasks read the same chunk at the same time and it is not cached, it is read only once. After a
/// write or deletion through this retrieval, no reader receives the previous bytes. Changes that other
/// processes or retrievals make are not noticed while a chunk is cached. Existence checks are not cached.
public struct CachedRetrieval: ChunkRetrievalDecorator {
    public let wrapped: any ChunkStorageRetrieval
    private let cache: Cache

    /// Creates a decorator with an empty cache.
    ///
    /// - Parameters:
    ///   - wrapped: The retrieval whose chunks are cached.
    ///   - limit: The maximum size of the cache, in bytes. The least recently used chunks are evicted first.
    ///     The default is 64 MiB.
    public init(wrapped: any ChunkStorageRetrieval, limit: Int = 64 << 20) {
        self.wrapped = wrapped
        cache = Cache(limit: max(0, limit))
    }

    public func readChunk(at path: String) async throws -> Data? {
        try await cache.chunk(at: .init(path)) { [wrapped] in try await wrapped.readChunk(at: path) }
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        // A failed write may still have replaced the chunk, and a concurrent read may return the old or the
        // new bytes. Cached bytes and reads in progress are therefore discarded both before and after the
        // write.
        cache.remove(.init(path))
        defer { cache.remove(.init(path)) }
        try await wrapped.writeChunk(data, at: path, metadata: metadata)
    }

    public func deleteChunk(at path: String) async throws {
        cache.remove(.init(path))
        defer { cache.remove(.init(path)) }
        try await wrapped.deleteChunk(at: path)
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        cache.remove(.init(path))
        defer { cache.remove(.init(path)) }
        return try await wrapped.createChunk(data, at: path, metadata: metadata)
    }

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        try await wrapped.chunks(in: folder)
    }

    /// The number of bytes in the cache.
    package var cachedBytes: Int { cache.bytes }
}

extension CachedRetrieval {
    /// The cached chunks and the reads in progress, shared by all copies of the retrieval.
    private final class Cache: Sendable {
        private struct Item {
            var data: Data
            var use: UInt64
        }

        private struct Load {
            var number: UInt64
            var task: Task<Data?, any Error>
        }

        private struct State {
            var items: [ChunkPath.Key: Item] = [:]
            var loads: [ChunkPath.Key: Load] = [:]
            /// The number of the next use or load.
            var next: UInt64 = 0
            var bytes = 0

            mutating func number() -> UInt64 {
                next += 1
                return next
            }

            mutating func remove(_ path: ChunkPath.Key) {
                bytes -= items.removeValue(forKey: path)?.data.count ?? 0
            }

            mutating func insert(_ data: Data, _ path: ChunkPath.Key, limit: Int) {
                remove(path)
                guard data.count <= limit else { return }
                if bytes + data.count > limit {
                    // A quarter of the cache is evicted at once, so that the sorting costs little per chunk.
                    for (path, _) in items.sorted(by: { $0.value.use < $1.value.use }) {
                        remove(path)
                        if bytes + data.count <= limit - limit / 4 { break }
                    }
                }
                items[path] = Item(data: data, use: number())
                bytes += data.count
            }
        }

        private let limit: Int
        private let state = Mutex(State())

        init(limit: Int) { self.limit = limit }

        var bytes: Int { state.withLock { $0.bytes } }

        /// Returns a chunk from the cache, or the result of the read in progress, or starts a read. The read
        /// runs in its own task, so that canceling one of several waiting tasks does not cancel it.
        func chunk(
            at path: ChunkPath.Key, _ read: @escaping @Sendable () async throws -> Data?
        ) async throws -> Data? {
            let (cached, task): (Data?, Task<Data?, any Error>?) = state.withLock { state in
                let number = state.number()
                if let item = state.items[path] {
                    state.items[path]?.use = number
                    return (item.data, nil)
                }
                if let load = state.loads[path] { return (nil, load.task) }
                let task = Task {
                    do {
                        let data = try await read()
                        finish(path, number, data)
                        return data
                    } catch {
                        finish(path, number, nil)
                        throw error
                    }
                }
                state.loads[path] = Load(number: number, task: task)
                return (nil, task)
            }
            return try await task?.value ?? cached
        }

        /// Caches the result of a read, unless the chunk was written or deleted since the read began.
        private func finish(_ path: ChunkPath.Key, _ number: UInt64, _ data: Data?) {
            state.withLock { state in
                guard state.loads[path]?.number == number else { return }
                state.loads[path] = nil
                if let data { state.insert(data, path, limit: limit) }
            }
        }

        /// Removes a chunk, and prevents a read in progress from caching its result.
        func remove(_ path: ChunkPath.Key) {
            state.withLock { state in
                state.remove(path)
                state.loads[path] = nil
            }
        }
    }
}
