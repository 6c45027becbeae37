public import Foundation

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
