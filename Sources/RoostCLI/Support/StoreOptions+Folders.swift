import Foundation
import Roost

extension StoreOptions {
    /// Returns the remembered folder with a path.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the store does not remember it.
    func syncedFolder(_ path: String, in store: KnowledgeStore) throws -> SyncedFolder {
        let folder = SyncedFolder(URL(fileURLWithPath: path))
        if let found = try store.syncedFolders().first(where: { $0.path == folder.path }) { return found }
        throw RoostError(
            .notFound,
            "the store does not remember the folder \(Terminal.line(folder.path)); add it with "
                + "`roost add-folder`")
    }

    /// Returns the remembered folders of a store.
    ///
    /// A store that was found by walking upward may come from another person, for example with a cloned
    /// repository. Its list could name folders with private files.
    /// - Throws: ``CommandError`` with `.configuration` if a folder is outside of the folder that contains
    ///   such a store; ``RoostError`` with `.noInput` if the store remembers no folders.
    func trustedFolders(of opened: KnowledgeStore) throws -> [SyncedFolder] {
        let folders = try opened.syncedFolders()
        guard !folders.isEmpty else {
            throw RoostError(
                .noInput, "the store remembers no folders; add one with `roost add-folder PATH`")
        }
        guard store == nil, UserDirectories().environmentStore == nil else { return folders }
        let location = try location()
        guard location.lastPathComponent == ".roost" else { return folders }
        let above = location.deletingLastPathComponent().path
        let prefix = above == "/" ? above : above + "/"
        if let other = folders.first(where: { $0.path != above && !$0.path.hasPrefix(prefix) }) {
            throw CommandError(
                .configuration,
                "refused to read \(Terminal.line(other.path)): the store in \(Terminal.line(location.path)) "
                    + "was found in a parent folder, and names a folder outside of it; if you trust this "
                    + "store, name it with --store")
        }
        return folders
    }
}
