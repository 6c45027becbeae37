/// Which paths a retrieval takes: those that stay where they are told to be.
package enum ChunkPath {
    /// Beside chunks, in the same folder: what was written with them.
    static let metadataFolder = ".metadata"

    private static let longest = 3500

    /// - Throws: ``ChunkStorageError/invalidPath(_:)`` for one that is empty, absolute, has an empty part,
    ///   `.`, `..`, a NUL, or begins where metadata are kept.
    package static func check(_ path: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.isEmpty, path.utf8.count <= longest, !path.utf8.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 255 }),
            parts.first?.lowercased() != metadataFolder,
            // A temporary file's name is `.NAME.PROCESS.NUMBER.tmp`.
            parts.last.map({ !($0.hasPrefix(".") && $0.hasSuffix(".tmp")) }) ?? false
        else { throw ChunkStorageError.invalidPath(path) }
    }

    /// What the paths in a folder begin with.
    static func prefix(of folder: String) throws -> String {
        guard !folder.isEmpty else { return "" }
        try check(folder)
        return folder + "/"
    }
}
