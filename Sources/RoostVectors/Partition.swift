public import Foundation

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
    ///   whose arrays do not have one element for each row or group, whose parents form a cycle or have rows
    ///   of their own, or that has a number that is not finite (``ClusteringError/Code/invalidPartition``).
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
        public var group: Int? { if case .group(let number) = self { number } else { nil } }
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
    /// The groups that are topics: parts of another group, their parent, at a finer scale. Empty for a
    /// partition of one scale.
    public var topics: Set<Int> = []
    /// The share of subsamples in which each group is found again, from 0 to 1; `nil` for a group whose share
    /// is unknown. Empty if no share was measured.
    public var stabilities: [Float?] = []
    /// Values that the algorithm chose or measured, such as k or the number of iterations. The store records
    /// them with the run.
    public var facts: [String: Double]

    /// Creates a partition.
    ///
    /// - Precondition: `similarities` and `confidences` have as many elements as `labels`; `parents` has one
    ///   element for each group.
    public init(
        labels: [Label], centroids: Matrix, similarities: [Float], confidences: [Float],
        parents: [Int?]? = nil, facts: [String: Double] = [:]
    ) {
        precondition(labels.count == similarities.count && labels.count == confidences.count)
        precondition(parents.map { $0.count == centroids.rows } ?? true)
        (self.labels, self.centroids, self.similarities) = (labels, centroids, similarities)
        self.confidences = confidences
        self.parents = parents ?? Array(repeating: nil, count: centroids.rows)
        self.facts = facts
    }

    /// The number of groups.
    public var count: Int { centroids.rows }
}

extension Partition {
    /// Checks that the partition describes the rows of a matrix. A custom clusterer may return anything.
    ///
    /// - Parameter vectors: The vectors that the clusterer received.
    /// - Throws: ``ClusteringError`` with `.invalidPartition`.
    /// - Complexity: O(rows + groups).
    package func check(for vectors: Matrix) throws(ClusteringError) {
        if let defect = defect(for: vectors) {
            throw ClusteringError(
                .invalidPartition, "cannot cluster: the clusterer returned a partition \(defect)")
        }
    }

    /// The reason why the partition does not describe the rows of a matrix, as a phrase that begins with
    /// `with`; `nil` if it does.
    private func defect(for vectors: Matrix) -> String? {
        guard labels.count == vectors.rows, similarities.count == labels.count,
            confidences.count == labels.count
        else {
            return "with \(labels.count) labels, \(similarities.count) similarities and "
                + "\(confidences.count) confidences for \(vectors.rows) vectors"
        }
        guard centroids.rows == 0 || centroids.columns == vectors.columns else {
            return "with centroids of \(centroids.columns) instead of \(vectors.columns) components"
        }
        guard parents.count == count, stabilities.isEmpty || stabilities.count == count else {
            return "with \(parents.count) parents and \(stabilities.count) stabilities for \(count) groups"
        }
        let groups = 0..<count
        let isInRange = labels.allSatisfy { $0.group.map(groups.contains) ?? true }
        guard isInRange, parents.allSatisfy({ $0.map(groups.contains) ?? true }) else {
            return count == 0
                ? "with a group, but without centroids" : "with a group that is not from 0 to \(count - 1)"
        }
        guard !hasCycle else { return "with a cycle of parents" }
        // A vector would otherwise count as a member of two groups, or of none.
        let inner = Set(parents.compactMap(\.self))
        if let group = labels.lazy.compactMap(\.group).first(where: inner.contains) {
            return "with a vector in group \(group), which is the parent of another group"
        }
        let numbers = [similarities, confidences, stabilities.compactMap(\.self)]
        guard centroids.isFinite, numbers.joined().allSatisfy(\.isFinite), facts.values.allSatisfy(\.isFinite)
        else { return "with a number that is not finite" }
        return nil
    }

    /// Whether a group is its own ancestor. The parents must be in range.
    private var hasCycle: Bool {
        // The step in which each group was reached first; 0 if it was not reached yet.
        var reached = [Int](repeating: 0, count: count)
        for group in 0..<count {
            var next: Int? = group
            while let current = next, reached[current] == 0 {
                reached[current] = group + 1
                next = parents[current]
            }
            if let current = next, reached[current] == group + 1 { return true }
        }
        return false
    }
}

extension Matrix {
    /// Whether all numbers are finite.
    package var isFinite: Bool { elements.allSatisfy(\.isFinite) }
}

extension Partition {
    /// Creates the partition in which each row has the given group, for a clusterer that only decides which
    /// rows belong together.
    ///
    /// The centroid of a group is the mean direction of its rows, and that of a parent the mean direction of
    /// the rows of all its descendants. The similarity of a row is its cosine with the centroid of its group
    /// or, for an outlier, with the nearest centroid. The confidence of a row in a group is its similarity,
    /// or 0 if that is negative.
    ///
    /// - Parameters:
    ///   - groups: The group of each row of `vectors`; `nil` for an outlier. The groups are numbered from 0
    ///     without gaps: a number without rows is a group without members.
    ///   - vectors: The vectors that the clusterer received. A row of zeros becomes an outlier, whatever its
    ///     group.
    ///   - parents: The parent of each group; `nil` if the groups form no hierarchy. Parents are groups
    ///     without rows, which may have higher numbers than the other groups.
    ///   - facts: Values to record with the run.
    /// - Precondition: `groups` has one element for each row, and none is negative; `parents` has one element
    ///   for each group.
    /// - Complexity: O(rows · levels · columns), and O(groups · columns) for each outlier.
    public init(groups: [Int?], of vectors: Matrix, parents: [Int?]? = nil, facts: [String: Double] = [:]) {
        precondition(groups.count == vectors.rows, "each row needs a group or nil")
        precondition(groups.allSatisfy { $0 ?? 0 >= 0 }, "the number of a group is negative")
        let used = groups.reduce(0) { max($0, ($1 ?? -1) + 1) }
        let count = max(used, parents?.count ?? 0)
        let labels = groups.enumerated().map { row, group -> Label in
            let isZero = vectors.withRow(row) { $0.allSatisfy { $0 == 0 } }
            return isZero ? .outlier(.zeroVector) : group.map { .group($0) } ?? .outlier(.distant)
        }
        var centroids = Matrix(rows: count, columns: vectors.columns)
        for (row, label) in labels.enumerated() {
            var (next, level) = (label.group, 0)
            // A parent that does not exist and a cycle of parents are reported when the partition is checked.
            while let group = next, (0..<count).contains(group), level <= count {
                for column in 0..<vectors.columns { centroids[group, column] += vectors[row, column] }
                next = parents.flatMap { $0.indices.contains(group) ? $0[group] : nil }
                level += 1
            }
        }
        centroids.normalizeRows()
        func cosine(_ row: Int, _ group: Int) -> Float {
            vectors.withRow(row) { values in centroids.withRow(group) { innerProduct(values, $0) } }
        }
        let similarities = labels.enumerated().map { row, label -> Float in
            switch label {
            case .group(let group): cosine(row, group)
            case .outlier(.zeroVector): 0
            case .outlier: (0..<count).map { cosine(row, $0) }.max() ?? 0
            }
        }
        self.init(
            labels: labels, centroids: centroids, similarities: similarities,
            confidences: zip(labels, similarities).map { $0.group == nil ? 0 : min(1, max(0, $1)) },
            parents: parents, facts: facts)
    }
}

/// The error that a ``Clusterer`` throws if it cannot partition the vectors as requested.
public struct ClusteringError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
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
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }

    public var errorDescription: String? { message }
}

extension ClusteringError {
    /// Checks that a property of a clusterer is in its range.
    package static func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ClusteringError)
    {
        if !condition { throw ClusteringError(.invalidParameter, "cannot cluster: \(rule())") }
    }

    /// Checks that all components of vectors are finite. Otherwise, similarities could not be compared.
    package static func requireFinite(_ vectors: Matrix) throws(ClusteringError) {
        guard vectors.isFinite else {
            throw ClusteringError(
                .notFinite, "cannot cluster: a vector has a component that is infinite or not a number")
        }
    }
}
