/// Which paths a retrieval takes: those that stay where they are told to be.
package enum ChunkPath {
    /// Beside chunks, in the same folder: what was written with them.
    static let metadataFolder = ".metadata"

    private static let longest = 3500

    /// - Throws: ``ChunkStorageError/invalidPath(_:)`` for one that is empty, absolute, has an empty part,
    ///   `.`, `..`, a NUL, or begins where metadata are kept.
    package static func check(_ path: String) throws {
        if isPlain(path) { return }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.isEmpty, path.utf8.count <= longest, !path.utf8.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }),
            parts.first?.lowercased() != metadataFolder,
            // A temporary file's name is `.NAME.PROCESS.NUMBER.tmp`.
            parts.last.map({ !($0.hasPrefix(".") && $0.hasSuffix(".tmp")) }) ?? false
        else { throw ChunkStorageError.invalidPath(path) }
    }

    /// Whether a path is harmless at first sight, as those of the package's organizations are: no dots, and
    /// no long or empty parts.
    private static func isPlain(_ path: String) -> Bool {
        var length = 0
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "/"):
                guard length > 0 else { return false }
                length = 0
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="), UInt8(ascii: "%"):
                length += 1
            default: return false
            }
            guard length <= 255 else { return false }
        }
        return length > 0 && path.utf8.count <= longest
    }

    /// What the paths in a folder begin with.
    static func prefix(of folder: String) throws -> String {
        guard !folder.isEmpty else { return "" }
        try check(folder)
        return folder + "/"
    }
}
