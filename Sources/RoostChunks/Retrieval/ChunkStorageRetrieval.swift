public import Foundation

/// A component that reads and writes chunks by path: in a file system, a bucket or a database.
///
/// Implementations can be called from any number of tasks at the same time. Paths are relative, with `/`
/// between their components. A chunk that does not exist is not an error.
public protocol ChunkStorageRetrieval: Sendable {
    /// Returns the bytes of a chunk, or `nil` if the chunk does not exist.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation.
    func readChunk(at path: String) async throws -> Data?

    /// Writes a chunk. A chunk at the same path is replaced.
    ///
    /// - **Atomicity**: Readers see either the old chunk or the new one.
    /// - Throws: ``ChunkStorageError``, or an error of the implementation. In that case, the previous chunk
    ///   is unchanged.
    func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws

    /// Returns whether a chunk exists. If the backend cannot be read, the result is `false`; use
    /// ``presence(at:)``, which the default implementation calls, to distinguish the two cases.
    func chunkExists(at path: String) async -> Bool

    /// Deletes a chunk. Deleting a chunk that does not exist is not an error.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation. In that case, the chunk may still
    ///   exist.
    func deleteChunk(at path: String) async throws

    /// Returns whether a chunk exists.
    ///
    /// The default implementation reads the chunk.
    ///
    /// - Throws: The same errors as ``readChunk(at:)``.
    func presence(at path: String) async throws -> Bool

    /// Returns the metadata that was written with a chunk.
    ///
    /// The default implementation, which is intended for backends that keep no metadata, returns `nil`.
    ///
    /// - Returns: `nil` if the chunk does not exist or was written without metadata.
    /// - Throws: The same errors as ``readChunk(at:)``.
    func metadata(at path: String) async throws -> ChunkMetadata?

    /// Writes a chunk unless one exists at this path.
    ///
    /// - **Atomicity**: If an implementation documents that this method is atomic, exactly one of several
    ///   callers that create the same chunk at the same time succeeds. The default implementation checks for
    ///   the chunk and then writes it, which is not atomic.
    /// - Returns: `false` if a chunk already exists; the existing chunk is left unchanged.
    /// - Throws: The same errors as ``writeChunk(_:at:metadata:)``.
    func createChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws -> Bool

    /// Returns all chunks in a folder and its subfolders, in no particular order. An empty string stands for
    /// the root. The size of a chunk, if it is known, is that of the bytes that ``readChunk(at:)`` returns for
    /// an intact chunk.
    ///
    /// - Throws: ``ChunkStorageError/unsupported(_:)`` in the default implementation; otherwise the same
    ///   errors as ``readChunk(at:)``.
    func chunks(in folder: String) async throws -> [ListedChunk]

    /// Removes the remains of interrupted writes (parts of files or of uploads) in a folder and its
    /// subfolders.
    ///
    /// No other process may write there at the same time. The default implementation does nothing.
    ///
    /// - Throws: The same errors as ``deleteChunk(at:)``.
    func removeLeftovers(in folder: String) async throws
}

extension ChunkStorageRetrieval {
    public func chunkExists(at path: String) async -> Bool { (try? await presence(at: path)) ?? false }

    public func presence(at path: String) async throws -> Bool { try await readChunk(at: path) != nil }

    public func metadata(at path: String) async throws -> ChunkMetadata? { nil }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        guard try await !presence(at: path) else { return false }
        try await writeChunk(data, at: path, metadata: metadata)
        return true
    }

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        throw ChunkStorageError.unsupported("list its chunks")
    }

    /// Returns the paths of the chunks that ``chunks(in:)`` returns.
    public func paths(in folder: String) async throws -> [String] {
        try await chunks(in: folder).map(\.path)
    }

    public func removeLeftovers(in folder: String) async throws {}
}

/// A chunk in a list of the chunks of a storage.
public struct ListedChunk: Sendable, Hashable {
    /// The path of the chunk.
    public var path: String
    /// The size of the chunk in bytes; `nil` if the storage does not know it without reading the chunk.
    public var size: Int?

    /// Creates a list element.
    public init(path: String, size: Int? = nil) { (self.path, self.size) = (path, size) }
}

/// A retrieval that adds something to another one, such as compression, encryption or a cache.
///
/// Every method has a default implementation that calls ``wrapped``. A decorator implements only the methods
/// that it changes. Note that a decorator that changes bytes must implement `createChunk` in addition to
/// `readChunk` and `writeChunk`, and `chunks(in:)` if it changes their number.
public protocol ChunkRetrievalDecorator: ChunkStorageRetrieval {
    /// The retrieval that the decorator calls.
    var wrapped: any ChunkStorageRetrieval { get }
}

extension ChunkRetrievalDecorator {
    public func readChunk(at path: String) async throws -> Data? { try await wrapped.readChunk(at: path) }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await wrapped.writeChunk(data, at: path, metadata: metadata)
    }

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

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        try await wrapped.chunks(in: folder)
    }

    public func removeLeftovers(in folder: String) async throws {
        try await wrapped.removeLeftovers(in: folder)
    }
}
