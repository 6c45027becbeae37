import RoostFiles

extension FolderListing {
    /// Returns the regular files and subfolders of a folder of chunks. Everything else, such as symbolic
    /// links, is omitted.
    ///
    /// - Returns: An empty array if the folder does not exist.
    /// - Throws: `FileError`.
    static func filesAndFolders(in folder: String) throws -> [Item] {
        do {
            return try FolderListing(folder).items.filter { $0.kind != .other }
        } catch let error as FileError where error.isMissing {
            return []
        }
    }
}
