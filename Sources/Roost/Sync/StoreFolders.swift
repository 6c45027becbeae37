package import Foundation
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
        guard let directory = store.directory else { return [] }
        return try SyncedFolders(in: directory).folders.map {
            changing($0) { $0.converters = store.settings.converters }
        }
    }

    /// Remembers a folder, so that ``sync(_:_:)`` keeps the store up to date with it. A folder with the same
    /// path is replaced.
    ///
    /// - Throws: ``RoostError`` with `.noInput` if the path is not a folder, with `.badInput` if the
    ///   description is invalid or the folder belongs to the store itself, or with `.configuration` if the
    ///   store has no folder; `StorageError`.
    public func add(_ folder: SyncedFolder) async throws {
        try folder.finder.checkPatterns()
        guard try FileFinder.isFolder(folder.url) else {
            throw RoostError(.noInput, "cannot add the folder \(folder.path): it is not a folder")
        }
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
    /// - Parameter folders: The folders, which the store need not remember.
    /// - Throws: `StorageError`; `EmbedderError`; `CancellationError`; the errors of the functions in the
    ///   options.
    @concurrent @discardableResult
    public func sync(
        _ folders: [SyncedFolder], _ options: SyncOptions = SyncOptions()
    ) async throws -> IngestReport {
        var trees = folders.map { folder in
            // Unchanged files are read again if the folder of their originals is missing.
            let lacksOriginals = folder.keepsOriginals && store.originals?.exists != true
            return SyncTree(
                folder: folder,
                state: lacksOriginals ? SyncState() : SyncState(of: folder, in: store.directory))
        }
        let report = try await FolderSync(store: store, options: options).run(&trees).report
        guard !options.isDryRun else { return report }
        let remembered = Set(try all().map(\.id))
        for index in trees.indices where remembered.contains(trees[index].folder.id) {
            // Without the state, the next sync reads all files, which is no reason to fail.
            try? trees[index].state.save(of: trees[index].folder, in: store.directory)
        }
        return report
    }

    /// Ingests a file with the options of the remembered folder that contains it.
    package func ingest(file: URL) async throws -> IngestReport {
        var own = SyncedFolder(file)
        own.converters = store.settings.converters
        let folders = try all().filter { $0.relativePath(of: own.path) != nil }
        let folder = folders.max { $0.path.utf8.count < $1.path.utf8.count } ?? own
        return try await ingest(file, pruning: false, FileFinder(), folder.reader, nil)
    }

    /// Syncs a folder that the store does not remember, or ingests a file.
    func ingest(
        _ location: URL, pruning: Bool, _ finder: FileFinder, _ reader: RecordReader,
        _ progress: (@Sendable (IngestProgress) -> Void)?
    ) async throws -> IngestReport {
        guard try FileFinder.isFolder(location) else {
            let draft: SourceDraft
            do {
                draft = try await reader.read(location, for: store)
            } catch let error as RoostError {
                var report = IngestReport()
                report.skipped = [.init(location, error)]
                return report
            }
            return try await store.ingest([draft], IngestOptions(progress: progress))
        }
        var options = SyncOptions()
        options.decide = { _ in .remove }
        options.keepsMissing = { _ in !pruning }
        options.progress = progress
        var trees = [SyncTree(location, changing(finder) { $0.readers = reader.readers }, reader)]
        return try await FolderSync(store: store, options: options).run(&trees).report
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

/// The parameters of a sync.
public struct SyncOptions: Sendable {
    /// Whether to compute the report only, without changing the store.
    public var isDryRun = false
    /// Decides about a folder whose files seem to be missing by mistake. By default, nothing is changed for
    /// such a folder.
    public var decide: @Sendable (RemovalRisk) async throws -> RemovalDecision = { _ in .skipFolder }
    /// Called with the number of entries before entries are removed, for example to create a backup.
    public var willRemove: @Sendable (Int) async throws -> Void = { _ in }
    /// Called with a description of the other process if the sync has to wait for it.
    public var onWaiting: @Sendable (String) -> Void = { _ in }
    /// Receives the progress after each commit.
    public var progress: (@Sendable (IngestProgress) -> Void)?
    /// Returns whether the entries of a missing file are not removed yet.
    var keepsMissing: @Sendable (Source.ID) -> Bool = { _ in false }
    /// The resolution of the times of files, in nanoseconds. A file that was changed later than this time
    /// before a sync is read again by the next one.
    var settlingTime = FileStatus.settlingTime
    /// Called with the path of each folder before its contents are listed.
    var willEnter: @Sendable (String) -> Void = { _ in }

    /// Creates options with default values.
    public init() {}
}

/// A reason not to remove the entries of missing files without the consent of the user.
public struct RemovalRisk: Sendable, Hashable, CustomStringConvertible {
    /// The condition of the folder.
    public enum Reason: Sendable, Hashable {
        /// The folder does not exist.
        case missing
        /// The folder cannot be read.
        case unreadable
        /// More than 20% of the known files of the folder are missing.
        case manyFiles
    }

    /// The path of the folder.
    public var folder: String
    /// The condition of the folder.
    public var reason: Reason
    /// The number of known files that are missing and have not been moved.
    public var missingFiles: Int
    /// The number of known files.
    public var knownFiles: Int

    /// The maximum share of a folder's known files that are removed without consent, in percent.
    static let maximumShare = 20

    /// A sentence that describes the condition, without a final period.
    public var description: String {
        let files = "\(missingFiles) of \(knownFiles) known files"
        return switch reason {
        case .missing: "the folder \(folder) does not exist, so \(files) would be removed"
        case .unreadable: "the folder \(folder) cannot be read, so \(files) would be removed"
        case .manyFiles: "\(files) in \(folder) are missing"
        }
    }
}

/// The treatment of a folder with a ``RemovalRisk``.
public enum RemovalDecision: Sendable, Hashable {
    /// Sync the folder and remove the entries of missing files.
    case remove
    /// Sync the folder and keep the entries of missing files.
    case keep
    /// Change nothing for the folder.
    case skipFolder
}
