import CRoostKernels

/// Groups of vectors that are merged only if every pair of the merged group reaches a threshold.
struct CompleteLinkage {
    private let vectors: Matrix
    /// For each vector to group, its row in `vectors`.
    private let rows: [UInt32]
    private let threshold: Float
    /// For each vector, the number of its group.
    private var groupOf: [UInt32]
    /// The vectors of each merged group. Groups that are not listed have one vector.
    private var members: [UInt32: [UInt32]] = [:]
    /// Pairs of groups that can never be merged, because the similarity of some pair of their vectors is
    /// below the threshold.
    private var refused: Set<UInt64> = []
    /// The maximum number of pairs in `refused`. Pairs beyond the limit are not stored and may be compared
    /// again.
    private static let refusedLimit = 1 << 20

    init(_ vectors: Matrix, rows: [UInt32], threshold: Float) {
        self.vectors = vectors
        self.rows = rows
        self.threshold = threshold
        groupOf = (0..<UInt32(rows.count)).map { $0 }
    }

    /// All groups, each as an ascending list of its vectors.
    var groups: [[UInt32]] {
        (0..<UInt32(rows.count)).compactMap { index in
            groupOf[Int(index)] == index ? members[index, default: [index]].sorted() : nil
        }
    }

    /// Whether the inner product of a vector with itself reaches the threshold.
    func isSimilarToItself(_ index: UInt32) -> Bool { similarity(index, index) >= threshold }

    /// Merges the groups of two vectors if all pairs of the two groups reach the threshold.
    mutating func visit(_ first: UInt32, _ second: UInt32) throws {
        var (large, small) = (groupOf[Int(first)], groupOf[Int(second)])
        guard large != small else { return }
        let key = UInt64(min(large, small)) << 32 | UInt64(max(large, small))
        guard !refused.contains(key) else { return }
        try Task.checkCancellation()
        var (all, others) = (members[large] ?? [large], members[small] ?? [small])
        for a in all where !others.allSatisfy({ similarity(a, $0) >= threshold }) {
            if refused.count >= Self.refusedLimit { refused.removeAll(keepingCapacity: true) }
            refused.insert(key)
            return
        }
        if (all.count, small) < (others.count, large) {
            swap(&large, &small)
            swap(&all, &others)
        }
        members[large] = nil
        members[small] = nil
        for index in others { groupOf[Int(index)] = large }
        all += others
        members[large] = all
    }

    private func similarity(_ first: UInt32, _ second: UInt32) -> Float {
        vectors.elements.withUnsafeBufferPointer { elements in
            guard let base = elements.baseAddress else { return 0 }
            let d = vectors.columns
            return roost_dot(base + Int(rows[Int(first)]) * d, base + Int(rows[Int(second)]) * d, d)
        }
    }
}
