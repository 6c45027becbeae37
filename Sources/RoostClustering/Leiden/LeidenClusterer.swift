public import RoostVectors

/// Groups vectors by the communities of their nearest-neighbor graph. The number of groups follows from the
/// data.
///
/// The graph connects every vector with its nearest neighbors, and the Leiden algorithm finds communities in
/// it (Traag, Waltman & van Eck 2019). The resolution is the one whose groups differ most from groups in
/// random data, and ``granularity`` can make them coarser or finer. The same vectors, parameters and seed
/// give the same labels, whatever the number of threads.
public struct LeidenClusterer: Clusterer {
    /// The size of the groups, relative to the resolution that the clusterer chooses.
    public enum Granularity: String, Sendable, CaseIterable {
        /// Large groups: a quarter of the chosen resolution.
        case coarse
        /// The chosen resolution.
        case medium
        /// Small groups: four times the chosen resolution.
        case fine

        /// The factor of the chosen resolution.
        fileprivate var factor: Double {
            switch self {
            case .coarse: 0.25
            case .medium: 1
            case .fine: 4
            }
        }
    }

    /// The size of the groups, relative to the chosen resolution. Ignored if ``resolution`` is set.
    public var granularity: Granularity
    /// The resolution of modularity: a higher one gives smaller groups. `nil` chooses it from the data.
    public var resolution: Double?
    /// The number of nearest neighbors of each vector in the graph.
    public var neighbors: Int
    /// The maximum share of the vectors that may be outliers, 0 to 1.
    public var maximumOutliers: Double
    /// The seed of the random order in which nodes are visited.
    public var seed: UInt64
    /// The result of a previous run, from which this run continues; `nil` starts without one.
    public var start: Start?

    /// The result of a previous run. Its groups are kept; new vectors join them or form new groups.
    public struct Start: Sendable {
        /// The group of each vector, 0 to 2³¹ - 1; `nil` for a vector that is new or was an outlier.
        public var groups: [Int?]
        /// The resolution of the previous run.
        public var resolution: Double
        /// The number of vectors in the last run that clustered all vectors (`lookedAt` in
        /// ``Partition/facts``). If the present number differs by more than a fifth, all vectors are
        /// clustered again.
        public var fullRunCount: Int

        /// Creates a start from the result of a previous run.
        ///
        /// - Parameters:
        ///   - groups: The group of each vector; `nil` for a vector that is new or was an outlier.
        ///   - resolution: The resolution of the previous run.
        ///   - fullRunCount: The number of vectors in the last run that clustered all vectors.
        public init(groups: [Int?], resolution: Double, fullRunCount: Int) {
            (self.groups, self.resolution, self.fullRunCount) = (groups, resolution, fullRunCount)
        }
    }

    /// The keys of ``Partition/facts`` that a later run reads.
    package enum FactKey {
        /// The resolution of the communities.
        package static let resolution = "resolution"
        /// See ``Start/fullRunCount``.
        package static let fullRunCount = "lookedAt"
    }

    /// Creates a clusterer.
    ///
    /// - Parameters:
    ///   - granularity: The size of the groups, relative to the chosen resolution.
    ///   - resolution: The resolution of modularity; `nil` chooses it from the data.
    ///   - neighbors: The number of nearest neighbors of each vector in the graph.
    ///   - maximumOutliers: The maximum share of the vectors that may be outliers.
    ///   - seed: The seed of the random order in which nodes are visited.
    /// - Precondition: `resolution`, if given, is above 0; `neighbors >= 2`; `maximumOutliers` is in `0...1`.
    public init(
        granularity: Granularity = .medium, resolution: Double? = nil, neighbors: Int = 15,
        maximumOutliers: Double = 0.05, seed: UInt64 = 0
    ) {
        precondition(resolution.map { $0 > 0 } ?? true)
        precondition(neighbors >= 2 && (0...1).contains(maximumOutliers))
        self.granularity = granularity
        self.resolution = resolution
        self.neighbors = neighbors
        self.maximumOutliers = maximumOutliers
        self.seed = seed
    }

    /// The name that is recorded with a run: `leiden`.
    public var algorithm: String { "leiden" }

    /// Groups the rows of a matrix.
    ///
    /// - Parameter vectors: The vectors, (n, d), unit length.
    /// - Throws: ``ClusteringError`` `.noVectors`; `CancellationError`.
    /// - Complexity: O(n² · d) up to 50,000 vectors, O(n · d) with a large factor beyond.
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        let distinct = DistinctRows(of: vectors)
        guard !distinct.rows.isEmpty else {
            throw ClusteringError(.noVectors, "cannot cluster: there are no vectors except zero vectors")
        }
        let points = distinct.rows.count == vectors.rows ? vectors : vectors.selecting(distinct.rows)
        let n = points.rows
        let k = min(neighbors, max(Self.minimumNeighbors, n / 4), n - 1)
        let nearest = try NearestNeighbors.find(in: points, k: max(0, k), seed: seed)
        try Task.checkCancellation()
        let graph = NeighborGraph.make(nearest)
        var generator = SeededGenerator(seed: seed)
        let leiden = Leiden(graph)
        let chosen =
            try continueRun(leiden, distinct, using: &generator) ?? choose(leiden, points, using: &generator)
        var groups = GroupsOfPoints(points, nearest, graph, chosen.communities)
        groups.joinSingles()
        let outliers = groups.outliers(
            atMost: Int(maximumOutliers * Double(vectors.rows)), copies: distinct.copies)
        var facts = [FactKey.resolution: chosen.resolution, "neighbors": Double(k)]
        facts[FactKey.fullRunCount] = Double(chosen.fullRunCount ?? vectors.rows)
        if let gap = chosen.gap { facts["gap"] = gap }
        return groups.partition(distinct, rows: vectors.rows, outliers: outliers, facts: facts)
    }

    private struct Chosen {
        var communities: [Int32]
        var resolution: Double
        var gap: Double?
        /// See ``Start/fullRunCount``; `nil` if this run clusters all vectors.
        var fullRunCount: Int?
    }

    /// The maximum share of new or removed vectors for which the groups of a previous run are kept.
    private static let maximumChange = 0.2
    /// The minimum number of neighbors in a small graph, where a quarter of the points would be fewer.
    private static let minimumNeighbors = 5

    /// Returns the communities of the previous run with the new vectors added.
    ///
    /// - Returns: `nil` if there is no previous run, or too many vectors have changed.
    private func continueRun(
        _ leiden: Leiden, _ distinct: DistinctRows, using generator: inout SeededGenerator
    ) throws -> Chosen? {
        guard let start, start.groups.count == distinct.indices.count, start.resolution > 0 else {
            return nil
        }
        let (n, all) = (distinct.rows.count, Double(distinct.indices.count))
        let previous = Double(start.fullRunCount)
        guard abs(all - previous) <= Self.maximumChange * previous else { return nil }
        var numbers: [Int: Int32] = [:]
        var groups = distinct.rows.map { row -> Int32 in
            guard let group = start.groups[row] else { return -1 }
            if let known = numbers[group] { return known }
            numbers[group] = Int32(numbers.count)
            return Int32(numbers.count - 1)
        }
        guard Double(groups.count { $0 < 0 }) <= Self.maximumChange * Double(n), !numbers.isEmpty else {
            return nil
        }
        let isNew = groups.map { $0 < 0 }
        var next = Int32(numbers.count)
        for point in 0..<n where isNew[point] {
            groups[point] = next
            next += 1
        }
        let communities = try leiden.adding(
            isNew, to: Leiden.renumbered(groups), resolution: start.resolution, using: &generator)
        return Chosen(
            communities: communities, resolution: start.resolution, fullRunCount: start.fullRunCount)
    }

    /// The lowest resolution that is tried.
    private static let minimumResolution = 0.1
    /// The highest resolution that is tried, for up to ``typicalCount`` points. It grows with the square root
    /// of the number of points beyond, because more points can have more groups.
    private static let maximumResolution = 8.0
    private static let typicalCount = 20_000.0
    /// The ratio of successive resolutions: the cube root of 2, three steps for a factor of 2.
    private static let resolutionStep = 1.2599210498948732

    /// Returns the communities at the given resolution, or at the one that ``ResolutionChoice`` chooses.
    private func choose(
        _ leiden: Leiden, _ points: Matrix, using generator: inout SeededGenerator
    ) throws -> Chosen {
        if let resolution {
            return Chosen(
                communities: try leiden.communities(resolution: resolution, using: &generator),
                resolution: resolution)
        }
        // The finest communities are found in the whole graph, and coarser ones in the graph of finer
        // communities, which is fast.
        let n = Double(points.rows)
        var resolutions = [Self.maximumResolution * max(1, n / Self.typicalCount).squareRoot()]
        while let last = resolutions.last, last / Self.resolutionStep >= Self.minimumResolution {
            resolutions.append(last / Self.resolutionStep)
        }
        let fine = try leiden.communities(resolution: resolutions[0], rounds: 1, using: &generator)
        var partitions = [fine]
        var (level, communityOf) = (leiden.contracted(fine), fine)
        for resolution in resolutions.dropFirst() {
            let coarser = try level.communities(resolution: resolution, using: &generator)
            communityOf = communityOf.map { coarser[Int($0)] }
            level = level.contracted(coarser)
            partitions.append(communityOf)
        }
        guard let choice = ResolutionChoice(points, seed: seed) else {
            return Chosen(
                communities: try leiden.communities(resolution: 1, using: &generator), resolution: 1)
        }
        let (index, gaps) = try choice.best(of: partitions)
        let resolution = resolutions[index] * granularity.factor
        let start = granularity == .medium ? partitions[index] : nil
        let communities = try leiden.communities(
            resolution: resolution, from: start, rounds: 1, using: &generator)
        return Chosen(communities: communities, resolution: resolution, gap: gaps[index])
    }
}
