package import Foundation

extension StorageFinding {
    /// Returns the note about a file or folder with damaged or unfinished data that was kept.
    ///
    /// The note states the size, because every repair keeps the damaged data, and only the user can decide
    /// when to delete it.
    package static func kept(_ url: URL) -> StorageFinding {
        .note(
            url.path,
            "was kept for inspection and has \(size(of: url)) bytes; delete it when you no longer need it")
    }

    /// Returns the total size of a file, or of the files in a folder, in bytes.
    private static func size(of url: URL) -> Int {
        let manager = FileManager.default
        func size(_ path: String) -> Int {
            let attributes = try? manager.attributesOfItem(atPath: path)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return 0 }
            return attributes?[.size] as? Int ?? 0
        }
        let names = manager.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return names.reduce(size(url.path)) { $0 + size(url.path + "/" + $1) }
    }
}
