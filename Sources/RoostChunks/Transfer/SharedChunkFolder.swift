public import Foundation

/// Read-only access to the folder of another ``ComposableFileSystemChunkStorage``.
public struct SharedChunkFolder: ChunkStorageSharing {
    private let storage: ComposableFileSystemChunkStorage

    /// Creates read-only access to a folder.
    ///
    /// - Parameters:
    ///   - baseURL: The folder of the other storage.
    ///   - organization: The organization of the other storage.
    public init(baseURL: URL, organization: any ChunkStorageOrganization = GitStyleOrganization()) {
        storage = ComposableFileSystemChunkStorage(baseURL: baseURL, organization: organization)
    }

    public func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
        try await storage.readChunk(identifier)
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        try await storage.chunkExists(identifier)
    }
}
