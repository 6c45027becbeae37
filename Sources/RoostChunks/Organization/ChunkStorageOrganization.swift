/// Where chunks lie: a path for each identifier, and back.
///
/// Laws: a path is valid where, and only where, an identifier has it; the identifier of an identifier's path
/// is that identifier; two identifiers never have the same path, nor paths that differ in case only.
public protocol ChunkStorageOrganization: Sendable {
    /// A word for it: `git-style`, `flat`.
    var name: String { get }
    /// A sentence for people.
    var description: String { get }

    /// The path of a chunk, relative to the storage's folder, with `/` between its parts.
    func storagePath(for identifier: ChunkIdentifier) -> String

    /// The identifier that has a path; `nil` where none has.
    func identifier(from path: String) -> ChunkIdentifier?

    /// Whether an identifier has this path.
    func isValidPath(_ path: String) -> Bool
}
