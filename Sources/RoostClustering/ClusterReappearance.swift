package import RoostVectors

/// Measures the share of subsamples in which each group is found again.
///
/// A group is found again in a subsample if the Jaccard index of its members and those of the most similar
/// group of the subsample is at least 1/2. Only members in the subsample count (Hennig 2007, "Cluster-wise
/// assessment of cluster stability").
package struct ClusterReappearance {
    /// The minimum Jaccard index of a group that is found again.
    private static let minimumSimilarity = 0.5
    /// The minimum number of members in a subsample. The similarity of fewer members is not informative about
    /// the group, so such a subsample does not count.
    private static let minimumMembers = 2

    /// For each group, the number of subsamples with enough of its members.
    private var counted: [Int]
    /// For each group, the number of these subsamples in which it is found again.
    private var found: [Int]
    private var sampleCount = 0
    /// The group of each point; negative for an outlier.
    private let groups: [Int32]

    /// Starts the measurement.
    ///
    /// - Parameters:
    ///   - groups: The group of each point, from 0; negative for a point that is in no group.
    ///   - count: The number of groups.
    init(of groups: [Int32], count: Int) {
        self.groups = groups
        counted = [Int](repeating: 0, count: count)
        found = counted
    }

    /// Compares the groups with those of a subsample.
    ///
    /// - Parameters:
    ///   - rows: The points of the subsample.
    ///   - part: The group of each of these points in the subsample; negative for an outlier.
    mutating func add(_ rows: [Int], _ part: [Int32]) {
        sampleCount += 1
        var sizes = [Int](repeating: 0, count: counted.count)
        var partSizes: [Int32: Int] = [:]
        var shared: [Int64: Int] = [:]
        for (row, other) in zip(rows, part) {
            let group = groups[row]
            if group >= 0 { sizes[Int(group)] += 1 }
            if other >= 0 { partSizes[other, default: 0] += 1 }
            if group >= 0, other >= 0 { shared[Int64(group) << 32 | Int64(other), default: 0] += 1 }
        }
        var best = [Double](repeating: 0, count: counted.count)
        for (pair, count) in shared {
            let (group, other) = (Int(pair >> 32), Int32(truncatingIfNeeded: pair & 0xFFFF_FFFF))
            let union = sizes[group] + (partSizes[other] ?? 0) - count
            best[group] = max(best[group], Double(count) / Double(max(1, union)))
        }
        for group in counted.indices where sizes[group] >= Self.minimumMembers {
            counted[group] += 1
            if best[group] >= Self.minimumSimilarity { found[group] += 1 }
        }
    }

    /// The share of each group; `nil` for a group with enough members in fewer than half of the subsamples.
    var shares: [Float?] {
        counted.indices.map { group in
            guard counted[group] > 0, 2 * counted[group] >= sampleCount else { return nil }
            return Float(found[group]) / Float(counted[group])
        }
    }
}

/// A clusterer that can be applied to a subsample of the vectors, to measure the stability of its groups.
package protocol SubsampleClusterer: Clusterer {
    /// Returns a clusterer that finds the same groups in a random part of the vectors.
    ///
    /// - Parameters:
    ///   - share: The share of the vectors in the part, 0 to 1.
    ///   - count: The number of vectors in the part.
    /// - Returns: `nil` if the part has too few vectors to find the groups.
    func forSubsample(share: Double, count: Int) -> (any Clusterer)?
}

extension SphericalKMeans: SubsampleClusterer {
    /// The minimum mean number of vectors per group in a subsample with more than ``smallCount`` vectors. It
    /// limits the time.
    private static let minimumMeanSize = 20
    private static let smallCount = 1000
    /// The settings for subsamples, which are clustered many times.
    private static let (subsampleRestarts, subsampleIterations) = (2, 20)

    package func forSubsample(share: Double, count: Int) -> (any Clusterer)? {
        guard let clusters, clusters <= count,
            clusters * Self.minimumMeanSize <= count || count <= Self.smallCount
        else { return nil }
        return SphericalKMeans(
            clusters: clusters, seed: seed, restarts: Self.subsampleRestarts,
            maximumIterations: Self.subsampleIterations)
    }
}

extension HDBSCAN: SubsampleClusterer {
    package func forSubsample(share: Double, count: Int) -> (any Clusterer)? {
        // The sizes of the groups shrink with the share of the vectors.
        func scaled(_ size: Int) -> Int { Int((Double(min(size, Int(Int32.max))) * share).rounded()) }
        guard scaled(minimumSize) >= 2 else { return nil }
        var result = self
        result.minimumSize = scaled(minimumSize)
        result.minimumSamples = max(1, scaled(minimumSamples))
        return result
    }
}

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
