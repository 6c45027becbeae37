import RoostVectors

/// Chooses, among the partitions of a ``ResolutionLadder``, the one with the best evidence for its groups.
///
/// Three measures are added, because each fails on data that the others handle:
///
/// - Stability (``SubsampleStability``): the groups reappear in subsamples. Used alone, this measure prefers
///   very few or very many groups in small stores.
/// - Modularity at resolution 1 (Newman & Girvan 2004): there are more edges within groups than in a random
///   graph with the same degrees. Used alone, this measure prefers groups of similar sizes, and the number of
///   groups grows with the number of points. Its weight is one half, and it prevents one large group from
///   winning.
/// - The silhouette's gap (``SilhouetteGap``): the groups are more distinct than groups in random data. Used
///   alone, this measure fails on texts from one narrow field, where no direction stands out. It differs
///   little between partitions, so it has the largest weight.
///
/// `Documentation/Decisions` records the methods that were compared.
struct ResolutionChoice {
    /// The index of the chosen partition.
    let index: Int
    /// The evidence for each partition.
    let evidence: [Evidence]
    /// The subsamples and their groups at each resolution.
    let stability: SubsampleStability

    /// The measures of one partition.
    struct Evidence {
        /// The mean agreement with subsamples, at most 1.
        var stability: Double
        var modularity: Double
        /// The silhouette's gap, -2 to 2.
        var gap: Double
        /// The share of the points that are in the largest group.
        var largestShare: Double
    }

    /// The weight of modularity. It was chosen from 0, 1/2 and 1 by leaving out one labeled data set at a
    /// time; the result was 1/2 every time.
    private static let modularityWeight = 0.5
    /// The weight of the gap if there are many points; on labeled sets, weights from 2.4 to 6 differ by at
    /// most .001 in the mean agreement with the labels. With fewer points, the weight is smaller, because the
    /// silhouettes of few points in many dimensions vary by chance; with ``halfWeightCount`` points, it is
    /// half as large.
    private static let maximumGapWeight = 3.0
    private static let halfWeightCount = 100.0

    /// Compares the partitions of a ladder.
    ///
    /// - Parameters:
    ///   - partitions: The groups of all points, fine to coarse, numbered from 0.
    ///   - points: The points, (n, d), unit length, all different.
    init(
        _ partitions: [[Int32]], of points: Matrix, _ leiden: Leiden, neighbors: Int,
        ladder: ResolutionLadder, seed: UInt64
    ) throws {
        let stability = try SubsampleStability(
            of: partitions, points, neighbors: neighbors, ladder: ladder, seed: seed)
        self.stability = stability
        let gaps = try SilhouetteGap(points, seed: seed)?.values(of: partitions)
        let evidence = partitions.indices.map { index in
            Evidence(
                stability: stability.means[index], modularity: leiden.modularity(of: partitions[index]),
                gap: gaps?[index] ?? 0, largestShare: Self.largestShare(partitions[index]))
        }
        self.evidence = evidence
        index = Self.best(evidence, of: points.rows)
    }

    /// If the largest group contains more than this share of the points, the partition is chosen only if its
    /// evidence is clearly better than that of the others.
    private static let dominance = 0.5
    /// The amount that is subtracted from the score of a partition with such a dominant group.
    private static let dominanceMargin = 0.05

    /// Returns the index of the partition with the highest score.
    private static func best(_ evidence: [Evidence], of count: Int) -> Int {
        let relativeCount = Double(count) / halfWeightCount
        let gapWeight = maximumGapWeight * relativeCount * relativeCount / (1 + relativeCount * relativeCount)
        let scores = evidence.map { one in
            one.stability + modularityWeight * one.modularity + gapWeight * one.gap
                - (one.largestShare > dominance ? dominanceMargin : 0)
        }
        return scores.indices.max { scores[$0] < scores[$1] } ?? 0
    }

    private static func largestShare(_ groups: [Int32]) -> Double {
        var sizes = [Int](repeating: 0, count: Int((groups.max() ?? -1) + 1))
        for group in groups { sizes[Int(group)] += 1 }
        return Double(sizes.max() ?? 0) / Double(max(1, groups.count))
    }
}
