public import Foundation

/// Chunks as files below a folder.
///
/// What is written is there in full or not at all, and survives a loss of power; several processes may read
/// and write at once.
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

    /// In folders by the beginnings of their names, two deep.
    public init(baseURL: URL) { self.init(baseURL: baseURL, organization: GitStyleOrganization()) }

    public init(baseURL: URL, organization: any ChunkStorageOrganization) {
        self.organization = organization
        retrieval = FileSystemRetrieval(baseURL: baseURL)
        existence = FileSystemExistence(organization: organization, baseURL: baseURL)
    }
}
