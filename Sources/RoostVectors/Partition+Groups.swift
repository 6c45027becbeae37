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
    public init(
        groups: [Int?], of vectors: Matrix, parents: [Int?]? = nil, facts: [String: Double] = [:]
    ) {
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
