public import Foundation
public import RoostBackups
public import RoostChunks
import RoostFiles
public import RoostModel

/// Backups of a store in a folder.
public struct StoreBackup: Sendable {
    /// The store's folder.
    public let directory: URL

    public init(_ directory: URL) { self.directory = directory }

    /// Under which a snapshot has the store's manifest.
    private static let manifestKey = "store.json"
    /// What snapshots that nobody asked for are tagged with.
    public static let automaticTag = "automatic"
    /// Whoever removes so many entries at once makes one first.
    public static let fewestRemovals = 100
    /// How many of those stay, with the newest of each of the last days.
    public static let automaticRetention = BackupRetention(last: 3, daily: 7)

    /// Where a store keeps backups of its own: `backups/repository` in its folder, beside whole copies.
    public var ownRepository: URL {
        directory.appendingPathComponent("backups", isDirectory: true)
            .appendingPathComponent("repository", isDirectory: true)
    }

    // MARK: Repositories

    /// The repository in a folder, made where there is none.
    ///
    /// - Throws: as ``openOrCreate(in:named:passphrase:)``.
    public static func openOrCreate(_ folder: URL, passphrase: String? = nil) async throws -> BackupRepository
    {
        // What a process left that was killed as it made one is nobody's.
        let left = Set(AtomicFile.leftovers(in: folder))
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
            .filter { !left.contains($0) }
        let hasConfiguration = FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("config").path)
        guard names.isEmpty || hasConfiguration else { throw hasOthers(folder.path) }
        return try await openOrCreate(
            in: FileSystemRetrieval(baseURL: folder), named: folder.path, passphrase: passphrase)
    }

    /// The repository in a retrieval, made where there is none.
    ///
    /// - Parameter name: of the place, for messages.
    /// - Throws: ``BackupError``: `.exists` where there are chunks of others; `.wrongPassphrase`, …;
    ///   ``ChunkStorageError``.
    public static func openOrCreate(
        in retrieval: any ChunkStorageRetrieval, named name: String, passphrase: String? = nil
    ) async throws -> BackupRepository {
        if try await retrieval.presence(at: "config") {
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        }
        guard try await retrieval.paths(in: "").isEmpty else { throw hasOthers(name) }
        do {
            return try await BackupRepository.create(in: retrieval, passphrase: passphrase)
        } catch let error as BackupError where error.code == .exists {
            // Another process was quicker.
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        }
    }

    private static func hasOthers(_ place: String) -> BackupError {
        BackupError(
            .exists, "\(place) has files in it and is no backup repository; name one that is new or empty")
    }

    /// The repository in a retrieval.
    ///
    /// - Parameter name: of the place, for messages.
    /// - Throws: ``BackupError``: `.notFound`, `.wrongPassphrase`, …; ``ChunkStorageError``.
    public static func open(
        _ retrieval: any ChunkStorageRetrieval, named name: String, passphrase: String? = nil
    ) async throws -> BackupRepository {
        do {
            return try await BackupRepository.open(retrieval, passphrase: passphrase)
        } catch let error as BackupError where error.code == .notFound {
            throw BackupError(
                .notFound, "there is no backup repository in \(name); `roost backup create` makes one")
        }
    }

    // MARK: Creating

    /// Makes a snapshot of the store as it is now. Others may go on writing to it.
    ///
    /// - Parameter progress: told now and then how many entries have been read, and how many there are.
    /// - Throws: ``RoostError`` with `.noStore`; ``StorageError``; as
    ///   ``BackupRepository/create(of:tags:attributes:progress:)``.
    public func create(
        in repository: BackupRepository, tags: [String] = [],
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        let manifest = try StoreManifest.read(in: directory)
        let originals = OriginalStore(of: directory)
        // Before the snapshot: nobody tidies up what it names.
        let keeping = originals.exists ? try await originals.use() : nil
        defer { keeping?.release() }
        let storage = try await StoreConfiguration(directory: directory, manifest: manifest)
            .open(isForLooking: true)
        do {
            let snapshot = try await storage.snapshot()
            // What the vectors of this revision are, whatever move is prepared.
            var settled = manifest
            settled.space = manifest.space(inEpoch: snapshot.stamp.epoch)
            settled.move = nil
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = String(decoding: try encoder.encode(settled), as: UTF8.self)
            let report = try await repository.create(
                of: snapshot, tags: tags, attributes: [Self.manifestKey: text],
                documents: originals.exists ? originals.storage : nil, progress: progress)
            try await storage.close()
            return report
        } catch {
            try? await storage.close()
            throw error
        }
    }

    /// Makes a snapshot in the store's own repository before something rewrites much of it, and lets old ones
    /// of the kind go.
    ///
    /// - Parameters:
    ///   - passphrase: of the repository, where it has one.
    ///   - forgetsOld: whether old ones go: not where the store may be worse than they are.
    /// - Returns: `nil` for a store without entries.
    /// - Throws: as ``create(in:tags:progress:)``; nothing should be rewritten then.
    @discardableResult
    public func createAutomatically(
        passphrase: String? = nil, forgetsOld: Bool = true
    ) async throws -> BackupReport? {
        let repository = try await openOwn(passphrase)
        let report = try await create(in: repository, tags: [Self.automaticTag])
        guard forgetsOld else { return report }
        // The snapshot is made, whatever comes of the rest.
        guard let snapshots = try? await repository.readableSnapshots() else { return report }
        let automatic = snapshots.filter { $0.tags == [Self.automaticTag] }
        let kept = Self.automaticRetention.kept(of: automatic)
        let old = automatic.map(\.id).filter { !kept.contains($0) }
        if !old.isEmpty {
            // The snapshot is made; what could not be tidied up now is the next time.
            try? await repository.forget(old)
            _ = try? await repository.prune()
        }
        return report
    }

    /// The store's own repository. A passphrase that is meant for others opens one that has none.
    private func openOwn(_ passphrase: String?) async throws -> BackupRepository {
        do {
            return try await Self.openOrCreate(ownRepository, passphrase: passphrase)
        } catch let error as BackupError where error.code == .wrongPassphrase {
            if passphrase != nil, let open = try? await Self.openOrCreate(ownRepository) { return open }
            throw BackupError(
                .wrongPassphrase,
                "a backup has to be made first, and \(ownRepository.path) is encrypted: set "
                    + "ROOST_BACKUP_PASSWORD to its passphrase")
        }
    }

    // MARK: Restoring

    /// Makes a store of a snapshot, in a folder that is new or empty.
    ///
    /// The folder becomes a store with the last step: before that, whatever happens, it is none.
    /// - Parameters:
    ///   - provider: `nil` takes the one that the store had.
    ///   - onDamagedDocument: told the digest of a kept document that is damaged, which is left out then;
    ///     `nil` throws.
    ///   - progress: told now and then how many entries have been written, and how many there are.
    /// - Returns: the stamp of the store, whose history is a new one.
    /// - Throws: ``RoostError``: `.storeExists`, `.configuration` where the folder has files;
    ///   ``BackupError`` with `.damaged`; ``StorageError``; ``ChunkStorageError``; `CancellationError`. The
    ///   folder is as it was then.
    @discardableResult
    public func restore(
        _ snapshot: BackupSnapshot, from repository: BackupRepository,
        provider: StoreManifest.Provider? = nil, progress: @Sendable (Int, Int) -> Void = { _, _ in },
        onDamagedDocument: (@Sendable (String) -> Void)? = nil
    ) async throws -> Stamp {
        guard !StoreManifest.exists(in: directory) else {
            throw RoostError(.storeExists, "there is a store in \(directory.path) already")
        }
        guard let text = snapshot.attributes[Self.manifestKey],
            var manifest = try? JSONDecoder().decode(StoreManifest.self, from: Data(text.utf8))
        else {
            throw BackupError(
                .damaged,
                "snapshot \(snapshot.id.prefix(12)) does not say what the store was; it was not restored")
        }
        manifest.provider = provider ?? manifest.provider
        manifest.maximumSize = nil
        let manager = FileManager.default
        let wasThere = manager.fileExists(atPath: directory.path)
        do {
            try FileSystem.standard.createFolder(directory)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        guard try manager.contentsOfDirectory(atPath: directory.path).isEmpty else {
            throw RoostError(
                .configuration, "\(directory.path) has files in it; name a folder that is new or empty")
        }
        do {
            let storage = try await StoreConfiguration(directory: directory, manifest: manifest)
                .open(isForFilling: true)
            let stamp: Stamp
            do {
                stamp = try await repository.restore(
                    snapshot, into: storage,
                    documents: OriginalStore(of: directory, files: .deferring).storage,
                    progress: progress, onDamagedDocument: onDamagedDocument)
            } catch {
                try? await storage.close()
                throw error
            }
            try await storage.close()
            // It is a store from here on, and what it is of has to last.
            let directory = directory
            try await BlockingWork.run { _ in try FileSystem.synchronizeAll(around: directory) }
            try manifest.create(in: directory)
            return stamp
        } catch {
            // It was empty: what is in it is ours.
            for name in (try? manager.contentsOfDirectory(atPath: directory.path)) ?? [] {
                try? manager.removeItem(at: directory.appendingPathComponent(name))
            }
            if !wasThere { try? manager.removeItem(at: directory) }
            throw error
        }
    }
}
