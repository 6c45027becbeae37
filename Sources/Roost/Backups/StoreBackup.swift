public import Foundation
public import RoostBackups
import RoostChunks
import RoostFiles
public import RoostModel

/// Creates backups of the store in a folder and restores stores from backups.
public struct StoreBackup: Sendable {
    /// The store's folder.
    public let directory: URL

    /// Creates the backups of the store in `directory`.
    public init(_ directory: URL) { self.directory = directory }

    /// The name of the snapshot attribute that contains the store's manifest.
    private static let manifestKey = "store.json"
    /// The tag of snapshots that are created automatically.
    public static let automaticTag = "automatic"
    /// Programs should create a backup before they remove at least this many entries at once. Smaller
    /// removals are easy to review, and the most recent one can be undone.
    public static let minimumRemovalsForBackup = 100
    /// The rule for keeping automatic snapshots: the last three, and the newest of each of the last 7 days.
    public static let automaticRetention = BackupRetention(last: 3, daily: 7)

    /// The store's own backup repository: `backups/repository` in its folder.
    public var ownRepository: URL {
        directory.appendingPathComponent("backups", isDirectory: true)
            .appendingPathComponent("repository", isDirectory: true)
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
    ///   `BackupRepository/create(of:tags:attributes:progress:)`.
    public func create(
        in repository: BackupRepository, tags: [String] = [],
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        let manifest = try StoreManifest.read(in: directory)
        let originals = OriginalStore(of: directory)
        // The lock keeps the documents that the snapshot references from being removed before they are
        // copied.
        let lock = originals.exists ? try await originals.lockForWriting() : nil
        defer { lock?.release() }
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        return try await configuration.withStorage(.inspection) { storage in
            let snapshot = try await storage.snapshot()
            // The manifest may describe an unfinished migration to another model. Record the embedding space
            // that the vectors of this revision belong to.
            var settled = manifest
            settled.space = manifest.space(inEpoch: snapshot.stamp.epoch)
            settled.move = nil
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = String(decoding: try encoder.encode(settled), as: UTF8.self)
            return try await repository.create(
                of: snapshot, tags: tags, attributes: [Self.manifestKey: text],
                documents: originals.exists ? originals.storage : nil, progress: progress)
        }
    }

    /// Creates a snapshot in the store's own repository before an operation that rewrites much of the store,
    /// and removes old automatic snapshots.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase of the repository; `nil` if it is not encrypted.
    ///   - forgetsOld: Whether old snapshots are removed. Pass `false` if the store may be damaged.
    /// - Returns: `nil` for a store without entries.
    /// - Throws: As ``create(in:tags:progress:)``. If this call throws, the operation should not take place.
    @discardableResult
    public func createAutomatically(
        passphrase: String? = nil, forgetsOld: Bool = true
    ) async throws -> BackupReport? {
        let repository = try await openOwn(passphrase)
        let report = try await create(in: repository, tags: [Self.automaticTag])
        // The snapshot exists now. If removing old snapshots fails, the next call removes them.
        guard forgetsOld, let snapshots = try? await repository.readableSnapshots() else { return report }
        let automatic = snapshots.filter { $0.tags == [Self.automaticTag] }
        let kept = Self.automaticRetention.kept(of: automatic)
        let old = automatic.map(\.id).filter { !kept.contains($0) }
        if !old.isEmpty {
            try? await repository.forget(old)
            _ = try? await repository.prune()
        }
        return report
    }

    /// Opens the store's own repository.
    ///
    /// A passphrase from the environment may be meant for other repositories. If it is wrong, this function
    /// also tries to open the repository without a passphrase.
    private func openOwn(_ passphrase: String?) async throws -> BackupRepository {
        do {
            return try await Self.openOrCreate(ownRepository, passphrase: passphrase)
        } catch let error as BackupError where error.code == .wrongPassphrase {
            if passphrase != nil, let repository = try? await Self.openOrCreate(ownRepository) {
                return repository
            }
            throw BackupError(
                .wrongPassphrase,
                "cannot create the backup that this operation requires: \(ownRepository.path) is encrypted "
                    + "and the passphrase is missing or wrong",
                remedy: .provideBackupPassphrase)
        }
    }

    // MARK: Restoring

    /// Restores a snapshot into a new store, in a folder that is new or empty.
    ///
    /// - **Atomicity**: The folder becomes a store in the last step. If the call fails, the folder is
    ///   unchanged.
    /// - Parameters:
    ///   - snapshot: The snapshot to restore.
    ///   - repository: The repository that contains the snapshot.
    ///   - provider: The storage backend of the new store; `nil` for that of the original store.
    ///   - progress: Called repeatedly with the number of entries written so far and the number of all
    ///     entries.
    ///   - onDamagedDocument: Called with the digest of each damaged original document, which is then
    ///     omitted; if `nil`, a damaged document makes the call throw.
    /// - Returns: The stamp of the new store, which has a new epoch.
    /// - Throws: ``RoostError`` with `.storeExists`, or with `.configuration` if the folder contains files;
    ///   `BackupError` with `.damaged`; `StorageError`; `ChunkStorageError`; `CancellationError`.
    @discardableResult
    public func restore(
        _ snapshot: BackupSnapshot, from repository: BackupRepository,
        provider: StoreManifest.Provider? = nil,
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in },
        onDamagedDocument: (@Sendable (String) -> Void)? = nil
    ) async throws -> Stamp {
        guard !StoreManifest.exists(in: directory) else { throw RoostError.storeExists(in: directory) }
        guard let text = snapshot.attributes[Self.manifestKey],
            var manifest = try? JSONDecoder().decode(StoreManifest.self, from: Data(text.utf8))
        else {
            throw BackupError(
                .damaged,
                "cannot restore snapshot \(snapshot.id.prefix(12)): its copy of \(Self.manifestKey) is "
                    + "missing or damaged")
        }
        manifest.provider = provider ?? manifest.provider
        manifest.maximumSize = nil
        let manager = FileManager.default
        let folderExisted = manager.fileExists(atPath: directory.path)
        try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(directory) }
        guard try manager.contentsOfDirectory(atPath: directory.path).isEmpty else {
            throw RoostError(
                .configuration,
                "cannot restore into \(directory.path): the folder contains files; name a new or empty folder"
            )
        }
        do {
            let stamp = try await StoreConfiguration(directory: directory, manifest: manifest)
                .withStorage(.filling) { storage in
                    try await repository.restore(
                        snapshot, into: storage,
                        documents: OriginalStore(of: directory, files: .deferring).storage,
                        progress: progress, onDamagedDocument: onDamagedDocument)
                }
            // All files must be durable before the manifest makes the folder a store.
            try await BlockingWork.run { [directory] _ in
                try FileSystem.synchronizeAll(around: directory)
            }
            try manifest.create(in: directory)
            return stamp
        } catch {
            // The folder was empty before, so this call has created everything in it.
            for name in (try? manager.contentsOfDirectory(atPath: directory.path)) ?? [] {
                try? manager.removeItem(at: directory.appendingPathComponent(name))
            }
            if !folderExisted { try? manager.removeItem(at: directory) }
            throw error
        }
    }
}
