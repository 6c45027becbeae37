public import Foundation

/// How chunks are read and written, by path: a file system, a bucket, a database.
///
/// Safe to call from any number of tasks at once. Paths are relative, with `/` between their parts. A chunk
/// that is not there is no error.
public protocol ChunkStorageRetrieval: Sendable {
    /// The bytes of a chunk; `nil` where there is none.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementer's.
    func readChunk(at path: String) async throws -> Data?

    /// Writes a chunk, in the place of one at the same path: readers see the old one or the new one.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementer's; what was there is there still.
    func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws

    /// Whether there is a chunk; `false` also where that cannot be told. Where the difference matters ask
    /// ``presence(at:)``.
    func chunkExists(at path: String) async -> Bool

    /// Removes a chunk.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementer's; the chunk may be there still.
    func deleteChunk(at path: String) async throws

    /// Whether there is a chunk.
    ///
    /// The default reads the chunk, since ``chunkExists(at:)`` cannot tell "absent" from "could not ask".
    /// - Throws: as ``readChunk(at:)``.
    func presence(at path: String) async throws -> Bool

    /// What was written with a chunk; `nil`, the default, where nothing is kept.
    ///
    /// - Throws: as ``readChunk(at:)``.
    func metadata(at path: String) async throws -> ChunkMetadata?

    /// Writes a chunk where there is none.
    ///
    /// - **Atomicity**: of several at once one succeeds, where the implementer says so; the default asks and
    ///   then writes.
    /// - Returns: `false` where there was one, which is left as it is.
    /// - Throws: as ``writeChunk(_:at:metadata:)``.
    func createChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws -> Bool

    /// The paths of all chunks in a folder and those below it, in no order; the empty one is all there is.
    ///
    /// - Throws: ``ChunkStorageError/unsupported(_:)``, which is the default; as ``readChunk(at:)``.
    func paths(in folder: String) async throws -> [String]

    /// Removes what writes that were interrupted left in a folder and those below it: parts of files, parts
    /// of uploads. Nobody else may be writing there meanwhile. The default has nothing to remove.
    ///
    /// - Throws: as ``deleteChunk(at:)``.
    func removeLeftovers(in folder: String) async throws
}

extension ChunkStorageRetrieval {
    public func presence(at path: String) async throws -> Bool { try await readChunk(at: path) != nil }

    public func metadata(at path: String) async throws -> ChunkMetadata? { nil }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        guard try await !presence(at: path) else { return false }
        try await writeChunk(data, at: path, metadata: metadata)
        return true
    }

    public func paths(in folder: String) async throws -> [String] {
        throw ChunkStorageError.unsupported("list what it has")
    }

    public func removeLeftovers(in folder: String) async throws {}
}
