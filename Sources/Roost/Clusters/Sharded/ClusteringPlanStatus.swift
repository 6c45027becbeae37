public import Foundation
import RoostModel

/// The state of a clustering by several workers.
public struct ClusteringPlanStatus: Sendable {
    /// The date at which the plan was made.
    public let createdAt: Date
    /// The number of entries that the plan covers.
    public let entryCount: Int
    /// The number of entries in the sample.
    public let sampleCount: Int
    /// The number of clusters at the lowest level.
    public let clusterCount: Int
    /// Whether the sample has all entries, so that no shards need to be assigned.
    public let coversAllEntries: Bool
    /// The number of shards into which the workers divided the entries; `nil` if no shard is finished. If
    /// workers that began at the same time used different numbers, it is the one with the largest finished
    /// share.
    public let shardCount: Int?
    /// The shards that are not finished, in ascending order; empty if ``shardCount`` is `nil`.
    public let missingShards: [Int]
    let shards: [FinishedShard]

    /// The name of the parameter of a run that records the number of sampled entries.
    static let sampleKey = "sample"

    /// Whether the clusters can be committed.
    public var isComplete: Bool { coversAllEntries || shardCount != nil && missingShards.isEmpty }

    /// - Parameter finished: The finished shards, by the number of shards.
    init(_ plan: ClusteringPlan, finished: [Int: [FinishedShard]]) {
        createdAt = plan.run.createdAt
        entryCount = plan.run.stamp.entryCount
        sampleCount = plan.sample.rows
        clusterCount = plan.leafCount
        coversAllEntries = plan.isComplete
        let count = Self.shardCount(finished.mapValues(\.count))
        let best = count.flatMap { finished[$0] } ?? []
        shards = coversAllEntries ? [] : best
        shardCount = count
        let present = Set(best.map(\.index))
        missingShards = (0..<(count ?? 0)).filter { !present.contains($0) }
    }

    /// Returns the number of shards of which the largest share is finished; of equal shares, the smaller
    /// number. `nil` if no shard is finished.
    ///
    /// - Parameter finished: The number of finished shards, by the number of shards.
    static func shardCount(_ finished: [Int: Int]) -> Int? {
        finished.max {
            (Double($0.value) / Double($0.key), $1.key) < (Double($1.value) / Double($1.key), $0.key)
        }?.key
    }

    /// The error of a call that needs a plan, in a store without one.
    static var missingPlan: RoostError {
        RoostError(.notFound, "the store has no clustering plan", remedy: .planClusters)
    }

    /// The maximum number of missing shards that a message lists.
    private static let listedShards = 20

    /// The error of finishing a plan whose shards are not complete.
    var incompleteness: RoostError {
        guard let shardCount else {
            return RoostError(
                .incompleteWork, "cannot finish the clusters: no shard is assigned; nothing was changed",
                remedy: .assignShards)
        }
        let listed = missingShards.prefix(Self.listedShards).map { "\($0)/\(shardCount)" }
            .joined(separator: ", ")
        let more = missingShards.count - Self.listedShards
        return RoostError(
            .incompleteWork,
            "cannot finish the clusters: \(missingShards.count) of \(shardCount) shards "
                + (missingShards.count == 1 ? "is" : "are") + " missing: "
                + listed + (more > 0 ? " and \(more) more" : "") + "; nothing was changed",
            remedy: .assignShards)
    }
}

extension ClusteringPlan {
    /// Checks that the entries of the plan are those of the store.
    ///
    /// - Throws: ``RoostError`` with `.spaceMismatch` if the store has begun a new epoch, for example because
    ///   its embedding model was changed.
    func check(_ stamp: Stamp) throws {
        guard stamp.store == run.stamp.store, stamp.epoch == run.stamp.epoch else {
            throw RoostError(
                .spaceMismatch,
                "cannot use the clustering plan: the store was restored, repaired or moved to another model "
                    + "after the plan was created", remedy: .discardClusteringPlan)
        }
    }
}
