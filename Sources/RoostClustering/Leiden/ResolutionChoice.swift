import Foundation
import RoostVectors

/// Chooses, among the partitions of a ``ResolutionLadder``, the one with the best evidence for its groups.
///
/// Three measures are added, because each fails on data that the others handle:
///
/// - Stability (``SubsampleStability``): the groups reappear in subsamples. Alone, it prefers very few or very many
///   groups in small stores.
/// - Modularity at resolution 1 (Newman & Girvan 2004): there are more edges within groups than in a random graph with
///   the same degrees. Alone, it prefers groups of similar sizes, and more groups of more points.
/// - The silhouette's gap (``SilhouetteGap``): the groups are more distinct than groups in random data. Alone, it fails
///   on texts from one narrow field, where no direction stands out. It differs little between partitions, so it has the
///   largest weight.
struct ResolutionChoice {
    let index: Int
    /// The gap of the chosen partition, -2 to 2.
    let gap: Double
    /// The subsamples and their groups at each resolution.
    let stability: SubsampleStability

    /// The weight of the gap if there are many points; on labeled sets, weights from 1.5 to 3 differ by at most .002 in
    /// the mean agreement with the labels. With fewer points, the weight is smaller, because the silhouettes of few
    /// points in many dimensions vary by chance; with ``halfWeightCount`` points, it is half as large.
    private static let maximumGapWeight = 2.0
    private static let halfWeightCount = 100.0

    init(
        _ partitions: [[Int32]], of points: Matrix, _ leiden: Leiden, neighbors: Int,
        ladder: ResolutionLadder, seed: UInt64
    ) throws {
        let stability = try SubsampleStability(
            of: partitions, points, neighbors: neighbors, ladder: ladder, seed: seed)
        self.stability = stability
        let gaps = try SilhouetteGap(points, seed: seed)?.values(of: partitions)
        let relativeCount = Double(points.rows) / Self.halfWeightCount
        let square = relativeCount * relativeCount
        let gapWeight = Self.maximumGapWeight * square / (1 + square)
        let scores = partitions.enumerated().map { index, groups -> Double in
            stability.means[index] + leiden.modularity(of: groups) + gapWeight * (gaps?[index] ?? 0)
        }
        index = scores.indices.max { scores[$0] < scores[$1] } ?? 0
        gap = gaps?[index] ?? 0
    }
}

/// Communities of one graph at decreasing resolutions, from fine to coarse.
///
/// The finest communities are found in the whole graph. Coarser ones are found in a smaller graph whose nodes
/// are the communities of the previous level, so all levels together take little longer than the first. In
/// small graphs, each level is then improved in the whole graph.
struct ResolutionLadder {
    let resolutions: [Double]

    private static let minimumResolution = 0.1
    /// The highest resolution that is tried, for up to ``typicalCount`` points. Beyond that, it grows with
    /// the square root of the number of points, because more points can form more groups.
    private static let maximumResolution = 8.0
    private static let typicalCount = 20_000.0
    /// The ratio of successive resolutions: the cube root of 2, so three steps halve the resolution.
    private static let step = 1.2599210498948732

    /// The maximum number of points for which each level is improved in the whole graph. This finds better
    /// communities, but each level then takes as long as the first.
    private static let maximumRefinedCount = 20_000

    init(_ resolutions: [Double]) { self.resolutions = resolutions }

    init(count: Int) {
        var resolutions = [Self.maximumResolution * max(1, Double(count) / Self.typicalCount).squareRoot()]
        while let last = resolutions.last, last / Self.step >= Self.minimumResolution {
            resolutions.append(last / Self.step)
        }
        self.resolutions = resolutions
    }

    /// Returns the number of steps between two resolutions.
    static func steps(to ratio: Double) -> Int { Int((log(ratio) / log(step)).rounded()) }

    func index(nearest resolution: Double) -> Int {
        func ratio(_ other: Double) -> Double { max(other / resolution, resolution / other) }
        return resolutions.indices.min { ratio(resolutions[$0]) < ratio(resolutions[$1]) } ?? 0
    }

    func partitions(
        of leiden: Leiden, using generator: inout SeededGenerator, onProgress: (Double) -> Void = { _ in }
    ) throws -> [[Int32]] {
        guard let first = resolutions.first else { return [] }
        let finest = try leiden.communities(resolution: first, rounds: 1, using: &generator)
        var partitions = [finest]
        var (level, communityOf) = (leiden.contracted(finest), finest)
        for resolution in resolutions.dropFirst() {
            onProgress(Double(partitions.count) / Double(resolutions.count))
            let coarser = try level.communities(resolution: resolution, using: &generator)
            communityOf = communityOf.map { coarser[Int($0)] }
            level = level.contracted(coarser)
            guard leiden.graph.count <= Self.maximumRefinedCount else {
                partitions.append(communityOf)
                continue
            }
            partitions.append(
                try leiden.communities(
                    resolution: resolution, from: communityOf, rounds: 1, using: &generator))
        }
        return partitions
    }
}
