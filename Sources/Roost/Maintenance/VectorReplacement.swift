import Foundation
import RoostFiles
import RoostModel

/// The last phase of a model migration: replaces all vectors of a store while other writers wait.
///
/// The manifest announces the new space together with the epoch that the commit begins. Even if this process
/// is killed, the epoch of the storage shows which space the vectors belong to.
struct VectorReplacement {
    /// The store's folder.
    let directory: URL
    /// The new embedding space.
    let space: EmbeddingSpace

    /// Catches up with the last changes and commits the new vectors.
    ///
    /// - Throws: `StorageError`; `EmbedderError`; `CancellationError`. If an error is thrown, the store is
    ///   unchanged.
    func run(
        _ entries: inout MigratedEntries, _ collection: VectorCollection,
        _ report: inout ModelMigration.Report
    ) async throws {
        let lock = try await acquireLock()
        defer { lock.release() }
        var manifest = try StoreManifest.read(in: directory)
        // This process holds the store's lock, so its storage has to use another lock file.
        let lockURL = StoreConfiguration.insideLockURL(directory)
        let storage = try await StoreConfiguration(
            directory: directory, manifest: manifest, lockURL: lockURL
        ).open()
        defer { unlink(lockURL.path) }
        do {
            let snapshot = try await storage.snapshot()
            // An earlier migration may have been committed while the manifest still describes it as prepared.
            manifest.space = manifest.space(inEpoch: snapshot.stamp.epoch)
            try await entries.catchUp(with: storage, at: snapshot, collection, &report)
            let epoch = UUID()
            let batch = try await batch(entries, replacing: snapshot, beginning: epoch)
            try Task.checkCancellation()
            manifest.move = .init(space: space, epoch: epoch)
            try manifest.write(in: directory)
            _ = try await storage.commit(batch)
            report.entries = batch.upserts.count
            report.hasClusters = batch.clustering?.clusters.isEmpty == false
        } catch {
            // Remove the announcement if it is certain that the commit did not take place.
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
        // If the write fails, the next process that opens the store updates the manifest.
        try? manifest.write(in: directory)
        try? await storage.close()
    }

    private func acquireLock() async throws -> FileLock {
        let url = StoreConfiguration.lockURL(directory)
        return try await BlockingWork.run { isCancelled in
            try StorageError.mappingFileErrors {
                try FileLock.acquire(
                    url, timeout: StoreManifest.lockTimeout, isCancelled: isCancelled)
            }
        }
    }

    private func batch(
        _ migrated: MigratedEntries, replacing snapshot: any StorageSnapshot, beginning epoch: UUID
    ) async throws -> WriteBatch {
        var batch = WriteBatch(upserts: Array(migrated.entries.values), newEpoch: epoch)
        batch.expecting.epoch = snapshot.stamp.epoch
        batch.expecting.revision = snapshot.stamp.revision
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        if !clusters.isEmpty || !assignments.isEmpty {
            var translation = ClusterTranslation(
                vectors: migrated.entries.mapValues(\.embeddings), clusters: clusters,
                assignments: assignments)
            translation.run()
            batch.clustering = .init(
                run: try await snapshot.clusteringRun(), clusters: translation.clusters,
                assignments: translation.assignments)
        }
        return batch
    }
}
