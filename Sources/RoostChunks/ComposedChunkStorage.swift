public import Foundation

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
