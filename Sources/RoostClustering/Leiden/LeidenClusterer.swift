import Foundation
public import RoostVectors

/// Groups vectors by the communities of their nearest-neighbor graph. The number of groups is determined by the data.
///
/// The graph connects every vector with its nearest neighbors, and the Leiden algorithm finds communities in it (Traag,
/// Waltman & van Eck 2019). In each region of the graph alone (a part with almost no edges to the others), the
/// clusterer chooses the resolution whose groups are best supported by the data: the groups reappear in subsamples, and
/// are more distinct than groups in random data (`ResolutionChoice`). ``granularity`` can make them coarser or finer.
/// The same vectors in the same order and the same parameters give the same labels, regardless of the number of
/// threads. For up to 50,000 vectors, the labels do not depend on the seed either.
///
/// More than `Partition/maximumFlatSize` groups get parents, if there is a resolution at which 8 to 25 are found.
public struct LeidenClusterer: Clusterer {
    /// The size of the groups, relative to the resolution that the clusterer chooses.
    public enum Granularity: String, Sendable, CaseIterable {
        /// Large groups: a quarter of the chosen resolution.
        case coarse
        /// The chosen resolution.
        case medium
        /// Small groups: four times the chosen resolution, or less if few groups of that size have at least
        /// three vectors.
        case fine
    }

    /// The size of the groups, relative to the chosen resolution.
    public var granularity: Granularity
    /// The maximum share of the vectors that may be outliers, 0 to 1.
    public var maximumOutliers: Double
    /// The seed of the approximate search for neighbors, which is used above 50,000 vectors. The order in
    /// which nodes are visited and the choice of subsamples do not depend on it, because a partition that
    /// changed with the seed would say more about the seed than about the vectors.
    public var seed: UInt64
    /// Whether to divide groups into topics where the vectors of the group alone support it (`Partition/topics`).
    public var dividesGroups = false
    /// The result of a previous run, from which this run continues; `nil` clusters all vectors.
    public var start: Start?
    /// Receives the present step and its finished share, 0 to 1.
    package var onProgress: (@Sendable (ClusteringStep, Double) -> Void)?

    /// The result of a previous run. Its groups are kept; new vectors join them or form new groups.
    public struct Start: Sendable {
        /// The group of each vector, 0 to 2³¹ - 1; `nil` for a vector that is new or was an outlier.
        public var groups: [Int?]
        /// The topic of each vector, a number that no other group's topic has; `nil` for a vector without one.
        /// Empty if the previous run found no topics.
        public var topics: [Int?] = []
        /// The resolution of the previous run.
        public var resolution: Double
        /// The resolution of the parent groups in the previous run; `nil` if there were none.
        public var parentResolution: Double?
        /// The number of vectors in the last run that clustered all vectors (`lookedAt` in `Partition/facts`). If the
        /// current number of vectors differs from it by more than a fifth, all vectors are clustered again.
        public var fullRunCount: Int

        /// Creates a start from the result of a previous run.
        public init(groups: [Int?], resolution: Double, parentResolution: Double? = nil, fullRunCount: Int) {
            (self.groups, self.resolution, self.fullRunCount) = (groups, resolution, fullRunCount)
            self.parentResolution = parentResolution
        }
    }

    /// The keys of `Partition/facts` that a later run reads.
    package enum FactKey {
        package static let resolution = "resolution"
        /// See ``Start/fullRunCount``.
        package static let fullRunCount = "lookedAt"
        /// The share of the vectors that are in the largest group, 0 to 1.
        package static let largestShare = "largestShare"
        /// The number of regions in which groups were found; absent if the groups of a previous run were kept.
        package static let regions = "regions"
        package static let parentResolution = "parentResolution"
    }

    /// Creates a clusterer.
    public init(granularity: Granularity = .medium, maximumOutliers: Double = 0.05, seed: UInt64 = 0) {
        (self.granularity, self.maximumOutliers, self.seed) = (granularity, maximumOutliers, seed)
    }

    /// The name that is recorded with a run: `leiden`.
    public var algorithm: String { "leiden" }

    /// Groups the rows of a matrix.
    ///
    /// - Parameter vectors: The vectors, (n, d), unit length.
    /// - Throws: `ClusteringError` `.noVectors`, `.notFinite`, `.invalidParameter`; `CancellationError`.
    /// - Complexity: O(n² · d) for up to 50,000 vectors; O(n · d), with a large constant factor, for more.
    @concurrent
    public func cluster(_ vectors: Matrix) async throws -> Partition {
        try ClusteringError.require(
            (0...1).contains(maximumOutliers), "maximumOutliers must be from 0 to 1, not \(maximumOutliers)")
        try ClusteringError.requireFinite(vectors)
        let distinct = DistinctRows(of: vectors)
        guard !distinct.rows.isEmpty else {
            throw ClusteringError(.noVectors, "cannot cluster: there are no nonzero vectors")
        }
        let points = distinct.rows.count == vectors.rows ? vectors : vectors.selecting(distinct.rows)
        onProgress?(.neighbors, 0)
        let graph = try PointGraph(points, seed: seed)
        onProgress?(.groups, 0)
        let found = try continueRun(graph, distinct) ?? groups(of: graph, distinct.copies)
        var facts = [FactKey.resolution: found.resolution]
        facts[FactKey.fullRunCount] = Double(found.fullRunCount ?? vectors.rows)
        if found.fullRunCount == nil { facts[FactKey.regions] = Double(found.regions) }
        let groups = GroupsOfPoints(graph, found.groups)
        var partition = groups.partition(distinct, rows: vectors.rows, outliers: found.outliers, facts: facts)
        partition.facts[FactKey.largestShare] = ResolutionChoice.largestShare(
            partition.labels.map { Int32($0.group ?? -1) })
        guard points.rows >= Self.minimumCount else { return partition }
        partition.stabilities = [Float?](repeating: nil, count: partition.count)
        for (point, row) in distinct.rows.enumerated() {
            if let group = partition.labels[row].group {
                partition.stabilities[group] = found.shares[Int(found.groups[point])]
            }
        }
        let parentResolution = start?.parentResolution.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
        try partition.addParents(
            graph.leiden, found.groups, distinct,
            at: found.fullRunCount == nil ? nil : parentResolution, below: found.resolution)
        guard dividesGroups else { return partition }
        let topics = found.fullRunCount == nil ? [] : start?.topics ?? []
        return try partition.dividing(vectors, keeping: topics)
    }

    /// The groups of the points of a graph.
    private struct Found {
        /// The group of each point.
        var groups: [Int32]
        var outliers: [Int] = []
        /// The share of subsamples in which each group is found again.
        var shares: [Float?]
        /// The resolution at which the groups were found; the geometric mean over the points if there are several
        /// regions.
        var resolution: Double
        var regions = 1
        /// See ``Start/fullRunCount``; `nil` if this run clusters all vectors.
        var fullRunCount: Int?
    }

    /// The groups of a previous run are kept only if neither the share of new vectors nor the relative change
    /// in the number of vectors exceeds this value.
    private static let maximumChange = 0.2
    /// The seed of all random choices except those of the neighbor search. See ``seed``.
    private static let fixedSeed: UInt64 = 0
    /// The resolutions of coarse and of fine groups, relative to the chosen one.
    private static let (coarseFactor, fineFactor) = (0.25, 4.0)

    /// Returns the communities of the previous run with the new vectors added.
    ///
    /// - Returns: `nil` if there is no previous run or if too many vectors have been added or removed.
    private func continueRun(_ graph: PointGraph, _ distinct: DistinctRows) throws -> Found? {
        guard let start, start.groups.count == distinct.indices.count, start.resolution > 0,
            start.resolution.isFinite
        else { return nil }
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
        var generator = SeededGenerator(seed: Self.fixedSeed)
        let communities = try graph.leiden.adding(
            isNew, to: Leiden.renumbered(groups), resolution: start.resolution, using: &generator)
        let samples = try samples(of: graph, at: start.resolution)
        return found(
            communities, in: graph, distinct.copies, resolution: start.resolution, samples,
            fullRunCount: start.fullRunCount)
    }

    /// The points of a subsample and their groups.
    private typealias SampleGroups = (rows: [Int], groups: [Int32])

    private func samples(of graph: PointGraph, at resolution: Double) throws -> [SampleGroups] {
        onProgress?(.stability, 0)
        let subsamples = try Subsamples(of: graph.points, neighbors: graph.nearest.k, seed: Self.fixedSeed)
        let partitions = try subsamples.partitions(at: ResolutionLadder([resolution]))
        return zip(subsamples.samples, partitions).map { ($0.rows, $1[0]) }
    }

    private static func shares(of groups: [Int32], in samples: [SampleGroups]) -> [Float?] {
        var reappearance = ClusterReappearance(of: groups, count: Int((groups.max() ?? -1) + 1))
        for sample in samples { reappearance.add(sample.rows, sample.groups) }
        return reappearance.shares
    }

    /// Completes communities: joins very small ones to others, finds outliers, and measures in how many subsamples
    /// each group is found again.
    private func found(
        _ communities: [Int32], in graph: PointGraph, _ copies: [Int], resolution: Double,
        _ samples: [SampleGroups] = [], fullRunCount: Int? = nil
    ) -> Found {
        var groups = GroupsOfPoints(graph, communities)
        groups.joinSmall(copies: copies)
        let limit = Int(maximumOutliers * Double(copies.reduce(0, +)))
        return Found(
            groups: groups.groups, outliers: groups.outliers(atMost: limit, copies: copies),
            shares: Self.shares(of: groups.groups, in: samples), resolution: resolution,
            fullRunCount: fullRunCount)
    }

    /// Returns the groups of the points of a graph: those of each of its regions alone.
    ///
    /// - Parameter isRegion: Whether the graph is a region of another one. Such a graph remains one group unless its
    ///   parts are clearly separated, or small groups are wanted.
    private func groups(of graph: PointGraph, _ copies: [Int], isRegion: Bool = false) throws -> Found {
        let n = copies.count
        guard n >= Self.minimumCount else {
            return found(Self.communities(ofFew: copies), in: graph, copies, resolution: 1)
        }
        let regions = try graph.regions()
        guard regions.contains(where: { $0 > 0 }) else {
            let isOneGroup = try isRegion && granularity != .fine && graph.parts() == nil
            guard isOneGroup else { return try choose(graph, copies) }
            return found(regions, in: graph, copies, resolution: PointGraph.regionResolution)
        }
        var rows = [[Int]](repeating: [], count: Int((regions.max() ?? 0) + 1))
        for (point, region) in regions.enumerated() { rows[Int(region)].append(point) }
        var result = Found(groups: regions, shares: [], resolution: 1, regions: 0)
        var shares: [Float?] = []
        for (number, rows) in rows.enumerated() {
            let region = try PointGraph(graph.points.selecting(rows), seed: seed)
            var part = try groups(of: region, rows.map { copies[$0] }, isRegion: true)
            for (point, group) in zip(rows, part.groups) {
                result.groups[point] = Int32(result.shares.count) + group
            }
            if part.shares.count == 1 {
                if shares.isEmpty {
                    let samples = try samples(of: graph, at: PointGraph.regionResolution)
                    shares = Self.shares(of: regions, in: samples)
                }
                part.shares = [shares[number]]
            }
            result.outliers += part.outliers.map { rows[$0] }
            result.shares += part.shares
            result.regions += part.regions
            // A resolution is relative to the total weight of the edges.
            let weight = Double(rows.count) / Double(n)
            result.resolution *= pow(part.resolution / weight, weight)
        }
        return result
    }

    /// Returns the communities at the resolution that ``ResolutionChoice`` chooses.
    private func choose(_ graph: PointGraph, _ copies: [Int]) throws -> Found {
        let (leiden, neighbors) = (graph.leiden, graph.nearest.k)
        var generator = SeededGenerator(seed: Self.fixedSeed)
        let ladder = ResolutionLadder(count: copies.count)
        let partitions = try ladder.partitions(of: leiden, using: &generator) { onProgress?(.groups, $0) }
        onProgress?(.stability, 0)
        let choice = try ResolutionChoice(
            partitions, of: graph.points, leiden, neighbors: neighbors, ladder: ladder, seed: Self.fixedSeed)
        var resolution = ladder.resolutions[choice.index]
        var communities = partitions[choice.index]
        if granularity == .fine, let finer = try finer(than: resolution, leiden, copies, using: generator) {
            (communities, resolution) = (finer.communities, finer.resolution)
        } else {
            // If there are no finer groups, the groups are those of medium size.
            let isCoarse = granularity == .coarse
            if isCoarse { resolution *= Self.coarseFactor }
            communities = try leiden.communities(
                resolution: resolution, from: isCoarse ? nil : communities, rounds: 1, using: &generator)
        }
        let (index, stability) = (ladder.index(nearest: resolution), choice.stability)
        return found(
            communities, in: graph, copies, resolution: resolution,
            zip(stability.subsamples.samples, stability.partitions).map { ($0.rows, $1[index]) })
    }

    /// The maximum share of the vectors that may be in groups that are too small at the resolution of fine
    /// groups. It equals the default share of outliers.
    private static let maximumSmallShare = 0.05

    /// Returns the communities at the highest resolution, up to four times the given one, at which nearly all
    /// vectors are in groups of sufficient size; `nil` without one above the given resolution.
    ///
    /// A store of few vectors has no groups of a quarter of the size: they would fall apart into single
    /// vectors, which then join groups with which they have little in common.
    private func finer(
        than resolution: Double, _ leiden: Leiden, _ copies: [Int], using generator: SeededGenerator
    ) throws -> (communities: [Int32], resolution: Double)? {
        var generator = generator
        let steps = ResolutionLadder.steps(to: Self.fineFactor)
        for step in (1...steps).reversed() {
            let higher = resolution * pow(Self.fineFactor, Double(step) / Double(steps))
            let communities = try leiden.communities(resolution: higher, rounds: 1, using: &generator)
            let share = GroupsOfPoints.smallShare(of: communities, copies: copies)
            if share <= Self.maximumSmallShare { return (communities, higher) }
        }
        return nil
    }

    /// The minimum number of distinct vectors for which groups are found in a graph. A smaller graph is not
    /// informative.
    static let minimumCount = 5
    private static let minimumCopies = 3

    /// Returns the communities if there are fewer than ``minimumCount`` distinct vectors. Each vector with at
    /// least ``minimumCopies`` copies forms a separate group, and the others together form one group.
    private static func communities(ofFew copies: [Int]) -> [Int32] {
        Leiden.renumbered(
            copies.enumerated().map { index, copies in
                copies >= minimumCopies ? Int32(index) + 1 : 0
            })
    }
}

/// A step of a clustering run.
public enum ClusteringStep: String, Sendable, CaseIterable {
    /// Reading the texts and vectors of the entries.
    case reading = "reading vectors"
    /// Finding the nearest neighbors of each entry.
    case neighbors = "finding neighbors"
    /// Finding groups of entries.
    case groups = "finding groups"
    /// Finding groups in subsamples, to measure how stable the groups are.
    case stability = "measuring stability"
    /// Choosing keywords and labels.
    case labels = "choosing labels"
    /// Comparing the clusters with the previous ones and saving them; a dry run saves nothing.
    case saving = "saving clusters"
}
