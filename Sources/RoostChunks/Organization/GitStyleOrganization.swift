/// An organization that distributes chunks over folders by the first characters of their names, as Git does
/// with its objects: `a1/b2/a1b2c3…`.
///
/// With digests as identifiers, the chunks are spread evenly, so no folder becomes large.
public struct GitStyleOrganization: ChunkStorageOrganization {
    /// The number of folders above each chunk.
    public let directoryDepth: Int

    /// The number of characters of a chunk's name that form the name of one folder.
    private static let folderNameLength = 2

    /// The padding of a folder's name if the chunk's name is too short. This character never occurs in the
    /// name of a chunk.
    private static let filler = Character("=")

    /// Creates an organization with the given number of folder levels.
    ///
    /// - Parameter directoryDepth: The number of folders above each chunk.
    /// - Precondition: `directoryDepth` is from 0 to 8.
    public init(directoryDepth: Int = 2) {
        precondition((0...8).contains(directoryDepth), "directoryDepth must be from 0 to 8")
        self.directoryDepth = directoryDepth
    }

    public var name: String { "git-style" }

    public var description: String {
        "chunks in nested folders, named after the first \(Self.folderNameLength * directoryDepth) "
            + "characters of the chunk's name, two characters per folder"
    }

    public func storagePath(for identifier: ChunkIdentifier) -> String {
        let components = ChunkName.components(of: identifier)
        return (folders(of: components) + components).joined(separator: "/")
    }

    public func identifier(from path: String) -> ChunkIdentifier? {
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        guard components.count > directoryDepth,
            let identifier = ChunkName.identifier(of: components[directoryDepth...]),
            storagePath(for: identifier).utf8.elementsEqual(path.utf8)
        else { return nil }
        return identifier
    }

    public func isValidPath(_ path: String) -> Bool { identifier(from: path) != nil }

    private func folders(of components: [String]) -> [String] {
        guard let first = components.first else { return [] }
        let length = Self.folderNameLength
        let characters = Array(first)
        return (0..<directoryDepth).map { level in
            let pair = characters.dropFirst(length * level).prefix(length)
            // A folder name that ended in `+` would be mistaken for a component of the chunk's name.
            return String(pair.map { $0 == "+" ? Self.filler : $0 })
                + String(repeating: Self.filler, count: length - pair.count)
        }
    }
}
