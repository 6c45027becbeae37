/// An organization that puts all chunks into one folder.
///
/// It is suitable for up to a few thousand chunks; for more, use ``GitStyleOrganization``.
public struct FlatOrganization: ChunkStorageOrganization {
    /// Creates the organization. It has no parameters.
    public init() {}

    public var name: String { "flat" }

    public var description: String { "all chunks in one folder, each in a file named after its identifier" }

    public func storagePath(for identifier: ChunkIdentifier) -> String {
        ChunkName.components(of: identifier).joined(separator: "/")
    }

    public func identifier(from path: String) -> ChunkIdentifier? {
        ChunkName.identifier(of: path.split(separator: "/", omittingEmptySubsequences: false)[...])
    }

    public func isValidPath(_ path: String) -> Bool { identifier(from: path) != nil }
}
