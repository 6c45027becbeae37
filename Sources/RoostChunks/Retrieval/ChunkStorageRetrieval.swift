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
    /// ``presence(at:)`` to distinguish the two cases.
    func chunkExists(at path: String) async -> Bool

    /// Deletes a chunk. Deleting a chunk that does not exist is not an error.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation. In that case, the chunk may still
    ///   exist.
    func deleteChunk(at path: String) async throws

    /// Returns whether a chunk exists.
    ///
    /// The default implementation reads the chunk, because ``chunkExists(at:)`` cannot distinguish a missing
    /// chunk from a backend that cannot be read.
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

    /// Returns the paths of all chunks in a folder and its subfolders, in no particular order. An empty
    /// string stands for the root.
    ///
    /// - Throws: ``ChunkStorageError/unsupported(_:)`` in the default implementation; otherwise the same
    ///   errors as ``readChunk(at:)``.
    func paths(in folder: String) async throws -> [String]

    /// Returns all chunks in a folder and its subfolders with their sizes, in no particular order. An empty
    /// string stands for the root. The size is that of the bytes that ``readChunk(at:)`` returns for an
    /// intact chunk.
    ///
    /// The default implementation calls ``paths(in:)`` and returns no sizes.
    ///
    /// - Throws: The same errors as ``paths(in:)``.
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
        throw ChunkStorageError.unsupported("list its chunks")
    }

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        try await paths(in: folder).map { ListedChunk(path: $0) }
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

/// A decorator that verifies content-addressed chunks: the name of a chunk must be the digest of its bytes
/// (``ChunkIdentifier/init(hashing:)``).
public struct VerifyingRetrieval: ChunkRetrievalDecorator {
    public let wrapped: any ChunkStorageRetrieval
    private let organization: any ChunkStorageOrganization

    /// Creates a decorator.
    ///
    /// - Parameters:
    ///   - wrapped: The retrieval whose bytes are verified. Decorators that compress or encrypt must be below
    ///     this one, because the names are digests of the original bytes.
    ///   - organization: Finds the identifiers of chunks in their paths.
    public init(
        wrapped: any ChunkStorageRetrieval,
        organization: any ChunkStorageOrganization = GitStyleOrganization()
    ) {
        (self.wrapped, self.organization) = (wrapped, organization)
    }

    /// Returns the bytes of a chunk, or `nil` if the chunk does not exist.
    ///
    /// - Throws: ``ChunkStorageError/corrupt(path:reason:)`` if the digest does not match.
    public func readChunk(at path: String) async throws -> Data? {
        guard let data = try await wrapped.readChunk(at: path) else { return nil }
        guard await Self.digest(data) == organization.identifier(from: path) else {
            throw ChunkStorageError.corrupt(
                path: path, reason: "the digest of its bytes does not match its name")
        }
        return data
    }

    /// Writes a chunk.
    ///
    /// - Throws: ``ChunkStorageError/invalidPath(_:)`` if the path does not belong to the digest of the
    ///   bytes.
    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await check(data, path)
        try await wrapped.writeChunk(data, at: path, metadata: metadata)
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await check(data, path)
        return try await wrapped.createChunk(data, at: path, metadata: metadata)
    }

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        try await wrapped.chunks(in: folder)
    }

    private func check(_ data: Data, _ path: String) async throws {
        guard await Self.digest(data) == organization.identifier(from: path) else {
            throw ChunkStorageError.invalidPath(path)
        }
    }

    @concurrent
    private static func digest(_ data: Data) async -> ChunkIdentifier { ChunkIdentifier(hashing: data) }
}
