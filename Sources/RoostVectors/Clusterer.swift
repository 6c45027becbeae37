/// Groups vectors.
///
/// The same vectors in the same order, the same parameters and the same seed give the same labels, whatever
/// the number of threads.
public protocol Clusterer: Sendable {
    /// The field's name of the algorithm, as it is recorded with a run: `spherical-k-means`.
    var algorithm: String { get }

    /// Groups the rows of a matrix.
    ///
    /// - Parameter vectors: (n, d) row-major Float32, unit length.
    /// - Returns: a label for each row, or the reason why it has none.
    /// - Throws: `ClusteringError` where the vectors cannot be grouped as asked (more clusters than rows);
    ///   `CancellationError` where the task is cancelled: nothing is returned and nothing was written.
    func cluster(_ vectors: Matrix) async throws -> Partition
}

/// Rows of a matrix in groups, with outliers and a hierarchy where the algorithm finds them.
public struct Partition: Sendable, Hashable {
    /// Why a row is in no group.
    public enum OutlierReason: String, Sendable, Hashable, Codable {
        /// No group is near enough.
        case distant
        /// The row's surroundings are too sparse to be a group.
        case sparse
        /// The row's vector has no direction (all zeros).
        case zeroVector
    }

    /// A row's place.
    public enum Label: Sendable, Hashable {
        case group(Int)
        case outlier(OutlierReason)

        /// The group's number, `nil` for an outlier.
        public var group: Int? {
            if case .group(let number) = self { number } else { nil }
        }
    }

    /// The label of each row (n).
    public var labels: [Label]
    /// The centre of each group (groups, d), unit length.
    public var centroids: Matrix
    /// The cosine of each row with its group's centroid (n); for an outlier, with the nearest.
    public var similarities: [Float]
    /// How sure the row's place is (n), 0 to 1.
    public var confidences: [Float]
    /// For each group the group that contains it in the hierarchy; `nil` at the top, or where there is none.
    public var parents: [Int?]
    /// What the algorithm chose or measured by itself, for the record of the run: chosen k, iterations.
    public var facts: [String: Double]

    /// - Precondition: as many similarities and confidences as labels; as many parents as centroids.
    public init(
        labels: [Label], centroids: Matrix, similarities: [Float], confidences: [Float],
        parents: [Int?]? = nil,
        facts: [String: Double] = [:]
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

    /// How many groups there are.
    public var count: Int { centroids.rows }
}

/// Why vectors could not be grouped.
public struct ClusteringError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There are no vectors, or none but zeros.
        public static let noVectors = Code(rawValue: "noVectors")
        /// More groups were asked for than there are vectors.
        public static let tooManyClusters = Code(rawValue: "tooManyClusters")
        /// The number of groups is not positive.
        public static let invalidCount = Code(rawValue: "invalidCount")
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
