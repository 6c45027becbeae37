public import Foundation

/// A component that writes a set of chunks to one file.
public protocol ChunkStorageExport: Sendable {
    /// Writes chunks to a file. An existing file is replaced.
    ///
    /// - **Atomicity**: On failure, the previous file, if any, is unchanged.
    /// - Throws: ``ChunkStorageError`` if a chunk does not exist or the file cannot be written.
    func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws
}

/// A component that reads the chunks of a file that a ``ChunkStorageExport`` wrote.
public protocol ChunkStorageImport: Sendable {
    /// Adds the chunks of a file to the storage.
    ///
    /// - Returns: The identifiers of the chunks, in the order of the file.
    /// - Throws: ``ChunkStorageError`` if the file has another format or is corrupt. In that case, the chunks
    ///   before the fault have already been added.
    func importChunks(from file: URL) async throws -> [ChunkIdentifier]
}

/// Read-only access to chunks of another storage.
public protocol ChunkStorageSharing: Sendable {
    /// Returns the bytes of a chunk, or `nil` if the other storage does not have it.
    ///
    /// - Throws: ``ChunkStorageError`` if the other storage cannot be read or the chunk is corrupt.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// Returns whether the other storage has a chunk.
    ///
    /// - Throws: ``ChunkStorageError`` if the other storage cannot be read.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool
}

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
