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

/// Validation of chunk paths: a retrieval accepts only paths that stay below its root.
package enum ChunkPath {
    /// A path that is compared by its bytes, as file systems do. Strings are equal if their Unicode
    /// normalizations are, so different chunks of a custom organization could have equal paths.
    struct Key: Sendable, Hashable {
        let path: String

        init(_ path: String) { self.path = path }

        static func == (left: Key, right: Key) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

        func hash(into hasher: inout Hasher) {
            var path = path
            path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

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
