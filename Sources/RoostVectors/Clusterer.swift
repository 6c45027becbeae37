/// An algorithm that partitions vectors into groups.
///
/// The result must be deterministic: the same vectors in the same order, the same parameters and the same
/// seed give the same labels, whatever the number of threads.
public protocol Clusterer: Sendable {
    /// The name of the algorithm in the literature, such as `spherical-k-means`. The store records it with
    /// each run.
    var algorithm: String { get }

    /// The seed of the algorithm's random choices, which the store records with each run. The default is 0,
    /// for algorithms that make no random choices.
    var seed: UInt64 { get }

    /// Partitions the rows of a matrix into groups.
    ///
    /// - Parameter vectors: (n, d) row-major Float32; each row has unit length.
    /// - Returns: For each row, its group or the reason why it is an outlier. A store rejects a partition
    ///   whose arrays do not have one element for each row or group, whose parents form a cycle, or that has
    ///   a number that is not finite (``ClusteringError/Code/invalidPartition``).
    /// - Throws: ``ClusteringError`` if the vectors cannot be partitioned as requested, for example into more
    ///   groups than there are rows; `CancellationError` if the task is canceled.
    func cluster(_ vectors: Matrix) async throws -> Partition
}

extension Clusterer {
    public var seed: UInt64 { 0 }
}

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
    /// The parent of each group in the hierarchy; `nil` for a group at the top level.
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

/// The error that a ``Clusterer`` throws if it cannot partition the vectors as requested.
public struct ClusteringError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a ``ClusteringError``. A custom clusterer may define further codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code with the given name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The matrix has no rows, or all of its rows are zero.
        public static let noVectors = Code(rawValue: "noVectors")
        /// The requested number of groups exceeds the number of vectors.
        public static let tooManyClusters = Code(rawValue: "tooManyClusters")
        /// The requested number of groups is not positive.
        public static let invalidCount = Code(rawValue: "invalidCount")
        /// A vector has a component that is infinite or not a number.
        public static let notFinite = Code(rawValue: "notFinite")
        /// A property of the clusterer is out of range.
        public static let invalidParameter = Code(rawValue: "invalidParameter")
        /// The partition that a custom clusterer returned does not fit the vectors, or contradicts itself.
        public static let invalidPartition = Code(rawValue: "invalidPartition")
    }

    /// The kind of error.
    public let code: Code
    /// The cause, in English, for people.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: The cause, in English, for people.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
