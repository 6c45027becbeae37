public import Foundation
import Synchronization

/// A decorator that keeps recently used chunks in memory.
///
/// If several tasks read the same chunk at the same time and it is not cached, it is read only once; a
/// canceled task does not wait for the read, which continues. After a write or deletion through this
/// retrieval, no reader receives the previous bytes. Changes that other processes or retrievals make are not
/// noticed while a chunk is cached. Existence checks are not cached.
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
        switch cache.lookUp(.init(path)) {
        case .found(let data): return data
        case .loading(let load): return try await load.value()
        case .absent:
            let load = cache.load(.init(path)) { [wrapped] in try await wrapped.readChunk(at: path) }
            return try await load.value()
        }
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
    /// A read in progress.
    typealias Load = SharedRead<Data?>

    /// The state of a path in the cache.
    enum Lookup {
        case found(Data)
        case loading(Load)
        case absent
    }

    /// The cached chunks and the reads in progress, shared by all copies of the retrieval.
    final class Cache: Sendable {
        private struct Item {
            var data: Data
            var use: UInt64
        }

        private struct State {
            var items: [ChunkPath.Key: Item] = [:]
            var loads: [ChunkPath.Key: Load] = [:]
            /// The cached paths, keyed by the sequence number of their last use.
            var uses: [UInt64: ChunkPath.Key] = [:]
            var oldest: UInt64 = 0
            var next: UInt64 = 0
            var bytes = 0

            mutating func touch(_ path: ChunkPath.Key) {
                guard let use = items[path]?.use else { return }
                uses[use] = nil
                items[path]?.use = next
                uses[next] = path
                next += 1
            }

            mutating func remove(_ path: ChunkPath.Key) {
                guard let item = items.removeValue(forKey: path) else { return }
                uses[item.use] = nil
                bytes -= item.data.count
            }

            mutating func insert(_ data: Data, _ path: ChunkPath.Key, limit: Int) {
                remove(path)
                guard data.count <= limit else { return }
                while bytes + data.count > limit {
                    while uses[oldest] == nil { oldest += 1 }
                    if let path = uses[oldest] { remove(path) }
                }
                items[path] = Item(data: data, use: next)
                uses[next] = path
                next += 1
                bytes += data.count
            }
        }

        private let limit: Int
        private let state = Mutex(State())

        init(limit: Int) { self.limit = limit }

        var bytes: Int { state.withLock { $0.bytes } }

        func lookUp(_ path: ChunkPath.Key) -> Lookup {
            state.withLock { state in
                if let item = state.items[path] {
                    state.touch(path)
                    return .found(item.data)
                }
                return state.loads[path].map { .loading($0) } ?? .absent
            }
        }

        /// Returns the read in progress for a path, or starts one. The read runs in its own task, so that
        /// canceling one of several waiting tasks does not cancel the read.
        func load(_ path: ChunkPath.Key, _ read: @escaping @Sendable () async throws -> Data?) -> Load {
            state.withLock { state in
                if let load = state.loads[path] { return load }
                let load = Load()
                state.loads[path] = load
                Task {
                    let result: Result<Data?, any Error>
                    do { result = .success(try await read()) } catch { result = .failure(error) }
                    // A task that has received the bytes finds them in the cache.
                    finish(path, load, try? result.get())
                    load.finish(result)
                }
                return load
            }
        }

        /// Caches the result of a read, unless the chunk was written or deleted since the read began.
        private func finish(_ path: ChunkPath.Key, _ load: Load, _ data: Data?) {
            state.withLock { state in
                guard state.loads[path] === load else { return }
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
