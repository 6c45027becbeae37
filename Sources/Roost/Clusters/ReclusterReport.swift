public import RoostClustering
public import RoostModel

/// The result of a clustering run.
public struct ReclusterReport: Sendable {
    /// The record of the run.
    public var run: ClusteringRun
    /// The new clusters, largest first.
    public var clusters: [Cluster]
    /// The number of clustered entries that are in no cluster.
    public var outlierCount: Int
    /// The number of leaf clusters that continue a cluster of the previous run.
    public var continuedCount: Int
    /// The previous clusters whose ids no new cluster has: those that a person labeled first, then the
    /// largest. Unlike in ``clusters``, one that contained other clusters has the members of those.
    public var ended: [Cluster] = []
    /// The relation of the new clusters to the previous ones.
    public var lineage: ClusterLineage
    /// Whether the run was a dry run, which leaves the store unchanged.
    public var isDryRun: Bool
    /// The lines that were excluded from the texts, in ascending order, because more than 5% of the entries
    /// contain them.
    public var boilerplateLines: [String] = []
    /// Messages for the user about circumstances that affect the result.
    public var notices: [String] = []

    /// Creates a report.
    public init(
        run: ClusteringRun, clusters: [Cluster], outlierCount: Int = 0, continuedCount: Int = 0,
        ended: [Cluster] = [], lineage: ClusterLineage, isDryRun: Bool = false,
        boilerplateLines: [String] = [], notices: [String] = []
    ) {
        self.run = run
        self.clusters = clusters
        self.outlierCount = outlierCount
        self.continuedCount = continuedCount
        self.ended = ended
        self.lineage = lineage
        self.isDryRun = isDryRun
        self.boilerplateLines = boilerplateLines
        self.notices = notices
    }
}
