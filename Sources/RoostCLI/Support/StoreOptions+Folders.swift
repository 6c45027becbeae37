import Foundation
import Roost

extension StoreOptions {
    /// Returns the remembered folder with a path.
    ///
    /// - Parameter advice: The next step if the store does not remember it.
    /// - Throws: ``RoostError`` with `.notFound` if the store does not remember it.
    func syncedFolder(
        _ path: String, in store: KnowledgeStore, else advice: String = "add it with `roost add-folder`"
    ) throws -> SyncedFolder {
        let folder = SyncedFolder(URL(fileURLWithPath: path))
        if let found = try store.syncedFolders().first(where: { $0.path == folder.path }) { return found }
        throw RoostError(
            .notFound,
            "the store does not remember the folder \(Terminal.line(folder.path)); \(advice)")
    }

    /// Returns the remembered folders of a store.
    ///
    /// A store that was found by walking upward may come from another person, for example with a cloned
    /// repository. Its list could name folders with private files.
    /// - Throws: The errors of ``requireTrust(in:)``; ``RoostError`` with `.noInput` if the store remembers
    ///   no folders.
    func trustedFolders(of opened: KnowledgeStore) throws -> [SyncedFolder] {
        let folders = try opened.syncedFolders()
        guard !folders.isEmpty else {
            throw RoostError(
                .noInput, "the store remembers no folders; add one with `roost add-folder PATH`")
        }
        try requireTrust(in: folders)
        return folders
    }

    /// Checks the remembered folders of a store that was found by walking upward.
    ///
    /// - Throws: ``CommandError`` with `.configuration` if a folder is outside of the folder that contains
    ///   such a store, or follows links.
    func requireTrust(in folders: [SyncedFolder]) throws {
        guard store == nil, UserDirectories().environmentStore == nil else { return }
        let location = try location()
        guard location.lastPathComponent == ".roost" else { return }
        let above = SyncedFolder(location.deletingLastPathComponent()).path
        let prefix = above == "/" ? above : above + "/"
        for folder in folders {
            // The stored path may contain `..`, or links that came with a repository.
            let path = SyncedFolder(URL(fileURLWithPath: folder.path)).path
            guard folder.followsLinks || (path != above && !path.hasPrefix(prefix)) else { continue }
            let reason = folder.followsLinks ? "follows links" : "names a folder outside of it"
            throw CommandError(
                .configuration,
                "refused to read \(Terminal.line(folder.path)): the store in \(Terminal.line(location.path)) "
                    + "was found in a parent folder, and \(reason); if you trust this store, name it with "
                    + "--store")
        }
    }
}
