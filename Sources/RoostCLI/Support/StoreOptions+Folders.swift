import Foundation
import Roost

extension StoreOptions {
    func syncedFolder(_ path: String, in store: KnowledgeStore) throws -> SyncedFolder {
        let folder = SyncedFolder(URL(fileURLWithPath: path))
        if let found = try store.syncedFolders().first(where: { $0.path == folder.path }) { return found }
        throw RoostError(
            .notFound,
            "the store does not remember the folder \(Terminal.line(folder.path)); `roost folder list` lists "
                + "the folders")
    }

    /// Returns the remembered folders of a store.
    ///
    /// A store that was found by walking upward may come from another person, for example with a cloned
    /// repository. Its list could name folders with private files.
    func trustedFolders(of opened: KnowledgeStore) throws -> [SyncedFolder] {
        let folders = try opened.syncedFolders()
        guard !folders.isEmpty else {
            throw RoostError(
                .noInput, "the store remembers no folders; add one with `roost folder add PATH`")
        }
        try requireTrust(in: folders)
        return folders
    }

    /// Checks the remembered folders of a store that was found by walking upward.
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
