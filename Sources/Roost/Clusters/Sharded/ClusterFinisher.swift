import Foundation
import RoostClustering
import RoostModel

/// Commits the clusters of a plan whose shards are complete, and removes the plan.
struct ClusterFinisher: Sendable {
    let storage: any StorageProvider
    let records: PlanRecords
    let boilerplate: (embedder: EntryEmbedder, catalog: BoilerplateCatalog)

    /// - Throws: See ``KnowledgeStore/finishClusters()``.
    @concurrent
    func run() async throws -> ReclusterReport {
        guard let plan = try await records.plan() else { throw ClusteringPlanStatus.missingPlan }
        let snapshot = try await storage.snapshot()
        try plan.check(snapshot.stamp)
        // A process that was killed between the commit and the removal of the plan has left the plan.
        if let run = try await snapshot.clusteringRun(), run.id == plan.run.id {
            try await records.remove()
            return try await Self.report(run, snapshot)
        }
        let status = ClusteringPlanStatus(plan, finished: try await records.finishedShards(of: plan))
        guard status.isComplete else { throw status.incompleteness }
        let sample = try await records.sample(of: plan)
        var assembly = ClusterAssembly(sample.partition, of: sample.vectors, ids: sample.ids)
        assembly.add(
            try await additions(status.shards, plan, sample.partition, of: snapshot.stamp.entryCount))
        try await assembly.countTexts(
            of: EntryTexts(snapshot, ids: plan.isComplete ? nil : sample.ids),
            without: BoilerplateLines(Set(plan.boilerplate)))
        let labelNotice = try await assembly.embedPhrases(with: boilerplate.embedder.embedder)
        var report = try await ClusteringCommit(storage: storage).run(
            assembly, plan.run, readFrom: snapshot)
        await boilerplate.catalog.save(
            BoilerplateCatalog.Contents(
                space: boilerplate.embedder.embedder.space, lines: plan.boilerplate))
        try await records.remove()
        report.boilerplateLines = plan.boilerplate
        report.notices += plan.notices + [labelNotice].compactMap(\.self)
        return report
    }

    /// Reads the entries of all shards. Those that are farthest from the sample become outliers, up to the
    /// permitted share of all entries.
    ///
    /// - Parameter entryCount: The number of entries of the store.
    private func additions(
        _ shards: [FinishedShard], _ plan: ClusteringPlan, _ partition: Partition, of entryCount: Int
    ) async throws -> [ClusterAssembly.Addition] {
        var additions: [ClusterAssembly.Addition] = []
        additions.reserveCapacity(min(entryCount, shards.reduce(0) { $0 + $1.entries.rows }))
        var far: [(index: Int, distance: SampleVote.Distance)] = []
        for shard in shards {
            do {
                try await records.readEntries(of: shard, plan) { entry in
                    if let distance = entry.vote.distance { far.append((additions.count, distance)) }
                    additions.append(
                        ClusterAssembly.Addition(
                            id: entry.id, label: entry.vote.label, similarity: entry.vote.similarity,
                            confidence: entry.vote.confidence))
                }
            } catch let error as StorageError where error.code == .damaged {
                throw RoostError(
                    .incompleteWork,
                    "cannot finish the clusters: the result of shard \(shard.index)/\(shard.count) is "
                        + "damaged; nothing was changed", remedy: .assignShards)
            }
        }
        let total = additions.count + partition.labels.count
        let sampled = partition.labels.count { $0 == .outlier(.distant) }
        let limit = max(0, Int(plan.maximumOutliers * Double(total)) - sampled)
        far.sort {
            ($0.distance.meanScore, additions[$0.index].id)
                < ($1.distance.meanScore, additions[$1.index].id)
        }
        for (index, distance) in far.prefix(limit) {
            additions[index].label = .outlier(.distant)
            (additions[index].similarity, additions[index].confidence) = (distance.nearestSimilarity, 0)
        }
        return additions
    }

    /// Returns the report on clusters that were committed before.
    private static func report(
        _ run: ClusteringRun, _ snapshot: any StorageSnapshot
    ) async throws -> ReclusterReport {
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        return ReclusterReport(
            run: run, clusters: clusters, outlierCount: assignments.count { $0.cluster == nil },
            continuedCount: 0, lineage: ClusterLineage(of: clusters, vanished: run.vanished),
            isDryRun: false)
    }
}
