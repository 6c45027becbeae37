package import RoostVectors

extension Partition {
    /// The number of subsamples in which the groups of a ``SubsampleClusterer`` are looked for.
    private static let subsampleCount = 10

    /// Returns the partition with the share of subsamples in which each group is found again.
    ///
    /// The subsamples have 80% of the vectors, but at most 4,000. The partition is returned unchanged if it
    /// has these shares already, or if its clusterer cannot be applied to such subsamples.
    ///
    /// - Throws: Any error that the clusterer throws; `CancellationError`.
    package func addingStabilities(
        of vectors: Matrix, by clusterer: any Clusterer
    ) async throws -> Partition {
        guard stabilities.isEmpty, let clusterer = clusterer as? any SubsampleClusterer else { return self }
        let size = Subsamples.size(of: vectors.rows)
        let share = Double(size) / Double(max(1, vectors.rows))
        guard size > 1, let clusterer = clusterer.forSubsample(share: share, count: size) else { return self }
        var generator = SeededGenerator(seed: clusterer.seed)
        var reappearance = ClusterReappearance(
            of: labels.map { $0.group.map(Int32.init) ?? -1 }, count: count)
        for _ in 0..<Self.subsampleCount {
            try Task.checkCancellation()
            let rows = generator.permutation(vectors.rows).prefix(size).sorted().map { Int($0) }
            do {
                let part = try await clusterer.cluster(vectors.selecting(rows))
                reappearance.add(rows, part.labels.map { $0.group.map(Int32.init) ?? -1 })
            } catch is ClusteringError {
                // A subsample may have fewer different vectors than there are groups.
                continue
            }
        }
        try Task.checkCancellation()
        var result = self
        result.stabilities = reappearance.shares
        return result
    }
}
