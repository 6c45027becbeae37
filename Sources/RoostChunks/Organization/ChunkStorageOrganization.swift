/// A mapping between chunk identifiers and the paths at which chunks are stored.
///
/// Every implementation obeys three laws: a path is valid if and only if some identifier maps to it; the
/// identifier that is parsed from an identifier's path is that identifier; and two different identifiers
/// never map to the same path, nor to paths that differ only in case.
public protocol ChunkStorageOrganization: Sendable {
    /// A short machine-readable name, such as `git-style` or `flat`.
    var name: String { get }
    /// A description for people, of at most one sentence.
    var description: String { get }

    /// Returns the path of a chunk, relative to the root of the storage, with `/` between its components.
    func storagePath(for identifier: ChunkIdentifier) -> String

    /// Returns the identifier whose path is `path`, or `nil` if the path is not valid.
    func identifier(from path: String) -> ChunkIdentifier?

    /// Returns whether `path` is the path of some identifier.
    func isValidPath(_ path: String) -> Bool
}
