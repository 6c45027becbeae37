public import Foundation

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
