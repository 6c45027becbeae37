import Foundation

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

extension ChunkStorageOrganization {
    public func isValidPath(_ path: String) -> Bool { identifier(from: path) != nil }
}

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
}

/// An organization that distributes chunks over folders by the first characters of their names, as Git does
/// with its objects: `a1/b2/a1b2c3…`.
///
/// With digests as identifiers, the chunks are spread evenly, so no folder becomes large.
public struct GitStyleOrganization: ChunkStorageOrganization {
    /// The number of folders above each chunk.
    public let directoryDepth: Int

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

/// Encodes chunk identifiers as file names.
///
/// Lower-case ASCII letters, digits, `-` and `_` are written unchanged. Every other byte of the UTF-8 form is
/// written as `%` and two lower-case hexadecimal digits. A name therefore contains no separator, dot or
/// upper-case letter, so different chunks have different names even on file systems that ignore case. A name
/// that is too long for one file name is divided into path components; all components except the last end in
/// `+`.
enum ChunkName {
    /// The maximum length of a component, in bytes. File systems allow 255; the remainder is reserved for the
    /// prefix and suffix that a temporary file adds to the name.
    private static let maximumComponentLength = 180

    private static let unescaped = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-_")

    /// Returns the path components of an identifier's encoded name; only a long name has more than one.
    static func components(of identifier: ChunkIdentifier) -> [String] {
        // Only the digits of escapes are in upper case.
        let name = identifier.id.addingPercentEncoding(withAllowedCharacters: unescaped)?.lowercased() ?? ""
        let bytes = Array(name.utf8)
        return stride(from: 0, to: bytes.count, by: maximumComponentLength).map { start in
            let end = min(start + maximumComponentLength, bytes.count)
            return String(decoding: bytes[start..<end], as: UTF8.self) + (end < bytes.count ? "+" : "")
        }
    }

    /// Returns the identifier for which ``components(of:)`` returns exactly the given components, or `nil` if
    /// it returns them for no identifier.
    static func identifier(of components: ArraySlice<Substring>) -> ChunkIdentifier? {
        guard let last = components.last else { return nil }
        let name = components.dropLast().map { $0.dropLast() }.joined() + last
        guard let id = name.removingPercentEncoding, !id.isEmpty else { return nil }
        let identifier = ChunkIdentifier(id: id)
        // Other encodings of the identifier can be decoded, too, but only the canonical one is accepted.
        let isCanonical = self.components(of: identifier).elementsEqual(components) {
            $0.utf8.elementsEqual($1.utf8)
        }
        return isCanonical ? identifier : nil
    }
}
