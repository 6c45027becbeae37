import Foundation
import RoostVectors

/// Communities of one graph at decreasing resolutions, from fine to coarse.
///
/// The finest communities are found in the whole graph. Coarser ones are found in a smaller graph whose nodes
/// are the communities of the previous level, so all levels together take little longer than the first. In
/// small graphs, each level is then improved in the whole graph.
struct ResolutionLadder {
    /// The resolutions, descending.
    let resolutions: [Double]

    /// The lowest resolution that is tried.
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

    /// Creates a ladder of the given resolutions.
    ///
    /// - Parameter resolutions: The resolutions in descending order.
    init(_ resolutions: [Double]) { self.resolutions = resolutions }

    /// Creates the ladder for the given number of points.
    init(count: Int) {
        var resolutions = [Self.maximumResolution * max(1, Double(count) / Self.typicalCount).squareRoot()]
        while let last = resolutions.last, last / Self.step >= Self.minimumResolution {
            resolutions.append(last / Self.step)
        }
        self.resolutions = resolutions
    }

    /// Returns the number of steps between two resolutions.
    ///
    /// - Parameter ratio: The ratio of the resolutions, at least 1.
    static func steps(to ratio: Double) -> Int { Int((log(ratio) / log(step)).rounded()) }

    /// Returns the index of the resolution that is nearest to the given one on a logarithmic scale.
    func index(nearest resolution: Double) -> Int {
        func ratio(_ other: Double) -> Double { max(other / resolution, resolution / other) }
        return resolutions.indices.min { ratio(resolutions[$0]) < ratio(resolutions[$1]) } ?? 0
    }

    /// Returns the communities of a graph at each resolution.
    ///
    /// - Parameter onProgress: Receives the finished share of the resolutions, 0 to 1.
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
