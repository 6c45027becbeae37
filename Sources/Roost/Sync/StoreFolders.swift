import Foundation
import RoostFiles
import RoostModel

/// The folders that a store remembers (``KnowledgeStore/folders``), and the store's synchronization with them.
public struct StoreFolders: Sendable {
    let store: KnowledgeStore

    /// Returns the folders that the store remembers, in the order in which they were added.
    ///
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat` if the list cannot be read;
    ///   `StorageError`.
    public func all() throws -> [SyncedFolder] {
        try store.directory.map { try SyncedFolders(in: $0).folders(with: store.settings.converters) } ?? []
    }

    /// Remembers a folder, so that ``sync(_:_:)`` keeps the store up to date with it. A folder with the same
    /// path is replaced.
    ///
    /// - Throws: ``RoostError`` with `.noInput` if the path is not a folder, with `.badInput` if the
    ///   description is invalid or the folder belongs to the store itself, or with `.configuration` if the
    ///   store has no folder; `StorageError`.
    public func add(_ folder: SyncedFolder) async throws {
        try folder.finder.checkPatterns()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue
        else { throw RoostError(.noInput, "cannot add the folder \(folder.path): it is not a folder") }
        let directory = try directory()
        // Each sync changes files of the store, so a watcher would never come to rest. The store's folder can
        // also be that of a project, whose other folders are not affected.
        if let own = FileSystem.resolvedPath(directory.path), let path = FileSystem.resolvedPath(folder.path),
            (path + "/").hasPrefix(own + "/"),
            path == own || StoreManifest.isOwnFile(String(path.dropFirst(own.count + 1)))
        {
            throw RoostError(
                .badInput,
                "cannot add the folder \(folder.path): it belongs to the store's own folder, whose files are "
                    + "not read; name another folder")
        }
        try await SyncedFolders.change(in: directory) { $0.add(folder) }
    }

    /// Forgets a folder. Its entries stay in the store.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the store does not remember the folder; `StorageError`.
    public func remove(_ folder: SyncedFolder) async throws {
        let directory = try directory()
        guard let removed = try await SyncedFolders.change(in: directory, { $0.remove(folder.path) }) else {
            throw RoostError(.notFound, "the store does not remember the folder \(folder.path)")
        }
        // A state that remains only takes up space: its file has the id of the folder, which is not used
        // again.
        try? SyncState.remove(of: removed, in: directory)
    }

    func directory() throws(RoostError) -> URL {
        guard let directory = store.directory else {
            throw RoostError(.configuration, "cannot add a folder: the store itself has no folder")
        }
        return directory
    }

    // MARK: Syncing

    /// Brings the store up to date with folders: reads new and changed files, and removes the entries of
    /// files that no longer exist. Entries of renamed and moved files keep their ids, vectors, tags and
    /// clusters.
    ///
    /// Files whose status has not changed since the last sync are not read.
    ///
    /// - **Atomicity**: Commits take place every few hundred entries. A source is moved in one commit, and
    ///   all removals are made in one commit.
    /// - **Visibility**: One sync of a store runs at a time; others wait for it.
    /// - **Cancellation**: Committed changes stay in the store; the next sync continues there.
    /// - Parameters:
    ///   - folders: The folders, which the store need not remember.
    ///   - options: The options, such as the decision about folders whose files seem to be missing by
    ///     mistake.
    /// - Returns: The numbers of changes, and the folders for which nothing was changed.
    /// - Throws: `StorageError`; `EmbedderError`; `CancellationError`; the errors of the functions in the
    ///   options.
    @concurrent @discardableResult
    public func sync(
        _ folders: [SyncedFolder], _ options: SyncOptions = SyncOptions()
    ) async throws -> SyncReport {
        var trees = folders.map { SyncTree(folder: $0, state: SyncState(of: $0, in: store.directory)) }
        let report = try await FolderSync(store: store, options: options).run(&trees)
        guard !options.isDryRun else { return report }
        for index in trees.indices {
            // Without the state, the next sync reads all files, which is no reason to fail.
            try? trees[index].state.save(of: trees[index].folder, in: store.directory)
        }
        return report
    }

    /// Keeps the store up to date with its remembered folders until the task is canceled.
    ///
    /// On Linux, the system reports changes (inotify); elsewhere, or if the limit of watched folders is
    /// reached, all folders are searched regularly. Changes of the list of folders take effect within
    /// seconds. Entries of missing files are kept where ``SyncOptions/decide`` would be asked.
    ///
    /// - Throws: `CancellationError`; ``RoostError`` with `.noInput` if the store remembers no folders;
    ///   `StorageError` if the store is damaged.
    @concurrent
    public func watch(_ options: WatchOptions = WatchOptions()) async throws {
        var watcher = try FolderWatcher(store: store, options: options)
        try await watcher.run()
    }
}
