public import Foundation

/// A chunk storage that is composed of an organization, a retrieval and, optionally, an existence check.
///
/// A conforming type declares the components; the methods of ``ChunkStorage`` have default implementations.
public protocol ChunkStorageComposable: ChunkStorage {
    /// The mapping between identifiers and paths.
    var organization: any ChunkStorageOrganization { get }
    /// The component that reads and writes chunks by path.
    var retrieval: any ChunkStorageRetrieval { get }
    /// A faster existence check than that of the retrieval, or `nil` to use the retrieval.
    var existence: (any ChunkStorageExistence)? { get }
    /// The component that writes sets of chunks to a file, or `nil` (the default) if the storage has no such component.
    var export: (any ChunkStorageExport)? { get }
    /// The component that reads sets of chunks from a file, or `nil` (the default) if the storage has no such component.
    var `import`: (any ChunkStorageImport)? { get }
    /// Read access to chunks of another storage, or `nil` (the default) if the storage has no such component.
    var sharing: (any ChunkStorageSharing)? { get }
    /// Whether every identifier is the digest of its chunk (``ChunkIdentifier/init(hashing:)``), which is then
    /// verified by each read and write. The default is `false`.
    var isContentAddressed: Bool { get }
}

extension ChunkStorageComposable {
    public var export: (any ChunkStorageExport)? { nil }
    public var `import`: (any ChunkStorageImport)? { nil }
    public var sharing: (any ChunkStorageSharing)? { nil }
    public var isContentAddressed: Bool { false }

    /// Writes a chunk. A chunk with the same identifier is replaced.
    ///
    /// - Throws: ``ChunkStorageError``, with `.invalidIdentifier` if the identifier must be the digest of the
    ///   bytes and is not.
    public func writeChunk(
        _ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?
    ) async throws {
        guard await isValid(data, identifier) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        try await retrieval.writeChunk(data, at: path(of: identifier), metadata: metadata)
    }

    /// Returns a chunk from this storage or, if it does not exist here, from the shared storage.
    public func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
        let path = try path(of: identifier)
        guard let data = try await retrieval.readChunk(at: path) else {
            return try await sharing?.readChunk(identifier)
        }
        guard await isValid(data, identifier) else {
            throw ChunkStorageError.corrupt(
                path: path, reason: "the digest of its bytes does not match its name")
        }
        return data
    }

    @concurrent
    private func isValid(_ data: Data, _ identifier: ChunkIdentifier) async -> Bool {
        !isContentAddressed || ChunkIdentifier(hashing: data) == identifier
    }

    public func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool {
        let path = try path(of: identifier)
        let existsLocally =
            if let existence {
                try await existence.presence(of: identifier)
            } else {
                try await retrieval.presence(at: path)
            }
        if existsLocally { return true }
        return try await sharing?.presence(of: identifier) ?? false
    }

    public func deleteChunk(_ identifier: ChunkIdentifier) async throws {
        try await retrieval.deleteChunk(at: path(of: identifier))
    }

    public func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata? {
        try await retrieval.metadata(at: path(of: identifier))
    }

    private func path(of identifier: ChunkIdentifier) throws -> String {
        guard !identifier.id.isEmpty else { throw ChunkStorageError.invalidIdentifier("") }
        let path = organization.storagePath(for: identifier)
        guard organization.isValidPath(path) else { throw ChunkStorageError.invalidPath(path) }
        return path
    }
}

/// A chunk storage that is composed of the given components.
///
/// Use it to combine components without declaring a type.
public struct ComposedChunkStorage: ChunkStorageComposable {
    public let organization: any ChunkStorageOrganization
    public let retrieval: any ChunkStorageRetrieval
    public let existence: (any ChunkStorageExistence)?
    public let sharing: (any ChunkStorageSharing)?
    public let isContentAddressed: Bool
    /// An archive in JSON Lines; see ``ChunkArchive``.
    public var export: (any ChunkStorageExport)? {
        ChunkArchive(organization: organization, retrieval: retrieval)
    }
    /// The chunks of such an archive; see ``ChunkArchive``.
    public var `import`: (any ChunkStorageImport)? {
        ChunkArchive(organization: organization, retrieval: retrieval)
    }

    /// Creates a storage from its components. The existence check must look at the same backend, and use the
    /// same organization, as the retrieval.
    public init(
        organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval,
        existence: (any ChunkStorageExistence)? = nil, sharing: (any ChunkStorageSharing)? = nil,
        isContentAddressed: Bool = false
    ) {
        (self.organization, self.retrieval) = (organization, retrieval)
        (self.existence, self.sharing) = (existence, sharing)
        self.isContentAddressed = isContentAddressed
    }
}

/// A chunk storage that keeps each chunk in a file below a folder.
public typealias ComposableFileSystemChunkStorage = ComposedChunkStorage

extension ComposedChunkStorage {
    /// Creates a storage that keeps each chunk in a file below a folder.
    ///
    /// Writes are atomic. Once a write has returned, the chunk survives a power failure. Several processes can
    /// read and write at the same time.
    ///
    /// - Parameters:
    ///   - baseURL: The folder of the storage. The first write creates it.
    ///   - organization: The mapping of identifiers to paths. A storage must always be opened with the
    ///     organization that it was written with.
    public init(baseURL: URL, organization: any ChunkStorageOrganization = GitStyleOrganization()) {
        self.init(
            organization: organization, retrieval: FileSystemRetrieval(baseURL: baseURL),
            existence: FileSystemExistence(organization: organization, baseURL: baseURL))
    }
}

/// A component that writes a set of chunks to one file.
public protocol ChunkStorageExport: Sendable {
    /// Writes chunks to a file. An existing file is replaced atomically.
    ///
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
