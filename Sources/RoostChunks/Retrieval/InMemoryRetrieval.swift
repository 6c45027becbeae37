public import Foundation
import RoostModel
import Synchronization

/// A retrieval that keeps chunks in memory, for tests and temporary data.
public final class InMemoryRetrieval: ChunkStorageRetrieval {
    private struct Chunk {
        var data: Data
        var metadata: ChunkMetadata?
    }

    /// The paths are compared by their bytes, as file systems do.
    private let chunks = Mutex<[ExactText: Chunk]>([:])

    /// Creates an empty retrieval.
    public init() {}

    public func readChunk(at path: String) async throws -> Data? {
        chunks.withLock { $0[.init(path)]?.data }
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try ChunkPath.check(path)
        chunks.withLock { $0[.init(path)] = Chunk(data: data, metadata: metadata) }
    }

    public func deleteChunk(at path: String) async throws { chunks.withLock { $0[.init(path)] = nil } }

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

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        let prefix = try ChunkPath.prefix(of: folder)
        return chunks.withLock { chunks in
            chunks.compactMap { key, chunk in
                guard key.text.utf8.starts(with: prefix.utf8) else { return nil }
                return ListedChunk(path: key.text, size: chunk.data.count)
            }
        }
    }
}

/// Validation of chunk paths: a retrieval accepts only paths that stay below its root.
package enum ChunkPath {
    static let metadataFolder = ".metadata"

    /// The maximum length of a path in bytes. Linux limits absolute paths to 4096 (`PATH_MAX`); the remainder
    /// is reserved for the path of the storage's folder.
    private static let maximumLength = 3500
    /// The maximum length of a component in bytes, as on most file systems (`NAME_MAX`).
    private static let maximumComponentLength = 255

    /// - Throws: ``ChunkStorageError/invalidPath(_:)`` if the path is empty, too long or absolute, contains
    ///   an empty component, `.`, `..` or a NUL byte, is in the metadata folder, or is the name of a
    ///   temporary file.
    package static func check(_ path: String) throws {
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.isEmpty, path.utf8.count <= maximumLength, !path.utf8.contains(0),
            components.allSatisfy({
                !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= maximumComponentLength
            }),
            components.first?.lowercased() != metadataFolder,
            // `AtomicFile` names temporary files `.NAME.PROCESS.NUMBER.tmp`.
            components.last.map({ !($0.hasPrefix(".") && $0.hasSuffix(".tmp")) }) ?? false
        else { throw ChunkStorageError.invalidPath(path) }
    }

    static func prefix(of folder: String) throws -> String {
        guard !folder.isEmpty else { return "" }
        try check(folder)
        return folder + "/"
    }
}

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
        try await changing(path) { try await wrapped.writeChunk(data, at: path, metadata: metadata) }
    }

    public func deleteChunk(at path: String) async throws {
        try await changing(path) { try await wrapped.deleteChunk(at: path) }
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await changing(path) { try await wrapped.createChunk(data, at: path, metadata: metadata) }
    }

    /// Discards the cached bytes and reads in progress both before and after a change: a failed write may
    /// still have replaced the chunk, and a concurrent read may return the old or the new bytes.
    private func changing<Value>(_ path: String, _ body: () async throws -> Value) async throws -> Value {
        cache.remove(.init(path))
        defer { cache.remove(.init(path)) }
        return try await body()
    }

    package var cachedBytes: Int { cache.bytes }
}

extension CachedRetrieval {
    /// The cached chunks and the reads in progress, shared by all copies of the retrieval.
    private final class Cache: Sendable {
        private struct Item {
            /// Reads the chunk. It is a separate task, so that canceling one of several waiting tasks does not
            /// cancel it.
            let task: Task<Data?, any Error>
            /// The number of the read, which distinguishes it from later ones of the same chunk.
            let number: UInt64
            var lastUse: UInt64
            /// The number of bytes; 0 while the chunk is being read.
            var size = 0
        }

        private struct State {
            var items: [ExactText: Item] = [:]
            var uses: UInt64 = 0
            var bytes = 0

            mutating func remove(_ path: ExactText) {
                bytes -= items.removeValue(forKey: path)?.size ?? 0
            }
        }

        private let limit: Int
        private let state = Mutex(State())

        init(limit: Int) { self.limit = limit }

        var bytes: Int { state.withLock { $0.bytes } }

        /// Returns a chunk from the cache, or the result of the read in progress, or starts a read.
        func chunk(
            at path: ExactText, _ read: @escaping @Sendable () async throws -> Data?
        ) async throws -> Data? {
            let task = state.withLock { state in
                state.uses += 1
                let number = state.uses
                if let item = state.items[path] {
                    state.items[path]?.lastUse = number
                    return item.task
                }
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
                state.items[path] = Item(task: task, number: number, lastUse: number)
                return task
            }
            return try await task.value
        }

        /// Keeps the result of a read, unless the chunk was written or deleted since the read began.
        private func finish(_ path: ExactText, _ number: UInt64, _ data: Data?) {
            state.withLock { state in
                guard state.items[path]?.number == number else { return }
                guard let data, data.count <= limit else { return state.remove(path) }
                state.items[path]?.size = data.count
                state.bytes += data.count
                guard state.bytes > limit else { return }
                // A quarter of the cache is evicted at once, so that the sorting costs little per chunk.
                for (other, item) in state.items.sorted(by: { $0.value.lastUse < $1.value.lastUse })
                where item.size > 0 && other != path {
                    state.remove(other)
                    if state.bytes <= limit - limit / 4 { break }
                }
            }
        }

        /// Removes a chunk, and prevents a read in progress from being kept.
        func remove(_ path: ExactText) { state.withLock { $0.remove(path) } }
    }
}
