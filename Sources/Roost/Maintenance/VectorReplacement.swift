import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The last phase of a model migration: replaces all vectors of a store while other writers wait.
///
/// The manifest announces the new space together with the epoch that the commit begins. Even if this process
/// is killed, the epoch of the storage shows which space the vectors belong to.
struct VectorReplacement {
    let directory: URL
    let space: EmbeddingSpace

    func run(_ collection: VectorCollection, _ report: inout ModelMigration.Report) async throws {
        let lock = try await BlockingWork.run { [directory] isCancelled in
            try StorageError.mappingFileErrors {
                try FileLock.acquire(
                    StoreConfiguration.lockURL(directory), timeout: StoreManifest.lockTimeout,
                    isCancelled: isCancelled)
            }
        }
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
            var entries: [Entry] = []
            for try await page in snapshot.entryPages() {
                entries += try await collection.migrated(page.entries, &report)
            }
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

    private func batch(
        _ entries: [Entry], replacing snapshot: any StorageSnapshot, beginning epoch: UUID
    ) async throws -> WriteBatch {
        var batch = WriteBatch(upserts: entries, newEpoch: epoch)
        batch.expecting.epoch = snapshot.stamp.epoch
        batch.expecting.revision = snapshot.stamp.revision
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        if !clusters.isEmpty || !assignments.isEmpty {
            let vectors = entries.byID.mapValues(\.embeddings)
            let forest = ClusterForest(clusters)
            let clusters = clusters.map { $0.moved(to: forest.members(of: $0), vectors) }
            let centroids = clusters.byID.mapValues(\.centroid).filter { !$0.value.isEmpty }
            batch.clustering = .init(
                run: try await snapshot.clusteringRun(), clusters: clusters,
                assignments: assignments.map { $0.moved(to: centroids, vectors) })
        }
        return batch
    }
}

extension Cluster {
    fileprivate static let minimumMembers = 3
    /// One in this many members may be less similar to the centroid than the assignment threshold. The
    /// threshold is thus the 5th percentile of the members' similarities, as it is for newly created
    /// clusters.
    fileprivate static let membersPerOutlier = 20

    /// Returns the cluster with the figures that follow from new vectors of its members.
    ///
    /// Separation and silhouette compare clusters with each other, and stability describes the old vectors.
    /// They stay empty until the next clustering computes them.
    fileprivate func moved(to members: [Entry.ID], _ vectors: [Entry.ID: [Float]]) -> Cluster {
        guard !centroid.isEmpty else { return self }
        var cluster = self
        cluster.centroid = unitMean(of: members.compactMap { vectors[$0] }) ?? []
        cluster.updatedAt = Date()
        (cluster.separation, cluster.silhouette, cluster.stability) = (nil, nil, nil)
        cluster.assignmentThreshold = nil
        guard !cluster.centroid.isEmpty else { return cluster }
        let ranked = members.compactMap { id in
            vectors[id].map { (id: id, cosine: innerProduct($0, cluster.centroid)) }
        }.sorted { ($1.cosine, $0.id) < ($0.cosine, $1.id) }
        cluster.cohesion = ranked.reduce(0) { $0 + $1.cosine } / Float(ranked.count)
        if ranked.count >= Self.minimumMembers {
            let index = ranked.count - 1 - ranked.count / Self.membersPerOutlier
            cluster.assignmentThreshold = ranked[index].cosine
        }
        cluster.representatives = ranked.prefix(representatives.count).map(\.id)
        return cluster
    }
}

extension Assignment {
    /// Returns the assignment with the similarity to the new centroid of its cluster; for an outlier, to the
    /// nearest one.
    fileprivate func moved(to centroids: [Cluster.ID: [Float]], _ vectors: [Entry.ID: [Float]]) -> Assignment
    {
        guard let vector = vectors[entry] else { return self }
        let candidates = cluster.map { [centroids[$0]].compactMap(\.self) } ?? Array(centroids.values)
        let cosines = candidates.map { innerProduct(vector, $0) }
        return changing(self) { $0.similarity = cosines.max() ?? similarity }
    }
}
