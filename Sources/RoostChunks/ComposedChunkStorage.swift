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
}

extension ChunkStorageComposable {
    public var export: (any ChunkStorageExport)? { nil }
    public var `import`: (any ChunkStorageImport)? { nil }
    public var sharing: (any ChunkStorageSharing)? { nil }

    public func writeChunk(
        _ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?
    ) async throws {
        try await retrieval.writeChunk(data, at: path(of: identifier), metadata: metadata)
    }

    /// Returns a chunk from this storage or, if it does not exist here, from the shared storage.
    public func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
        if let data = try await retrieval.readChunk(at: path(of: identifier)) { return data }
        return try await sharing?.readChunk(identifier)
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

    /// Returns, for each identifier, whether the chunk exists in this storage; shared chunks do not count.
    ///
    /// If the storage has an existence component, all identifiers are checked in one call to it.
    ///
    /// - Throws: ``ChunkStorageError`` if the storage cannot be read for one of them.
    public func chunksExist(_ identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        if let existence { return try await existence.presence(of: identifiers) }
        var result: [ChunkIdentifier: Bool] = [:]
        for identifier in identifiers where result[identifier] == nil {
            result[identifier] = try await retrieval.presence(at: path(of: identifier))
        }
        return result
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
    public let export: (any ChunkStorageExport)?
    public let `import`: (any ChunkStorageImport)?
    public let sharing: (any ChunkStorageSharing)?

    /// Creates a storage from its components.
    ///
    /// - Parameters:
    ///   - organization: The mapping between identifiers and paths.
    ///   - retrieval: The component that reads and writes chunks by path.
    ///   - existence: A faster existence check. It must look at the same backend, and use the same
    ///     organization, as the retrieval.
    ///   - export: The component that writes sets of chunks to a file.
    ///   - import: The component that reads sets of chunks from a file.
    ///   - sharing: Read access to chunks of another storage.
    public init(
        organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval,
        existence: (any ChunkStorageExistence)? = nil, export: (any ChunkStorageExport)? = nil,
        import: (any ChunkStorageImport)? = nil, sharing: (any ChunkStorageSharing)? = nil
    ) {
        self.organization = organization
        self.retrieval = retrieval
        self.existence = existence
        self.export = export
        self.import = `import`
        self.sharing = sharing
    }
}

/// A chunk storage that keeps each chunk in a file below a folder.
///
/// Writes are atomic. Once a write has returned, the chunk survives a power failure. Several processes can
/// read and write at the same time.
public struct ComposableFileSystemChunkStorage: ChunkStorageComposable {
    public let organization: any ChunkStorageOrganization
    public let retrieval: any ChunkStorageRetrieval
    public let existence: (any ChunkStorageExistence)?
    public var export: (any ChunkStorageExport)? {
        ChunkArchive(organization: organization, retrieval: retrieval)
    }
    public var `import`: (any ChunkStorageImport)? {
        ChunkArchive(organization: organization, retrieval: retrieval)
    }

    /// Creates a storage with a ``GitStyleOrganization`` of two folder levels.
    ///
    /// - Parameter baseURL: The folder of the storage. The first write creates it.
    public init(baseURL: URL) { self.init(baseURL: baseURL, organization: GitStyleOrganization()) }

    /// Creates a storage with a given organization.
    ///
    /// - Parameters:
    ///   - baseURL: The folder of the storage. The first write creates it.
    ///   - organization: The mapping of identifiers to paths. A storage must always be opened with the
    ///     organization that it was written with.
    public init(baseURL: URL, organization: any ChunkStorageOrganization) {
        self.organization = organization
        retrieval = FileSystemRetrieval(baseURL: baseURL)
        existence = FileSystemExistence(organization: organization, baseURL: baseURL)
    }
}
