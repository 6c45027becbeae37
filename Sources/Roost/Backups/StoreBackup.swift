public import Foundation
public import RoostChunks
import RoostEncoders
import RoostFiles
import RoostModel

/// The location and the secret of the stores' own backup repositories.
public struct BackupSettings: Sendable {
    /// The folder that contains a repository for each store; `nil` for `roost/backups` in `$XDG_DATA_HOME` or,
    /// by default, in `~/.local/share`.
    public var folder: URL?
    /// The passphrase of the repositories; `nil` if they are not encrypted.
    public var passphrase: String?

    /// Creates settings.
    public init(folder: URL? = nil, passphrase: String? = nil) {
        (self.folder, self.passphrase) = (folder, passphrase)
    }
}

/// Creates backups of the store in a folder and restores stores from backups.
public struct StoreBackup: Sendable {
    /// The store's folder.
    public let directory: URL
    private let settings: BackupSettings

    /// Creates the backups of the store in `directory`.
    public init(_ directory: URL, _ settings: BackupSettings = BackupSettings()) {
        (self.directory, self.settings) = (directory, settings)
    }

    static let folderName = "backups"
    /// The name of the snapshot attribute that contains the store's manifest.
    static let manifestKey = "store.json"
    private static let automaticTag = "automatic"
    /// Programs should create a backup before they remove at least this many entries at once. Smaller
    /// removals are easy to review, and the most recent one can be undone.
    public static let minimumRemovalsForBackup = 100
    /// The rule for keeping automatic snapshots: the last three, and the newest of each of the last 7 days.
    private static let automaticRetention = BackupRetention(last: 3, daily: 7)

    /// The store's own backup repository: `NAME-ID` in the folder of the settings, outside of the store's
    /// folder, so that a lost folder does not include its backups. `NAME` is the name of the store's folder or,
    /// for `.roost`, of the folder that contains it; `ID` is the beginning of the store's id.
    public var ownRepository: URL {
        let folder = settings.folder ?? ModelLibrary.userData().appendingPathComponent(Self.folderName)
        let store = directory.standardizedFileURL
        let named = store.lastPathComponent == ".roost" ? store.deletingLastPathComponent() : store
        let prefix = named.lastPathComponent.replacing("/", with: "") + "-"
        var name = (try? StoreManifest.read(in: directory))?.store.map { prefix + $0.text.prefix(8) }
        if name == nil {
            // The repository of a lost store is the only one with its name.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            let found = names.filter { $0.hasPrefix(prefix) && $0.utf8.count == prefix.utf8.count + 8 }
            name = found.count == 1 ? found[0] : nil
        }
        return folder.appendingPathComponent(name ?? named.lastPathComponent, isDirectory: true)
    }

    // MARK: Creating

    /// Creates a snapshot of the current state of the store. Other processes may write to the store during
    /// the backup.
    ///
    /// - Parameters:
    ///   - repository: The repository that receives the snapshot.
    ///   - tags: The tags of the snapshot.
    ///   - progress: Called repeatedly with the number of entries read so far and the number of all entries.
    /// - Throws: ``RoostError`` with `.noStore`; `StorageError`; as
    ///   `BackupRepository/create(of:tags:attributes:documents:progress:)`.
    public func create(
        in repository: BackupRepository, tags: [String] = [],
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        let manifest = try StoreManifest.read(in: directory)
        let originals = OriginalStore(of: directory)
        // The lock keeps the documents that the snapshot references from being removed before they are
        // copied.
        let lock = originals.exists ? try await originals.lockForReading() : nil
        defer { lock?.release() }
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        return try await configuration.withStorage(.inspection) { storage in
            let snapshot = try await storage.snapshot()
            // The manifest may describe an unfinished migration to another model. Record the embedding space
            // that the vectors of this revision belong to.
            var settled = manifest
            settled.space = manifest.space(inEpoch: snapshot.stamp.epoch)
            settled.move = nil
            let text = String(decoding: try JSONEncoder.canonical.encode(settled), as: UTF8.self)
            return try await repository.create(
                of: snapshot, tags: tags, attributes: [Self.manifestKey: text],
                documents: originals.exists ? originals.storage : nil, progress: progress)
        }
    }

    /// Creates a snapshot in the store's own repository before an operation that rewrites much of the store,
    /// and removes old automatic snapshots.
    ///
    /// - Parameter forgetsOld: Whether old snapshots are removed. Pass `false` if the store may be damaged.
    /// - Returns: The report of the backup. If old snapshots cannot be removed, the backup is valid, and
    ///   `BackupReport/retentionFailure` is the cause.
    /// - Throws: `BackupError` with `.wrongPassphrase`; the errors of ``create(in:tags:progress:)``. If this
    ///   call throws, do not start the operation.
    @discardableResult
    public func createAutomatically(forgetsOld: Bool = true) async throws -> BackupReport {
        let repository = try await openOrCreateOwn()
        var report = try await create(in: repository, tags: [Self.automaticTag])
        guard forgetsOld else { return report }
        // The snapshot exists now, so a failure does not make the backup fail. Later calls try again.
        do {
            try await Self.forgetOld(in: repository)
        } catch is CancellationError {
            // The repository has no fault. The caller finds out in its next step that the task was canceled.
        } catch {
            report.retentionFailure = "\(error)"
        }
        return report
    }

    /// Removes the automatic snapshots that ``automaticRetention`` does not keep, and their data.
    private static func forgetOld(in repository: BackupRepository) async throws {
        let automatic = try await repository.snapshotList().snapshots.filter { $0.tags == [automaticTag] }
        let kept = automaticRetention.kept(of: automatic)
        let old = automatic.map(\.id).filter { !kept.contains($0) }
        guard !old.isEmpty else { return }
        try await repository.forget(old)
        _ = try await repository.prune()
    }

    /// Opens the store's own repository, or creates it with the passphrase.
    ///
    /// A passphrase from the environment may be meant for other repositories. If it is wrong, this function
    /// also tries to open the repository without a passphrase.
    package func openOrCreateOwn() async throws -> BackupRepository {
        // The repository must not create the folder of a store that was moved away.
        guard StoreManifest.exists(in: directory) else { throw RoostError.noStore(in: directory) }
        do {
            return try await Self.openOrCreate(ownRepository, passphrase: settings.passphrase)
        } catch let error as BackupError where error.code == .wrongPassphrase {
            if settings.passphrase != nil, let repository = try? await Self.openOrCreate(ownRepository) {
                return repository
            }
            throw BackupError(
                .wrongPassphrase,
                "cannot open the store's own backup repository: \(ownRepository.path) is encrypted and the "
                    + "passphrase is missing or wrong",
                remedy: .provideBackupPassphrase)
        }
    }

    package static let configurationName = "config"
    private static let snapshotsName = "snapshots"

    /// Opens the repository in a folder, or creates one if the folder is new or empty.
    ///
    /// - Throws: `BackupError` with `.badInput` if a new repository would be inside the folder of a store,
    ///   and not in its folder `backups`; the errors of ``openOrCreate(in:named:passphrase:)``.
    public static func openOrCreate(
        _ folder: URL, passphrase: String? = nil
    ) async throws -> BackupRepository {
        // A process that creates a repository, or ended while it did, may have left temporary files. They are
        // listed last, and the configuration is looked for after that, because another process can create
        // the repository at the same time.
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let leftovers = Set(AtomicFile.leftovers(in: folder))
        let names = all.filter { !leftovers.contains($0) }
        let hasConfiguration = FileManager.default.fileExists(
            atPath: folder.appendingPathComponent(configurationName).path)
        // A repository can have lost its configuration.
        guard names.isEmpty || hasConfiguration || names.contains(snapshotsName) else {
            throw containsOtherFiles(folder.path)
        }
        if !hasConfiguration, let outer = StoreManifest.store(around: folder),
            !outer.path.hasPrefix(StoreBackup.folderName + "/")
        {
            throw BackupError(
                .badInput,
                "cannot create a backup repository in \(folder.path): it is inside the folder of the store "
                    + "in \(outer.folder.path); name another folder")
        }
        return try await openOrCreate(
            in: FileSystemRetrieval(baseURL: folder), named: folder.path, passphrase: passphrase)
    }

    /// Opens the repository in a chunk storage, or creates one if the storage is empty.
    ///
    /// - Parameters:
    ///   - retrieval: The location of the repository.
    ///   - name: The name of the location, for messages.
    ///   - passphrase: The passphrase of the repository; `nil` for one that is not encrypted.
    /// - Throws: `BackupError` with `.exists` if the location contains other files, or with
    ///   `.wrongPassphrase`; `ChunkStorageError`.
    public static func openOrCreate(
        in retrieval: any ChunkStorageRetrieval, named name: String, passphrase: String? = nil
    ) async throws -> BackupRepository {
        func opened() async throws -> BackupRepository? {
            do {
                return try await BackupRepository.open(retrieval, passphrase: passphrase)
            } catch let error as BackupError where error.code == .notFound {
                return nil
            }
        }
        if let repository = try await opened() { return repository }
        do {
            if try await retrieval.paths(in: "").isEmpty {
                return try await BackupRepository.create(in: retrieval, passphrase: passphrase)
            }
        } catch let error as BackupError where error.code == .exists {}
        // Another process may have created the repository in the meantime.
        if let repository = try await opened() { return repository }
        throw containsOtherFiles(name)
    }

    private static func containsOtherFiles(_ location: String) -> BackupError {
        BackupError(
            .exists,
            "cannot create a backup repository in \(location): it contains other files; name a new or empty "
                + "location")
    }

    /// Opens the repository in a chunk storage, as ``openOrCreate(in:named:passphrase:)`` does.
    ///
    /// - Throws: `BackupError`, with `.notFound` or `.wrongPassphrase`; `ChunkStorageError`.
    public static func open(
        _ retrieval: any ChunkStorageRetrieval, named name: String, passphrase: String? = nil
    ) async throws -> BackupRepository {
        do {
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        } catch let error as BackupError where error.code == .notFound {
            throw BackupError(
                .notFound, "cannot open the backup repository in \(name): it does not exist",
                remedy: .createBackup)
        }
    }
}
