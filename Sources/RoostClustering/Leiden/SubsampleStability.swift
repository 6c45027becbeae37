import RoostVectors

/// Measures, for each resolution, how well the partition of all points agrees with the partitions of
/// subsamples.
///
/// Each subsample gets its own graph and ``ResolutionLadder``. The agreement is the adjusted mutual
/// information on the subsample, which is corrected for the agreement of many small groups by chance.
struct SubsampleStability {
    /// The mean agreement for each resolution, fine to coarse, smoothed over neighboring resolutions; at
    /// most 1.
    let means: [Double]
    let subsamples: Subsamples
    /// For each subsample and each resolution, the group of each point of the subsample.
    let partitions: [[[Int32]]]

    /// Compares partitions with those of subsamples.
    ///
    /// - Parameters:
    ///   - partitions: The groups of all points, for each resolution of the ladder.
    ///   - points: The points, (n, d), unit length, all different.
    ///   - neighbors: The number of nearest neighbors of each point in a graph.
    init(
        of partitions: [[Int32]], _ points: Matrix, neighbors: Int, ladder: ResolutionLadder, seed: UInt64
    ) throws {
        let subsamples = try Subsamples(of: points, neighbors: neighbors, seed: seed)
        let found = try subsamples.partitions(at: ladder)
        (self.subsamples, self.partitions) = (subsamples, found)
        let information = MutualInformation(maximumCount: Subsamples.size(of: points.rows))
        var values = [[Double]](repeating: [], count: found.count)
        values.withUnsafeMutableBufferPointer { values in
            guard let base = values.baseAddress else { return }
            let output = DisjointWrites(base)
            Parallel.forEachBlock(of: found.count, size: 1) { block in
                let rows = subsamples.samples[block.lowerBound].rows
                output[block.lowerBound] = zip(partitions, found[block.lowerBound]).map { whole, part in
                    Self.agreement(of: whole, with: part, rows, information)
                }
            }
        }
        try Task.checkCancellation()
        means = Self.smoothed(
            partitions.indices.map { [values] index in
                values.reduce(0) { $0 + $1[index] } / Double(max(1, values.count))
            })
    }

    /// Returns the mean agreement of groups of all points with the subsamples' groups at one resolution.
    ///
    /// - Parameters:
    ///   - groups: The group of each point.
    ///   - index: The index of the resolution in the ladder.
    func agreement(of groups: [Int32], at index: Int) -> Double {
        let information = MutualInformation(maximumCount: subsamples.samples.first?.rows.count ?? 0)
        let values = zip(subsamples.samples, partitions).map { sample, partitions in
            Self.agreement(of: groups, with: partitions[index], sample.rows, information)
        }
        return values.reduce(0, +) / Double(max(1, values.count))
    }

    private static func agreement(
        of whole: [Int32], with part: [Int32], _ rows: [Int], _ information: MutualInformation
    ) -> Double {
        // If either partition consists of a single group, their agreement does not show that groups exist.
        guard part.contains(where: { $0 > 0 }), whole.contains(where: { $0 > 0 }) else { return 0 }
        return information.adjusted(Leiden.renumbered(rows.map { whole[$0] }), part)
    }

    /// Returns weighted means over neighboring resolutions, with weights 1, 2 and 1. They favor a resolution
    /// between two stable ones over an isolated peak, which often occurs by chance.
    private static func smoothed(_ values: [Double]) -> [Double] {
        values.indices.map { index in
            (values[max(0, index - 1)] + 2 * values[index] + values[min(values.count - 1, index + 1)]) / 4
        }
    }
}
