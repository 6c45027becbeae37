public import Foundation
import Synchronization

/// Keeps the chunks that were read or written last in memory.
///
/// Of several tasks that want a chunk that is not there yet one reads it, and all have it. After a write or a
/// removal through this retrieval no reader gets what was before; changes that others make beneath it are not
/// noticed while a chunk is kept.
public struct CachedRetrieval: ChunkStorageRetrieval {
    private let wrapped: any ChunkStorageRetrieval
    private let cache: Cache

    /// - Parameter limit: the most bytes of chunks that are kept; of more the least recently used go.
    public init(wrapped: any ChunkStorageRetrieval, limit: Int = 64 << 20) {
        self.wrapped = wrapped
        cache = Cache(limit: max(0, limit))
    }

    public func readChunk(at path: String) async throws -> Data? {
        switch cache.lookUp(path) {
        case .found(let data): return data
        case .loading(let load): return try await load.task.value
        case .absent: break
        }
        let load = cache.load(path) { [wrapped] in try await wrapped.readChunk(at: path) }
        do {
            let data = try await load.task.value
            cache.finish(path, load, data)
            return data
        } catch {
            cache.finish(path, load, nil)
            throw error
        }
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        // What was there may be gone, whether this ends well or not; what is being read may be either.
        cache.forget(path)
        defer { cache.forget(path) }
        try await wrapped.writeChunk(data, at: path, metadata: metadata)
    }

    /// Asks beneath: a kept chunk may have been removed by others.
    public func chunkExists(at path: String) async -> Bool { await wrapped.chunkExists(at: path) }

    public func deleteChunk(at path: String) async throws {
        cache.forget(path)
        defer { cache.forget(path) }
        try await wrapped.deleteChunk(at: path)
    }

    public func presence(at path: String) async throws -> Bool { try await wrapped.presence(at: path) }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        try await wrapped.metadata(at: path)
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        cache.forget(path)
        defer { cache.forget(path) }
        return try await wrapped.createChunk(data, at: path, metadata: metadata)
    }

    public func paths(in folder: String) async throws -> [String] { try await wrapped.paths(in: folder) }

    public func removeLeftovers(in folder: String) async throws {
        try await wrapped.removeLeftovers(in: folder)
    }

    /// The bytes that are kept.
    package var cachedBytes: Int { cache.bytes }
}

extension CachedRetrieval {
    /// A read that is under way.
    final class Load: Sendable {
        let task: Task<Data?, any Error>
        init(_ task: Task<Data?, any Error>) { self.task = task }
    }

    enum LookUp {
        case found(Data)
        case loading(Load)
        case absent
    }

    final class Cache: Sendable {
        private struct Item {
            var data: Data
            var use: UInt64
        }

        private struct State {
            var items: [String: Item] = [:]
            var loads: [String: Load] = [:]
            /// Paths by when they were last used.
            var uses: [UInt64: String] = [:]
            var oldest: UInt64 = 0
            var next: UInt64 = 0
            var bytes = 0

            mutating func touch(_ path: String) {
                guard let use = items[path]?.use else { return }
                uses[use] = nil
                items[path]?.use = next
                uses[next] = path
                next += 1
            }

            mutating func remove(_ path: String) {
                guard let item = items.removeValue(forKey: path) else { return }
                uses[item.use] = nil
                bytes -= item.data.count
            }

            mutating func insert(_ data: Data, _ path: String, limit: Int) {
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

        func lookUp(_ path: String) -> LookUp {
            state.withLock { state in
                if let item = state.items[path] {
                    state.touch(path)
                    return .found(item.data)
                }
                return state.loads[path].map { .loading($0) } ?? .absent
            }
        }

        /// The read of a path: the one that is under way, else a new one. It belongs to all who wait for it:
        /// that one of them is cancelled does not end it.
        func load(_ path: String, _ read: @escaping @Sendable () async throws -> Data?) -> Load {
            state.withLock { state in
                if let load = state.loads[path] { return load }
                let load = Load(Task { try await read() })
                state.loads[path] = load
                return load
            }
        }

        /// Keeps what was read, unless the chunk was written or removed since the read began.
        func finish(_ path: String, _ load: Load, _ data: Data?) {
            state.withLock { state in
                guard state.loads[path] === load else { return }
                state.loads[path] = nil
                if let data { state.insert(data, path, limit: limit) }
            }
        }

        func forget(_ path: String) {
            state.withLock { state in
                state.remove(path)
                state.loads[path] = nil
            }
        }
    }
}
