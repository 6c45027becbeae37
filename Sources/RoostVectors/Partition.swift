/// The result of a ``Clusterer``: a group or an outlier reason for each row, and optionally a hierarchy of
/// groups.
public struct Partition: Sendable, Hashable {
    /// The reason why a row belongs to no group.
    public enum OutlierReason: String, Sendable, Hashable, Codable {
        /// The row is not similar enough to any group.
        case distant
        /// The density around the row is too low to form a group.
        case sparse
        /// All components of the row's vector are zero, so it has no direction.
        case zeroVector
    }

    /// The assignment of one row.
    public enum Label: Sendable, Hashable {
        /// The row is a member of the group with this index, from 0.
        case group(Int)
        /// The row belongs to no group.
        case outlier(OutlierReason)

        /// The index of the group; `nil` for an outlier.
        public var group: Int? {
            if case .group(let number) = self { number } else { nil }
        }
    }

    /// The label of each row (n).
    public var labels: [Label]
    /// The centroid of each group: (groups, d), unit length.
    public var centroids: Matrix
    /// The cosine of each row with the centroid of its group (n); for an outlier, with the nearest centroid.
    public var similarities: [Float]
    /// The confidence of each assignment (n), from 0 to 1.
    public var confidences: [Float]
    /// The parent of each group in the hierarchy; `nil` for a group at the top level. Only groups that are no
    /// parents have rows.
    public var parents: [Int?]
    /// The share of subsamples in which each group is found again, from 0 to 1; `nil` for a group whose share
    /// is unknown. Empty if no share was measured.
    public var stabilities: [Float?] = []
    /// Values that the algorithm chose or measured, such as k or the number of iterations. The store records
    /// them with the run.
    public var facts: [String: Double]

    /// Creates a partition.
    ///
    /// - Parameters:
    ///   - labels: The label of each row (n).
    ///   - centroids: (groups, d), unit length.
    ///   - similarities: The cosine of each row with the centroid of its group (n).
    ///   - confidences: The confidence of each assignment (n), from 0 to 1.
    ///   - parents: The parent of each group; `nil` if the groups form no hierarchy.
    ///   - facts: Values to record with the run.
    /// - Precondition: `similarities` and `confidences` have as many elements as `labels`; `parents` has one
    ///   element for each group.
    public init(
        labels: [Label], centroids: Matrix, similarities: [Float], confidences: [Float],
        parents: [Int?]? = nil, facts: [String: Double] = [:]
    ) {
        precondition(labels.count == similarities.count && labels.count == confidences.count)
        precondition(parents.map { $0.count == centroids.rows } ?? true)
        self.labels = labels
        self.centroids = centroids
        self.similarities = similarities
        self.confidences = confidences
        self.parents = parents ?? Array(repeating: nil, count: centroids.rows)
        self.facts = facts
    }

    /// The number of groups.
    public var count: Int { centroids.rows }
}
