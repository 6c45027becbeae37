/// All chunks in one folder: for some thousands of them.
public struct FlatOrganization: ChunkStorageOrganization {
    public init() {}

    public var name: String { "flat" }

    public var description: String { "in one folder, each under its name" }

    public func storagePath(for identifier: ChunkIdentifier) -> String {
        ChunkName.parts(of: identifier).joined(separator: "/")
    }

    public func identifier(from path: String) -> ChunkIdentifier? {
        ChunkName.identifier(of: path.split(separator: "/", omittingEmptySubsequences: false)[...])
    }

    public func isValidPath(_ path: String) -> Bool { identifier(from: path) != nil }
}
