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

    /// Embeds the last changes and commits the new vectors.
    func run(_ collection: VectorCollection, _ report: inout ModelMigration.Report) async throws {
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
        _ entries: [Entry], replacing snapshot: any StorageSnapshot, beginning epoch: UUID
    ) async throws -> WriteBatch {
        var batch = WriteBatch(upserts: entries, newEpoch: epoch)
        batch.expecting.epoch = snapshot.stamp.epoch
        batch.expecting.revision = snapshot.stamp.revision
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        if !clusters.isEmpty || !assignments.isEmpty {
            var translation = ClusterTranslation(
                vectors: entries.byID.mapValues(\.embeddings), clusters: clusters, assignments: assignments)
            translation.run()
            batch.clustering = .init(
                run: try await snapshot.clusteringRun(), clusters: translation.clusters,
                assignments: translation.assignments)
        }
        return batch
    }
}

/// Adapts clusters to new vectors of their members. The members stay the same.
struct ClusterTranslation {
    let vectors: [Entry.ID: [Float]]
    private(set) var clusters: [Cluster]
    private(set) var assignments: [Assignment]

    private static let minimumMembers = 3
    /// One in this many members may be less similar to the centroid than the assignment threshold. The
    /// threshold is thus the 5th percentile of the members' similarities, as it is for newly created
    /// clusters.
    private static let membersPerOutlier = 20

    mutating func run() {
        let forest = ClusterForest(clusters)
        for index in clusters.indices where !clusters[index].centroid.isEmpty {
            let members = forest.members(of: clusters[index]).filter { vectors[$0] != nil }
            update(&clusters[index], members: members)
        }
        updateSimilarities()
    }

    private func update(_ cluster: inout Cluster, members: [Entry.ID]) {
        cluster.centroid = unitMean(of: members.compactMap { vectors[$0] }) ?? []
        cluster.updatedAt = Date()
        // Separation and silhouette compare clusters with each other, and stability describes the old
        // vectors. They stay empty until the next clustering computes them.
        (cluster.separation, cluster.silhouette, cluster.stability) = (nil, nil, nil)
        cluster.assignmentThreshold = nil
        guard !cluster.centroid.isEmpty else { return }
        let ranked = members.map { (id: $0, cosine: innerProduct(vectors[$0] ?? [], cluster.centroid)) }
            .sorted { ($1.cosine, $0.id) < ($0.cosine, $1.id) }
        cluster.cohesion = ranked.reduce(0) { $0 + $1.cosine } / Float(max(1, ranked.count))
        if ranked.count >= Self.minimumMembers {
            let index = ranked.count - 1 - ranked.count / Self.membersPerOutlier
            cluster.assignmentThreshold = ranked[index].cosine
        }
        cluster.representatives = ranked.prefix(cluster.representatives.count).map(\.id)
    }

    private mutating func updateSimilarities() {
        let centroids = Dictionary(clusters.map { ($0.id, $0.centroid) }) { first, _ in first }
            .filter { !$0.value.isEmpty }
        for index in assignments.indices {
            guard let vector = vectors[assignments[index].entry] else { continue }
            if let cluster = assignments[index].cluster {
                guard let centroid = centroids[cluster] else { continue }
                assignments[index].similarity = innerProduct(vector, centroid)
            } else {
                // The similarity of an outlier is its similarity to the nearest cluster.
                let similarities = centroids.values.lazy.map { innerProduct(vector, $0) }
                assignments[index].similarity = similarities.max() ?? assignments[index].similarity
            }
        }
    }
}
