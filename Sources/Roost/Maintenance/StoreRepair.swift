import Foundation
import RoostChunks
import RoostFiles
import RoostModel

/// Repairs a store in several steps, each of which reports what it did.
struct StoreRepair {
    private let directory: URL
    private let inspector: StoreInspector

    /// The maximum time to wait for the writers' lock, in seconds. If the lock cannot be acquired, temporary
    /// files are not removed.
    private static let lockTimeout: TimeInterval = 5

    init(_ inspector: StoreInspector) {
        self.inspector = inspector
        directory = inspector.directory
    }

    func run() async throws -> [StorageFinding] {
        let recovered = try RecoveredManifest(in: directory)
        var findings = recovered.findings
        guard let manifest = recovered.manifest else { return findings }
        // A prepared migration is resolved before the storage is repaired: the repair begins a new epoch, after
        // which the epoch no longer shows whether the migration was committed.
        if recovered.isIntact { _ = try? await StoreManifest.settled(in: directory) }
        let isSpaceKnown = (try? StoreManifest.read(in: directory).move == nil) ?? false
        // The storage whose files exist is repaired, whether or not it belongs to the manifest.
        var found = StoreConfiguration(directory: directory, manifest: manifest).withExistingStorage.manifest
        // On a server, the storage is found by its id.
        if found.provider != .postgres { found.store = nil }
        let configuration = StoreConfiguration(directory: directory, manifest: found)
        findings += await backUp()
        // Opening the storage would create an empty one.
        guard configuration.hasStorageFiles else {
            throw StorageError(
                .damaged, "cannot repair the store: \(configuration.storagePath) is missing",
                remedy: .restoreBackup)
        }
        let before = try? await configuration.storageStamp().store
        findings += try await configuration.repair()
        let store = try await configuration.storageStamp().store
        // A repair gives the storage a new id if the old one is lost.
        let isForeign = manifest.store != nil && before != nil && before != manifest.store
        let isOtherProvider =
            configuration.manifest.provider != manifest.provider && store != manifest.store
        if !isSpaceKnown || isForeign || isOtherProvider {
            findings.append(
                try await recovered.restore(configuration, store, with: inspector.embedders()))
        } else if store != manifest.store || configuration.manifest.provider != manifest.provider {
            let provider = configuration.manifest.provider
            try await BlockingWork.run { [directory] _ in
                try StoreManifest.change(in: directory) { manifest in
                    manifest.store = store
                    manifest.provider = provider
                }
            }
            findings.append(
                .note(StoreManifest.path(in: directory), "describes the \(provider.rawValue) storage now"))
        }
        // Without a valid manifest, the following steps cannot open the store.
        guard (try? StoreManifest.read(in: directory).store) == store else {
            try await removeTemporaryFiles()
            return findings
        }
        findings += try await removeInvalidAssignments(configuration)
        findings += try await replaceInvalidVectors(configuration)
        findings += try await moveDamagedOriginals()
        try await removeTemporaryFiles()
        return findings
    }

    /// Backs up a damaged store that can still be read. If the backup fails, the repair continues, because
    /// damaged files are kept anyway.
    private func backUp() async -> [StorageFinding] {
        guard let findings = try? await inspector.inspect(),
            findings.contains(where: { $0.severity == .damage })
        else { return [] }
        do {
            let report = try await StoreBackup(directory, inspector.backups)
                .createAutomatically(forgetsOld: false)
            return [
                .note(
                    directory.path,
                    "was backed up before the repair, as snapshot \(report.snapshot.id.prefix(8)) in its own "
                        + "backup repository")
            ]
        } catch {
            return [
                .note(
                    directory.path,
                    "could not be backed up before the repair (\(error)); damaged files are kept")
            ]
        }
    }

    private func removeInvalidAssignments(
        _ configuration: StoreConfiguration
    ) async throws -> [StorageFinding] {
        let count = try await configuration.withStorage { storage in
            let snapshot = try await storage.snapshot()
            let known = Set(try await snapshot.clusters().map(\.id))
            let invalid = try await snapshot.assignments(of: nil)
                .filter { $0.cluster.map(known.contains) == false }.map(\.entry)
            if !invalid.isEmpty { _ = try await storage.commit(WriteBatch(unassignments: invalid)) }
            return invalid.count
        }
        return count == 0 ? [] : [.note("assignments", "\(count) to missing clusters were removed")]
    }

    /// Recomputes vectors that are missing, not finite or not of unit length.
    private func replaceInvalidVectors(
        _ configuration: StoreConfiguration
    ) async throws -> [StorageFinding] {
        let dimension = try StoreManifest.read(in: directory).space.dimension
        let affected = try await configuration.withStorage { storage in
            var ids: [Entry.ID] = []
            for try await page in try await storage.snapshot().entryPages() {
                ids += page.entries.filter {
                    $0.embeddings.isEmpty || $0.hasInvalidVector(dimension: dimension)
                }.map(\.id)
            }
            return ids
        }
        return try await embedAgain(affected)
    }

    private static let batchSize = 256

    /// Embeds entries again, in several commits. If the model is unavailable, the entries keep their vectors, and
    /// a finding reports this.
    private func embedAgain(_ ids: [Entry.ID]) async throws -> [StorageFinding] {
        guard !ids.isEmpty else { return [] }
        let count = Count.text(ids.count, "entry", "entries")
        let subject = "\(count) with missing or invalid vectors or passages"
        do {
            let store = try await KnowledgeStore.open(at: directory) { try inspector.embedder(for: $0) }
            for batch in ids.groups(of: Self.batchSize) {
                try Task.checkCancellation()
                try await Self.embedAgain(batch, in: store)
            }
            try await store.close()
            return [.note("entries", "the vectors of \(subject) were computed again")]
        } catch let error where error is EmbedderError || error is RoostError {
            return [.note("entries", "\(subject) could not be embedded again (\(error))")]
        }
    }

    private static func embedAgain(_ ids: [Entry.ID], in store: KnowledgeStore) async throws {
        try await store.storage.commitChange { snapshot in
            let entries = try await snapshot.entries(ids).map {
                changing($0) { ($0.embeddings, $0.passages) = ([], []) }
            }
            var report = IngestReport()
            var batch = WriteBatch(
                upserts: try await store.entryEmbedder.embed(entries, reusing: nil, &report))
            // An entry that another process changes or removes in the meantime keeps that change.
            batch.expecting.revision = snapshot.stamp.revision
            return (batch, ())
        }
    }

    /// Moves original files that do not match their digests into a folder for damaged files. If all original
    /// files are missing, the manifest no longer states that the store has some.
    private func moveDamagedOriginals() async throws -> [StorageFinding] {
        let originals = OriginalStore(of: directory)
        if try StoreManifest.read(in: directory).hasOriginals == true, !originals.exists {
            try await BlockingWork.run { [directory] _ in
                try StoreManifest.change(in: directory) { $0.hasOriginals = nil }
            }
            return [.note(originals.folder.path, "is missing; the store continues without original files")]
        }
        let damaged = try await originals.damaged()
        guard !damaged.isEmpty else { return [] }
        let target = Self.folderForDamagedFiles(in: directory)
        try StorageError.mappingFileErrors {
            try FileSystem.standard.createFolder(target)
            for damage in damaged {
                // The last three components of the path form the digest.
                let name = "document-\(damage.path.split(separator: "/").suffix(3).joined())"
                try FileSystem.standard.rename(damage.path, to: target.appendingPathComponent(name).path)
            }
        }
        return damaged.map { .note($0.path, "was moved to \(target.path)") }
    }

    private func removeTemporaryFiles() async throws {
        try await BlockingWork.run { [directory] _ in
            do {
                // No other process can be writing a temporary file while this one holds the writers' lock.
                let lock = try FileLock.acquire(
                    StoreConfiguration.lockURL(directory), timeout: Self.lockTimeout)
                defer { lock.release() }
                for name in StoreChecks.temporaryFiles(in: directory) {
                    try FileSystem.standard.unlink(directory.appendingPathComponent(name).path)
                }
            } catch is LockTimeout {
                // Temporary files that remain only take up space. The next repair removes them.
            } catch {
                throw StorageError.mapping(error)
            }
        }
    }

    /// Returns the folder that receives damaged files, named after the current time.
    static func folderForDamagedFiles(in directory: URL) -> URL {
        directory.appendingPathComponent("damaged-\(DateText.string(from: Date()).filter(\.isNumber))")
    }
}
