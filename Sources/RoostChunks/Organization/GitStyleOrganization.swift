/// Chunks in folders by the beginnings of their names, as Git keeps its objects: `a1/b2/a1b2c3…`. No folder
/// has many of them.
public struct GitStyleOrganization: ChunkStorageOrganization {
    /// How many folders are above a chunk.
    public let directoryDepth: Int

    /// What fills the name of a folder where the chunk's name is too short.
    private static let filler = Character("=")

    /// - Precondition: `directoryDepth` is from 0 to 8.
    public init(directoryDepth: Int = 2) {
        precondition((0...8).contains(directoryDepth), "0 to 8 folders above a chunk")
        self.directoryDepth = directoryDepth
    }

    public var name: String { "git-style" }

    public var description: String {
        "in folders by the first \(2 * directoryDepth) characters of the name, two to a folder"
    }

    public func storagePath(for identifier: ChunkIdentifier) -> String {
        if ChunkName.isPlain(identifier.id[...]) { return plainPath(identifier.id) }
        let parts = ChunkName.parts(of: identifier)
        return (folders(of: parts) + parts).joined(separator: "/")
    }

    public func identifier(from path: String) -> ChunkIdentifier? {
        // A plain name after its folders, which most are.
        let length = 3 * directoryDepth
        if path.utf8.count > length {
            let name = path[path.utf8.index(path.startIndex, offsetBy: length)...]
            if ChunkName.isPlain(name) {
                let id = String(name)
                return plainPath(id).utf8.elementsEqual(path.utf8) ? ChunkIdentifier(id: id) : nil
            }
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > directoryDepth,
            let identifier = ChunkName.identifier(of: parts[directoryDepth...]),
            storagePath(for: identifier).utf8.elementsEqual(path.utf8)
        else { return nil }
        return identifier
    }

    public func isValidPath(_ path: String) -> Bool { identifier(from: path) != nil }

    /// As ``storagePath(for:)``, of an identifier that is its own name.
    private func plainPath(_ id: String) -> String {
        var id = id
        return id.withUTF8 { id in
            String(unsafeUninitializedCapacity: 3 * directoryDepth + id.count) { path in
                var place = 0
                for level in 0..<directoryDepth {
                    for character in 2 * level..<2 * level + 2 {
                        path[place] = character < id.count ? id[character] : Self.filler.asciiValue ?? 0
                        place += 1
                    }
                    path[place] = UInt8(ascii: "/")
                    place += 1
                }
                for byte in id {
                    path[place] = byte
                    place += 1
                }
                return place
            }
        }
    }

    private func folders(of parts: [String]) -> [String] {
        guard let first = parts.first else { return [] }
        let characters = Array(first)
        return (0..<directoryDepth).map { level in
            let pair = characters.dropFirst(2 * level).prefix(2)
            // A `+` at the end would make the folder a part of a name.
            return String(pair.map { $0 == "+" ? Self.filler : $0 })
                + String(repeating: Self.filler, count: 2 - pair.count)
        }
    }
}
