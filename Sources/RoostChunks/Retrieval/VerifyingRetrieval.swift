public import Foundation

/// Compares what is read with its name, which is the digest of its bytes
/// (``ChunkIdentifier/init(hashing:)``).
public struct VerifyingRetrieval: ChunkStorageRetrieval {
    private let wrapped: any ChunkStorageRetrieval
    private let organization: any ChunkStorageOrganization

    /// - Parameters:
    ///   - wrapped: gives the bytes that the names are digests of: what compresses or encrypts stands below.
    ///   - organization: finds the names in the paths.
    public init(
        wrapped: any ChunkStorageRetrieval,
        organization: any ChunkStorageOrganization = GitStyleOrganization()
    ) {
        (self.wrapped, self.organization) = (wrapped, organization)
    }

    /// - Throws: ``ChunkStorageError/corrupt(path:reason:)`` where the bytes are others.
    public func readChunk(at path: String) async throws -> Data? {
        guard let data = try await wrapped.readChunk(at: path) else { return nil }
        guard await Self.digest(data) == organization.identifier(from: path) else {
            throw ChunkStorageError.corrupt(path: path, reason: "its bytes are not those of its name")
        }
        return data
    }

    /// - Throws: ``ChunkStorageError/invalidPath(_:)`` for bytes under another name than theirs.
    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await check(data, path)
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
        try await check(data, path)
        return try await wrapped.createChunk(data, at: path, metadata: metadata)
    }

    public func paths(in folder: String) async throws -> [String] { try await wrapped.paths(in: folder) }

    public func removeLeftovers(in folder: String) async throws {
        try await wrapped.removeLeftovers(in: folder)
    }

    private func check(_ data: Data, _ path: String) async throws {
        guard await Self.digest(data) == organization.identifier(from: path) else {
            throw ChunkStorageError.invalidPath(path)
        }
    }

    @concurrent
    private static func digest(_ data: Data) async -> ChunkIdentifier { ChunkIdentifier(hashing: data) }
}
