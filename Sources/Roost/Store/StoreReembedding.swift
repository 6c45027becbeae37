public import Foundation
import RoostBackups
import RoostFiles
public import RoostModel

/// Moves a store to another embedding space: every text is embedded anew, then all vectors are replaced in
/// one commit.
///
/// The vectors are gathered in a folder beside the store, which stays as it is until then: it can be searched
/// and written to. A call that did not come to its end is gone on with by the next one for the same space.
/// Clusters keep their ids, labels and members; their centroids are those of the new vectors.
public struct StoreReembedding: Sendable {
    public let directory: URL
    public let embedder: any Embedder
    /// Whether a snapshot of the store as it was is made in its own backups before vectors are replaced.
    public var makesBackup = true
    /// The passphrase of the store's own backups, where they have one.
    public var passphrase: String?

    /// - Parameter embedder: what the store's vectors shall be of.
    public init(of directory: URL, with embedder: any Embedder) {
        self.directory = directory
        self.embedder = embedder
    }

    /// What was done.
    public struct Report: Sendable, Hashable, Encodable {
        /// The space before.
        public var from: EmbeddingSpace
        public var to: EmbeddingSpace
        /// The entries of the store, all of which have vectors of the new space.
        public var entries = 0
        /// The entries whose texts this call embedded: others had been by an earlier one.
        public var embedded = 0
        public var tokens = 0
        /// Tokens that the model's limit left out.
        public var omittedTokens = 0
        /// Whether the store has clusters, which are still those that the old vectors gave.
        public var hasClusters = false
        /// The snapshot of the store as it was, in its own backups.
        public var backup: String?
        /// `false` where the store was of the space already.
        public var isMoved = false
    }

    /// How far a move has come.
    public struct Progress: Sendable, Hashable, Codable {
        /// What the store is being moved to.
        public var space: EmbeddingSpace
        /// Entries whose vectors have been gathered.
        public var done: Int
        public var total: Int
    }

    static func folder(_ directory: URL) -> URL { directory.appendingPathComponent("reembed") }

    private var folder: URL { Self.folder(directory) }

    /// The move that was begun and has not come to its end; `nil` where there is none that can be read.
    ///
    /// - Throws: ``RoostError``, ``StorageError`` where the store itself cannot be read.
    public static func unfinished(in directory: URL) async throws -> Progress? {
        let folder = folder(directory)
        guard let manifest = try? StoreManifest.read(in: folder),
            FileManager.default.fileExists(atPath: StoreConfiguration.databaseURL(folder).path)
        else { return nil }
        let whole = try await StoreManifest.settled(in: directory)
        guard let done = try? await count(manifest, in: folder) else { return nil }
        return Progress(space: manifest.space, done: done, total: try await count(whole, in: directory))
    }

    private static func count(_ manifest: StoreManifest, in folder: URL) async throws -> Int {
        let storage = try await StoreConfiguration(directory: folder, manifest: manifest)
            .open(isForLooking: true)
        let count = try? await storage.snapshot().stamp.entryCount
        try await storage.close()
        return count ?? 0
    }

    /// Gives up a move that was begun: what was gathered is removed, the store stays as it is.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``StorageError`` with `.locked` where it is under way.
    public static func discard(in directory: URL) async throws -> Bool {
        guard FileManager.default.fileExists(atPath: folder(directory).path) else { return false }
        let lock = try acquire(folder(directory))
        defer { lock.release() }
        _ = try await StoreManifest.settled(in: directory)
        try remove(folder(directory))
        return true
    }

    /// Moves the store.
    ///
    /// - Parameter progress: told after each batch.
    /// - Atomicity: at any moment the store is whole, and of one of the two spaces. Handles that were opened
    ///   before throw `.spaceMismatch` after. While the vectors are replaced, which takes as long as writing
    ///   them, writers and who opens the store wait.
    /// - Throws: ``RoostError``: `.noStore` and what else opening throws; ``EmbedderError``;
    ///   ``StorageError``: `.locked` where another call is at it; ``BackupError`` and ``ChunkStorageError``
    ///   where no backup can be made; `CancellationError` between batches. What
    ///   was embedded is kept for the next call.
    /// - Complexity: memory for all entries with their new vectors.
    public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws -> Report {
        guard StoreManifest.exists(in: directory) else { throw Self.noStore(directory) }
        let lock = try Self.acquire(folder)
        defer { lock.release() }
        let manifest = try await StoreManifest.settled(in: directory)
        let space = (try? await embedder.probedSpace()) ?? embedder.space
        var report = Report(from: manifest.space, to: space)
        guard !space.isCompatible(with: manifest.space) else {
            // What a process left that died after its work was done.
            let left = try? StoreManifest.read(in: folder).space
            if left.map(space.isCompatible) ?? true { try? Self.remove(folder) }
            return report
        }
        let storage = try await StoreConfiguration(directory: directory, manifest: manifest).open()
        do {
            let gathered = try await openGathered(space)
            do {
                let move = SpaceMove(storage: storage, gathered: gathered, progress: progress)
                try await move.gather(&report)
                if makesBackup {
                    let backup = try await StoreBackup(directory).createAutomatically(passphrase: passphrase)
                    report.backup = backup?.snapshot.id
                }
                var whole = SpaceMove.Whole()
                // What is written meanwhile becomes less each time, so that little is left for the end.
                for _ in 0..<8 {
                    let changed = try await move.bringUp(
                        &whole, to: try await storage.snapshot(), &report)
                    if changed < 32 { break }
                }
                try await replace(move, &whole, space, &report)
            } catch {
                try? await gathered.close()
                throw error
            }
            try? await gathered.close()
        } catch {
            try? await storage.close()
            throw error
        }
        try? await storage.close()
        // The move is made, whatever becomes of the rest.
        try? Self.remove(folder)
        report.isMoved = true
        return report
    }

    private static func noStore(_ directory: URL) -> RoostError {
        RoostError(.noStore, "there is no store in \(directory.path); `roost init` makes one")
    }

    /// Replaces the vectors while other writers wait: brings up what they wrote last, says in the manifest
    /// what the commit will mean, commits.
    private func replace(
        _ move: SpaceMove, _ whole: inout SpaceMove.Whole, _ space: EmbeddingSpace, _ report: inout Report
    ) async throws {
        let lockURL = StoreConfiguration.lockURL(directory)
        let lock = try await BlockingWork.run { isCancelled in
            do {
                return try FileLock.acquire(lockURL, timeout: 30, isCancelled: isCancelled)
            } catch let error as LockTimeout {
                throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
            } catch let error as FileError {
                throw StorageError(.inputOutput, error.description, underlying: error)
            }
        }
        defer { lock.release() }
        var manifest = try StoreManifest.read(in: directory)
        let inside = StoreConfiguration.insideLockURL(directory)
        let storage = try await StoreConfiguration(
            directory: directory, manifest: manifest, lockURL: inside
        ).open()
        defer { unlink(inside.path) }
        do {
            var move = move
            move.storage = storage
            let snapshot = try await storage.snapshot()
            // Of an earlier move that could not be settled.
            manifest.space = manifest.space(inEpoch: snapshot.stamp.epoch)
            try await move.bringUp(&whole, to: snapshot, &report)
            let batch = try await move.batch(of: whole, replacing: snapshot, beginning: UUID())
            try Task.checkCancellation()
            manifest.move = batch.newEpoch.map { .init(space: space, epoch: $0) }
            try manifest.write(in: directory)
            // Whatever becomes of this process, the storage's history tells from here on what the vectors
            // are.
            _ = try await storage.commit(batch)
            report.entries = batch.upserts.count
            report.hasClusters = batch.clustering?.clusters.isEmpty == false
        } catch {
            if let move = manifest.move, let epoch = try? await storage.snapshot().stamp.epoch,
                epoch != move.epoch
            {
                manifest.move = nil
                try? manifest.write(in: directory)
            }
            try? await storage.close()
            throw error
        }
        manifest.space = space
        manifest.move = nil
        // Where this fails, whoever opens the store does it.
        try? manifest.write(in: directory)
        try? await storage.close()
    }

    /// Where new vectors are gathered: a store of its own in the new space, with a copy of each text. One of
    /// another space, or one that is damaged, is begun anew; a full disk takes nothing away.
    private func openGathered(_ space: EmbeddingSpace) async throws -> KnowledgeStore {
        do {
            let found = try StoreManifest.read(in: folder)
            if found.space.isCompatible(with: space) {
                let storage = try await StoreConfiguration(directory: folder, manifest: found).open()
                return KnowledgeStore(storage: storage, embedder: embedder)
            }
        } catch let error as RoostError where [.noStore, .damagedManifest].contains(error.code) {
        } catch let error as StorageError where error.code == .damaged {
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != Self.busy {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        return try await KnowledgeStore.create(in: folder, embedder: embedder)
    }

    private static let busy = "busy"

    private static func acquire(_ folder: URL) throws -> FileLock {
        do {
            try FileSystem.standard.createFolder(folder)
            return try FileLock.acquire(folder.appendingPathComponent(busy), timeout: 0)
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "the store is being moved to another model by \(error.holder)", underlying: error,
                isRetryable: true)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    /// Out of sight first, so that nobody opens what is half removed.
    private static func remove(_ folder: URL) throws {
        let directory = folder.deletingLastPathComponent()
        do {
            let files = FileSystem.standard
            try files.rename(
                folder.path, to: directory.appendingPathComponent("\(leaving)\(UUID().uuidString)").path)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            // Those of processes that died at this too.
            for name in names where name.hasPrefix(leaving) {
                try files.removeFolder(directory.appendingPathComponent(name))
            }
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    private static let leaving = ".reembed-"
}
