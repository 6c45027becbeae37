import Foundation
import RoostClustering
import RoostModel
import RoostVectors

/// Clusters a sample of the entries and records the plan of which the workers assign the others.
struct ClusteringPlanner: Sendable {
    let storage: any StorageProvider
    let records: PlanRecords
    let boilerplate: (embedder: EntryEmbedder, catalog: BoilerplateCatalog)

    /// - Parameter sampleCount: The intended number of entries in the sample.
    /// - Throws: See ``KnowledgeStore/planClusters(sample:granularity:maximumOutliers:seed:``
    ///   ``ignoringPreviousRun:)``.
    @concurrent
    func run(
        sampleCount: Int, granularity: LeidenClusterer.Granularity, maximumOutliers: Double, seed: UInt64,
        continuesPreviousRun: Bool
    ) async throws -> ClusteringPlanStatus {
        guard sampleCount >= 1 else {
            throw RoostError(
                .badInput, "cannot plan clusters: the sample must have at least 1 entry, not \(sampleCount)")
        }
        if try await records.plan() != nil {
            throw RoostError(
                .incompleteWork,
                "cannot plan clusters: the store has an unfinished plan; nothing was changed",
                remedy: .finishClusteringPlan)
        }
        let snapshot = try await storage.snapshot()
        let sample = EntrySample(of: sampleCount, from: snapshot.stamp.entryCount)
        let found = try await Reclusterer(
            storage: storage,
            method: .communities(
                granularity, maximumOutliers: maximumOutliers, seed: seed,
                continuesPreviousRun: continuesPreviousRun),
            levels: nil, conditions: [], isDryRun: true, boilerplate: boilerplate,
            sample: sample.isComplete ? nil : sample
        ).find()
        var plan = ClusteringPlan(
            run: found.run, endRow: try await Self.endRow(of: found.snapshot),
            isComplete: sample.isComplete, granularity: granularity.rawValue,
            maximumOutliers: maximumOutliers,
            leafCount: found.partition.count - Set(found.partition.parents.compactMap(\.self)).count,
            dimension: found.entries.vectors.columns,
            boilerplate: found.replacements.boilerplate.lines.sorted(),
            notices: [found.replacements.notice].compactMap(\.self))
        // If the texts could not be embedded without boilerplate lines, no worker excludes these lines.
        if found.replacements.contents == nil { plan.boilerplate = [] }
        if !sample.isComplete {
            plan.run.parameters[ClusteringPlanStatus.sampleKey] = .integer(Int64(found.entries.ids.count))
            plan.fence = try SampleVote.fence(of: found.entries.vectors, by: plan.clusterer)
        }
        plan = try await records.write(
            plan,
            PlannedSample(
                ids: found.entries.ids, vectors: found.entries.vectors, partition: found.partition))
        return ClusteringPlanStatus(plan, finished: [:])
    }

    /// The number of vectors that a step of the bisection reads.
    private static let probeSize = 64

    /// Returns the row after the last one with a vector, by bisection. A vector in row `UInt32.max` is in no
    /// shard.
    ///
    /// - Complexity: O(log rows) reads of a small page.
    private static func endRow(of snapshot: any StorageSnapshot) async throws -> UInt32 {
        var (low, high) = (UInt32(0), UInt32.max)
        while low < high {
            let middle = low + (high - low) / 2
            if let row = try await lastRow(ofPageFrom: middle, in: snapshot) {
                guard row < .max else { return .max }
                low = row + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Returns the last row of the first page of vectors that begins at a row or after it; `nil` if there are
    /// no vectors.
    private static func lastRow(
        ofPageFrom row: UInt32, in snapshot: any StorageSnapshot
    ) async throws -> UInt32? {
        var last = row == 0 ? nil : row - 1
        while true {
            let page = try await snapshot.vectors(of: .entries, after: last, limit: probeSize)
            if let row = page.rows.last { return row }
            guard let next = page.next else { return nil }
            last = next
        }
    }
}
