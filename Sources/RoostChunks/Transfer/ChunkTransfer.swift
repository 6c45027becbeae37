public import Foundation

/// Writes a set of chunks out as one file.
public protocol ChunkStorageExport: Sendable {
    /// - Throws: ``ChunkStorageError``: one of the chunks is not there, or the file cannot be written. There
    ///   is no file then, or the one of before.
    func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws
}

/// Takes in what a ``ChunkStorageExport`` wrote.
public protocol ChunkStorageImport: Sendable {
    /// - Returns: the chunks of the file, in its order.
    /// - Throws: ``ChunkStorageError``: the file is none, or damaged. Chunks before the damage are there
    ///   then.
    func importChunks(from file: URL) async throws -> [ChunkIdentifier]
}

/// Looks at chunks that another storage keeps. They can be read, not written.
public protocol ChunkStorageSharing: Sendable {
    /// - Throws: ``ChunkStorageError``.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// - Throws: ``ChunkStorageError``, where it cannot be told.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool
}

/// The chunks of another storage's folder, to be read.
public struct SharedChunkFolder: ChunkStorageSharing {
    private let storage: ComposableFileSystemChunkStorage

    /// - Parameter organization: how the other storage puts its chunks.
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
