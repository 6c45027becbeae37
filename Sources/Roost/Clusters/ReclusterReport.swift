public import RoostClustering
public import RoostModel
import Synchronization

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
}

/// The progress of a clustering run.
public struct ReclusterProgress: Sendable, Hashable {
    /// The present step.
    public var step: ClusteringStep
    /// The finished share of the whole run, 0 to 1. It is an estimate from the usual durations of the steps.
    public var share: Double

    /// Creates a progress.
    public init(step: ClusteringStep, share: Double) { (self.step, self.share) = (step, share) }

    /// Creates the progress of a run that has finished a share of a step, 0 to 1.
    init(_ step: ClusteringStep, _ share: Double = 0) {
        let range = Self.range(of: step)
        self.init(
            step: step, share: range.lowerBound + share * (range.upperBound - range.lowerBound))
    }

    /// Returns the part of a run that a step usually takes. The steps take turns in dominating: reading in
    /// small stores, neighbors in large ones.
    private static func range(of step: ClusteringStep) -> ClosedRange<Double> {
        switch step {
        case .reading: 0...0.15
        case .neighbors: 0.15...0.35
        case .groups: 0.35...0.6
        case .stability: 0.6...0.85
        case .labels: 0.85...0.97
        case .saving: 0.97...1
        }
    }

    /// Passes on the progress of one run that grows, because clusterers may repeat steps.
    final class Filter: Sendable {
        private let last = Mutex(-1.0)
        private let report: @Sendable (ReclusterProgress) -> Void

        init(_ report: @escaping @Sendable (ReclusterProgress) -> Void) { self.report = report }

        func callAsFunction(_ step: ClusteringStep, _ share: Double = 0) {
            let progress = ReclusterProgress(step, share)
            let hasGrown = last.withLock { last in
                guard progress.share > last else { return false }
                last = progress.share
                return true
            }
            if hasGrown { report(progress) }
        }
    }
}
