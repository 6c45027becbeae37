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
        else {
            return "with a number that is not finite"
        }
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
    ///
    /// - Complexity: O(rows · columns).
    package var isFinite: Bool { elements.allSatisfy(\.isFinite) }
}
