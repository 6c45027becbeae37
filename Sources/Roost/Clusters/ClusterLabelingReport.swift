public import RoostModel

/// The result of labeling clusters with a labeler.
public struct ClusterLabelingReport: Sendable {
    /// A cluster for which the labeler gave no usable label.
    public struct Refusal: Sendable, Hashable {
        /// The id of the cluster.
        public var cluster: Cluster.ID
        /// The reason why it has no new label.
        public var reason: String
    }

    /// The clusters with a new label, without their members.
    public var labeled: [Cluster] = []
    /// The clusters for which the labeler gave no usable label.
    public var refused: [Refusal] = []
    /// The number of clusters that were deleted or that a person labeled while the labeler worked. They are
    /// not changed.
    public var outdatedCount = 0
    /// The error that made the labeling end early; `nil` if there was none. Labels that were received before
    /// the error are kept.
    public var failure: EmbedderError?

    /// Creates an empty report.
    public init() {}
}
