import Foundation
public import RoostVectors

/// Groups vectors by the communities of their nearest-neighbor graph. The number of groups is determined by the data.
///
/// The graph connects every vector with its nearest neighbors, and the Leiden algorithm finds communities in it (Traag,
/// Waltman & van Eck 2019). The clusterer chooses the resolution whose groups are best supported by the data: the groups
/// reappear in subsamples, and are more distinct than groups in random data (`ResolutionChoice`). ``granularity`` can
/// make them coarser or finer. The same vectors in the same order and the same parameters give the same labels,
/// regardless of the number of threads. For up to 50,000 vectors, the labels do not depend on the seed either.
///
/// Collections that have nearly no neighbors in each other are clustered separately, as if each were alone (`Regions`).
///
/// More than `Partition/maximumFlatSize` groups get parents: communities at a lower resolution, which is chosen so that
/// there are 8 to 25 of them and they are found again in subsamples. Without such a resolution, there are no parents.
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

    /// The size of the groups, relative to the chosen resolution. Ignored if ``resolution`` is set.
    public var granularity: Granularity
    /// The resolution of modularity, above 0. A higher one gives smaller groups. `nil` chooses it from the data.
    public var resolution: Double?
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
        /// The scales of the previous run, one for each collection that was clustered separately.
        public var scales: [Scale]

        /// Creates a start from the result of a previous run.
        public init(groups: [Int?], scales: [Scale]) { (self.groups, self.scales) = (groups, scales) }

        /// The scale of a collection's groups.
        public struct Scale: Sendable {
            /// The resolution of the groups, above 0.
            public var resolution: Double
            /// The resolution of their parents; `nil` if they have none.
            public var parentResolution: Double?
            /// The number of vectors in the last run that clustered all of them. If the current number differs from
            /// it by more than a fifth, all are clustered again.
            public var fullRunCount: Double

            /// Creates a scale.
            public init(resolution: Double, parentResolution: Double? = nil, fullRunCount: Double) {
                (self.resolution, self.parentResolution) = (resolution, parentResolution)
                self.fullRunCount = fullRunCount
            }

            /// The facts of `Partition/facts` about a collection of this scale.
            var facts: [String: Double] {
                var facts = [FactKey.resolution: resolution, FactKey.fullRunCount: fullRunCount]
                facts[FactKey.parentResolution] = parentResolution
                return facts
            }

            /// Whether the numbers are possible. Others come from a damaged or manipulated record.
            fileprivate var isValid: Bool {
                [resolution, parentResolution ?? 1, fullRunCount].allSatisfy { (1e-12...1e12).contains($0) }
            }
        }
    }

    /// The keys of `Partition/facts` that a later run reads.
    package enum FactKey {
        package static let resolution = "resolution"
        package static let fullRunCount = "lookedAt"
        /// Absent if every region kept the groups of the previous run.
        package static let gap = "gap"
        package static let parentResolution = "parentResolution"

        /// The key of a fact about one region, from 0.
        static func name(_ key: String, _ region: Int) -> String {
            region == 0 ? key : "\(key) \(region + 1)"
        }
    }

    /// Creates a clusterer.
    public init(
        granularity: Granularity = .medium, resolution: Double? = nil, maximumOutliers: Double = 0.05,
        seed: UInt64 = 0
    ) {
        (self.granularity, self.resolution) = (granularity, resolution)
        (self.maximumOutliers, self.seed) = (maximumOutliers, seed)
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
        try checkParameters()
        try ClusteringError.requireFinite(vectors)
        let distinct = DistinctRows(of: vectors)
        guard !distinct.rows.isEmpty else {
            throw ClusteringError(.noVectors, "cannot cluster: there are no nonzero vectors")
        }
        var regions = resolution == nil ? try Regions(of: vectors, distinct) : nil
        var clusterer = self
        if let start, start.groups.count == vectors.rows, start.scales.count == regions?.rows.count ?? 1,
            start.scales.allSatisfy(\.isValid)
        {
            regions = regions?.keeping(start.groups)
        } else {
            clusterer.start = nil
        }
        return try regions.map { try clusterer.cluster($0, of: vectors) }
            ?? clusterer.partition(vectors, distinct)
    }

    /// Groups the rows of one region.
    ///
    /// - Parameter mayBeOneGroup: Whether the rows stay one group unless their groups are assortative: at least half of
    ///   the edges that would join different groups by chance join the same one.
    func partition(_ vectors: Matrix, _ distinct: DistinctRows, mayBeOneGroup: Bool = false) throws
        -> Partition
    {
        let points = distinct.rows.count == vectors.rows ? vectors : vectors.selecting(distinct.rows)
        let k = Self.neighborCount(of: points.rows)
        onProgress?(.neighbors, 0)
        let nearest = try NearestNeighbors.find(in: points, k: k, seed: seed)
        try Task.checkCancellation()
        onProgress?(.groups, 0)
        let graph = NeighborGraph.make(nearest)
        var generator = SeededGenerator(seed: Self.fixedSeed)
        let leiden = Leiden(graph)
        let chosen =
            try continueRun(leiden, distinct, using: &generator)
            ?? choose(leiden, points, distinct, k, mayBeOneGroup, using: &generator)
        var groups = GroupsOfPoints(points, nearest, graph, chosen.communities)
        groups.joinSmall(copies: distinct.copies)
        let outliers = groups.outliers(
            atMost: Int(maximumOutliers * Double(vectors.rows)), copies: distinct.copies)
        var facts = [FactKey.resolution: chosen.resolution, "neighbors": Double(k)]
        facts[FactKey.fullRunCount] = chosen.fullRunCount ?? Double(vectors.rows)
        facts[FactKey.gap] = chosen.gap
        var partition = groups.partition(distinct, rows: vectors.rows, outliers: outliers, facts: facts)
        guard points.rows >= Self.minimumCount else { return partition }
        let levels = GroupLevels(leiden, groups.groups, distinct, chosen.resolution)
        if let stability = chosen.stability, let ladder = chosen.ladder {
            partition = try levels.finish(partition, stability, ladder)
        } else {
            onProgress?(.stability, 0)
            let subsamples = try Subsamples(of: points, neighbors: k, seed: Self.fixedSeed)
            partition = try levels.finish(
                partition, subsamples, parentResolution: start?.scales.first?.parentResolution)
        }
        guard dividesGroups else { return partition }
        let topics = chosen.fullRunCount == nil ? [] : start?.topics ?? []
        return try partition.dividing(vectors, keeping: topics)
    }

    private func checkParameters() throws {
        try ClusteringError.require(
            resolution.map { $0 > 0 && $0.isFinite } ?? true, "the resolution must be above 0")
        try ClusteringError.require(
            (0...1).contains(maximumOutliers), "maximumOutliers must be from 0 to 1, not \(maximumOutliers)")
    }

    /// Returns the number of neighbors of each point in the graph.
    static func neighborCount(of count: Int) -> Int {
        min(count < smallCount ? smallNeighbors : neighbors, count - 1)
    }

    private struct Chosen {
        var communities: [Int32]
        var resolution: Double
        /// The subsamples with which the resolution was chosen; `nil` if it was given.
        var stability: SubsampleStability?
        var ladder: ResolutionLadder?
        var gap: Double?
        /// See ``Start/Scale/fullRunCount``; `nil` if this run clusters all vectors.
        var fullRunCount: Double?
    }

    /// The groups of a previous run are kept only if neither the share of new vectors nor the relative change
    /// in the number of vectors exceeds this value.
    private static let maximumChange = 0.2
    /// The seed of all random choices except those of the neighbor search. See ``seed``.
    private static let fixedSeed: UInt64 = 0
    /// The number of neighbors of each point in the graph, and that for fewer than ``smallCount`` points: with fewer
    /// neighbors, such a small graph might break into pieces by chance.
    private static let (neighbors, smallNeighbors) = (15, 25)
    private static let smallCount = 1000
    /// The resolutions of coarse and of fine groups, relative to the chosen one.
    private static let (coarseFactor, fineFactor) = (0.25, 4.0)

    /// Returns the communities of the previous run with the new vectors added.
    ///
    /// - Returns: `nil` if there is no previous run or if too many vectors have been added or removed.
    private func continueRun(
        _ leiden: Leiden, _ distinct: DistinctRows, using generator: inout SeededGenerator
    ) throws -> Chosen? {
        guard let start, let scale = start.scales.first else { return nil }
        let (n, count) = (distinct.rows.count, Double(distinct.indices.count))
        guard abs(count - scale.fullRunCount) <= Self.maximumChange * scale.fullRunCount else { return nil }
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
            isNew, to: Leiden.renumbered(groups), resolution: scale.resolution, using: &generator)
        return Chosen(
            communities: communities, resolution: scale.resolution, fullRunCount: scale.fullRunCount)
    }

    /// Returns the communities at the given resolution, or at the one that ``ResolutionChoice`` chooses.
    private func choose(
        _ leiden: Leiden, _ points: Matrix, _ distinct: DistinctRows, _ neighbors: Int, _ mayBeOneGroup: Bool,
        using generator: inout SeededGenerator
    ) throws -> Chosen {
        guard distinct.rows.count >= Self.minimumCount else {
            return Chosen(communities: Self.communities(ofFew: distinct), resolution: resolution ?? 1)
        }
        if let resolution {
            return Chosen(
                communities: try leiden.communities(resolution: resolution, using: &generator),
                resolution: resolution)
        }
        let ladder = ResolutionLadder(count: points.rows)
        let partitions = try ladder.partitions(of: leiden, using: &generator) { onProgress?(.groups, $0) }
        onProgress?(.stability, 0)
        let choice = try ResolutionChoice(
            partitions, of: points, leiden, neighbors: neighbors, ladder: ladder, seed: Self.fixedSeed)
        if mayBeOneGroup,
            leiden.assortativity(of: partitions[choice.index]) < Partition.minimumAssortativity
        {
            return Chosen(
                communities: Array(repeating: 0, count: points.rows), resolution: Regions.resolution,
                gap: choice.gap)
        }
        var resolution = ladder.resolutions[choice.index]
        var communities = partitions[choice.index]
        if granularity == .fine,
            let finer = try finer(than: resolution, leiden, distinct, using: generator)
        {
            (communities, resolution) = (finer.communities, finer.resolution)
        } else {
            // If there are no finer groups, the groups are those of medium size.
            let isCoarse = granularity == .coarse
            if isCoarse { resolution *= Self.coarseFactor }
            communities = try leiden.communities(
                resolution: resolution, from: isCoarse ? nil : communities, rounds: 1, using: &generator)
        }
        return Chosen(
            communities: communities, resolution: resolution, stability: choice.stability, ladder: ladder,
            gap: choice.gap)
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
        than resolution: Double, _ leiden: Leiden, _ distinct: DistinctRows, using generator: SeededGenerator
    ) throws -> (communities: [Int32], resolution: Double)? {
        var generator = generator
        let steps = ResolutionLadder.steps(to: Self.fineFactor)
        for step in (1...steps).reversed() {
            let higher = resolution * pow(Self.fineFactor, Double(step) / Double(steps))
            let communities = try leiden.communities(resolution: higher, rounds: 1, using: &generator)
            let share = GroupsOfPoints.smallShare(of: communities, copies: distinct.copies)
            if share <= Self.maximumSmallShare { return (communities, higher) }
        }
        return nil
    }

    /// The minimum number of distinct vectors for which groups are found in a graph. A smaller graph is not
    /// informative.
    static let minimumCount = 5
    private static let minimumCopies = 3

    /// Returns the communities if there are fewer than ``minimumCount`` distinct vectors. Each vector with at least
    /// ``minimumCopies`` copies forms a separate group, and the others together form one group.
    private static func communities(ofFew distinct: DistinctRows) -> [Int32] {
        Leiden.renumbered(
            distinct.copies.enumerated().map { index, copies in
                copies >= minimumCopies ? Int32(index) + 1 : 0
            })
    }
}

extension [LeidenClusterer.Start.Scale] {
    /// Returns the scales of a run.
    ///
    /// - Parameter facts: `Partition/facts` of the run.
    public static func all(in facts: [String: Double]) -> [LeidenClusterer.Start.Scale] {
        typealias Key = LeidenClusterer.FactKey
        func fact(_ key: String, _ region: Int) -> Double? { facts[Key.name(key, region)] }
        return (0...facts.count).prefix { fact(Key.resolution, $0) != nil }.map { region in
            LeidenClusterer.Start.Scale(
                resolution: fact(Key.resolution, region) ?? 0,
                parentResolution: fact(Key.parentResolution, region),
                fullRunCount: fact(Key.fullRunCount, region) ?? 0)
        }
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
