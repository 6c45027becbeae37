import RoostClustering
import RoostModel

/// The plan of a clustering by several workers, which is kept in the work records of a store until the
/// clusters are committed.
struct ClusteringPlan: Sendable, Codable {
    /// The version of the plan and of the other work records.
    static let format = 1

    var format = Self.format
    /// The run, whose id identifies the plan. Its stamp is the state of the store from which the sample was
    /// read.
    var run: ClusteringRun
    /// The first row after those of the planned entries. Rows are never reused, so entries that are added
    /// later have higher ones.
    var endRow: UInt32
    /// Whether the sample has all entries.
    var isComplete: Bool
    var granularity: String
    var maximumOutliers: Double
    /// The number of groups that are not parents.
    var leafCount: Int
    /// The dimension of the vectors.
    var dimension: Int
    /// The mean similarity to its neighbors below which an entry may be an outlier; `nil` if none may.
    var fence: Float?
    /// The lines that are excluded from the texts, in ascending order.
    var boilerplate: [String]
    /// Messages for the user about circumstances that affect the result.
    var notices: [String]
    /// The records of the sample's entries and of its groups.
    var sample = RecordPages.Summary()
    var groups = RecordPages.Summary()

    /// The maximum number of shards.
    static let maximumShards = 10_000

    /// The clusterer that found the groups of the sample.
    var clusterer: LeidenClusterer {
        LeidenClusterer(
            granularity: LeidenClusterer.Granularity(rawValue: granularity) ?? .medium,
            maximumOutliers: min(1, max(0, maximumOutliers)), seed: run.seed)
    }

    /// Returns the rows of a shard.
    ///
    /// A shard is a range of rows and not, for example, the entries whose hash has a given remainder, so that
    /// a worker reads only the vectors of its own shard from the storage.
    func rows(ofShard index: Int, of count: Int) -> Range<UInt32> {
        func start(_ index: Int) -> UInt32 { UInt32(UInt64(endRow) * UInt64(index) / UInt64(count)) }
        return start(index)..<start(index + 1)
    }
}
