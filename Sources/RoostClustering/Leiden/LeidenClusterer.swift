public import RoostVectors

/// Groups vectors by the communities of their neighbours' graph, without being told how many there are.
///
/// The graph joins every vector with its nearest others (``NeighborGraph``); Leiden's algorithm finds
/// communities in it (Traag, Waltman & van Eck 2019). How fine they are is chosen by how much the groups
/// stand out of what chance would make (``ResolutionChoice``), and can be shifted. The same vectors,
/// parameters and seed give the same labels, whatever the number of threads.
public struct LeidenClusterer: Clusterer {
    /// How fine the groups are.
    public enum Granularity: String, Sendable, CaseIterable {
        /// Groups of groups: a quarter of the chosen resolution.
        case coarse
        /// The resolution whose groups stand out most.
        case medium
        /// Four times the chosen resolution.
        case fine
    }

    public var granularity: Granularity
    /// The resolution of modularity; `nil` chooses.
    public var resolution: Double?
    /// How many nearest others each vector is joined with.
    public var neighbors: Int
    /// At most so large a share of the vectors is in no group, 0 to 1.
    public var maximumOutliers: Double
    public var seed: UInt64
    /// What a run before this one found, to go on from; `nil` begins afresh.
    public var start: Start?

    /// Groups of an earlier run, which stay as they are: new vectors join them, or are groups of their own.
    public struct Start: Sendable {
        /// The group of each vector, 0 to 2³¹ - 1; `nil` for one that the run did not see or left out.
        public var groups: [Int?]
        /// The resolution of that run.
        public var resolution: Double
        /// How many vectors there were when all were last looked at (``Partition/facts``, `lookedAt`). Where
        /// there are a fifth more or fewer by now, all are looked at again.
        public var lookedAt: Int

        public init(groups: [Int?], resolution: Double, lookedAt: Int) {
            (self.groups, self.resolution, self.lookedAt) = (groups, resolution, lookedAt)
        }
    }

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

    public var algorithm: String { "leiden" }

    /// - Complexity: O(n² · d) up to ``NearestNeighbors/largestExact`` vectors, O(n · d) times a large
    ///   constant beyond.
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        let distinct = DistinctRows(of: vectors)
        guard !distinct.rows.isEmpty else {
            throw ClusteringError(.noVectors, "there are no vectors to group")
        }
        let points = distinct.rows.count == vectors.rows ? vectors : vectors.selecting(distinct.rows)
        let n = points.rows
        let k = min(neighbors, max(5, n / 4), n - 1)
        let nearest = try NearestNeighbors.find(in: points, k: max(0, k), seed: seed)
        try Task.checkCancellation()
        let graph = NeighborGraph.make(nearest)
        var generator = SeededGenerator(seed: seed)
        let leiden = Leiden(graph)
        let chosen =
            try proceed(leiden, distinct, using: &generator) ?? choose(leiden, points, using: &generator)
        var groups = GroupsOfPoints(points, nearest, graph, chosen.communities)
        groups.joinSingles()
        let outliers = groups.outliers(
            atMost: Int(maximumOutliers * Double(vectors.rows)), copies: distinct.copies)
        var facts = ["resolution": chosen.resolution, "neighbors": Double(k)]
        facts["lookedAt"] = Double(chosen.lookedAt ?? vectors.rows)
        if let gap = chosen.gap { facts["gap"] = gap }
        return groups.partition(distinct, rows: vectors.rows, outliers: outliers, facts: facts)
    }

    private struct Chosen {
        var communities: [Int32]
        var resolution: Double
        var gap: Double?
        /// See ``Start/lookedAt``; `nil` where this run looks at all of them.
        var lookedAt: Int?
    }

    /// With a larger share of new vectors it is time to look at all of them anew.
    private static let mostNew = 0.2

    /// The communities of an earlier run, with what is new in them or beside them.
    ///
    /// - Returns: `nil` where there was none, or too much is new.
    private func proceed(
        _ leiden: Leiden, _ distinct: DistinctRows, using generator: inout SeededGenerator
    ) throws -> Chosen? {
        guard let start, start.groups.count == distinct.places.count, start.resolution > 0 else { return nil }
        let (n, all) = (distinct.rows.count, Double(distinct.places.count))
        guard abs(all - Double(start.lookedAt)) <= Self.mostNew * Double(start.lookedAt) else { return nil }
        var names: [Int: Int32] = [:]
        var groups = distinct.rows.map { row -> Int32 in
            guard let group = start.groups[row] else { return -1 }
            if let known = names[group] { return known }
            names[group] = Int32(names.count)
            return Int32(names.count - 1)
        }
        guard Double(groups.count { $0 < 0 }) <= Self.mostNew * Double(n), !names.isEmpty else { return nil }
        let isNew = groups.map { $0 < 0 }
        var next = Int32(names.count)
        for point in 0..<n where isNew[point] {
            groups[point] = next
            next += 1
        }
        // As many numbers as there are nodes, at most.
        let communities = try leiden.placing(
            isNew, in: Leiden.renumbered(groups), resolution: start.resolution, using: &generator)
        return Chosen(
            communities: communities, resolution: start.resolution, lookedAt: start.lookedAt)
    }

    private static let coarsest = 0.1
    private static let finest = 8.0
    private static let step = 1.2599210498948732

    private func choose(
        _ leiden: Leiden, _ points: Matrix, using generator: inout SeededGenerator
    ) throws -> Chosen {
        if let resolution {
            return Chosen(
                communities: try leiden.communities(resolution: resolution, using: &generator),
                resolution: resolution)
        }
        // Fine communities are found in the whole graph; coarser ones among them, which is quick.
        let n = Double(points.rows)
        var resolutions = [Self.finest * max(1, n / 20_000).squareRoot()]
        while let last = resolutions.last, last / Self.step >= Self.coarsest {
            resolutions.append(last / Self.step)
        }
        let fine = try leiden.communities(resolution: resolutions[0], rounds: 1, using: &generator)
        var partitions = [fine]
        var (level, names) = (leiden.contracted(fine), fine)
        for resolution in resolutions.dropFirst() {
            let coarser = try level.communities(resolution: resolution, using: &generator)
            names = names.map { coarser[Int($0)] }
            level = level.contracted(coarser)
            partitions.append(names)
        }
        guard let choice = ResolutionChoice(points, seed: seed) else {
            return Chosen(
                communities: try leiden.communities(resolution: 1, using: &generator), resolution: 1)
        }
        let (place, gaps) = try choice.best(of: partitions)
        let factor: Double =
            switch granularity {
            case .coarse: 0.25
            case .medium: 1
            case .fine: 4
            }
        let resolution = resolutions[place] * factor
        let start = granularity == .medium ? partitions[place] : nil
        let communities = try leiden.communities(
            resolution: resolution, from: start, rounds: 1, using: &generator)
        return Chosen(communities: communities, resolution: resolution, gap: gaps[place])
    }
}
