package import RoostVectors

/// Assigns vectors to the groups of a sample that does not contain them, by a weighted vote of their nearest
/// neighbors in the sample.
///
/// A vote has the weight that an edge to the neighbor would have in the graph of the sample, before the two
/// directions of an edge are combined. A vector that equals a point of the sample gets the label of that
/// point. The result for a vector does not depend on other vectors.
package struct SampleVote: Sendable {
    /// The assignment of one vector.
    package struct Vote: Sendable, Hashable {
        /// The group, or the reason why the vector is in none.
        package var label: Partition.Label
        /// The cosine with the centroid of the group or, for an outlier, of the nearest group.
        package var similarity: Float
        /// The share of the weights that are votes for the group, 0 to 1; 0 for an outlier.
        package var confidence: Float
        /// The data about a vector that is far from the sample; `nil` for all others.
        package var distance: Distance?

        package init(label: Partition.Label, similarity: Float, confidence: Float) {
            (self.label, self.similarity, self.confidence) = (label, similarity, confidence)
        }
    }

    /// Describes a vector that may be an outlier: its mean similarity to its neighbors is below the fence
    /// (``fence(of:by:)``). Whether it is one depends on the permitted number of outliers.
    package struct Distance: Sendable, Hashable {
        /// The mean cosine with its neighbors.
        package var meanScore: Float
        /// The cosine with the nearest centroid.
        package var nearestSimilarity: Float

        package init(meanScore: Float, nearestSimilarity: Float) {
            (self.meanScore, self.nearestSimilarity) = (meanScore, nearestSimilarity)
        }
    }

    private let partition: Partition
    private let neighbors: SampleNeighbors
    /// The row of the sample of each distinct point.
    private let rows: [Int]
    /// The number of neighbors of each point in the graph of the sample.
    private let graphNeighbors: Int
    private let fence: Float?
    /// The groups that are not parents, and their centroids.
    private let leaves: [Int]
    private let centroids: Matrix

    /// The number of votes, relative to the number of neighbors of a point in the graph. A point also has
    /// edges from the points whose neighbor it is, on average nearly as many.
    private static let votesPerNeighbor = 2

    /// Prepares the vote.
    ///
    /// - Parameters:
    ///   - partition: The groups of the sample, at least one.
    ///   - vectors: The vectors of the sample, one for each label of the partition.
    ///   - clusterer: The clusterer that found the groups.
    ///   - fence: The mean similarity below which a vector may be an outlier; `nil` if none may.
    /// - Throws: `CancellationError`.
    package init(
        _ partition: Partition, of vectors: Matrix, by clusterer: LeidenClusterer, fence: Float?
    ) throws {
        precondition(partition.labels.count == vectors.rows && partition.count > 0)
        let distinct = DistinctRows(of: vectors)
        (self.partition, rows, self.fence) = (partition, distinct.rows, fence)
        graphNeighbors = max(1, clusterer.neighborCount(of: max(1, distinct.rows.count)))
        neighbors = try SampleNeighbors(
            distinct.rows.count == vectors.rows ? vectors : vectors.selecting(distinct.rows),
            seed: clusterer.seed)
        let parents = Set(partition.parents.compactMap(\.self))
        leaves = (0..<partition.count).filter { !parents.contains($0) }
        centroids = partition.centroids.selecting(leaves)
    }

    /// Returns the assignments of vectors.
    ///
    /// - Parameter vectors: The vectors, (n, d), unit length or zero.
    /// - Throws: `CancellationError`.
    /// - Complexity: See `SampleNeighbors`.
    package func votes(of vectors: Matrix) throws -> [Vote] {
        let found = try neighbors.find(vectors, k: Self.votesPerNeighbor * graphNeighbors)
        var votes = [Vote](
            repeating: Vote(label: .outlier(.zeroVector), similarity: 0, confidence: 0),
            count: vectors.rows)
        votes.withUnsafeMutableBufferPointer { votes in
            guard let target = votes.baseAddress else { return }
            let output = DisjointWrites(target)
            Parallel.forEachBlock(of: vectors.rows, size: 256) { block in
                for row in block {
                    vectors.withRow(row) { values in
                        guard values.contains(where: { $0 != 0 }) else { return }
                        output[row] = vote(of: values, found[row])
                    }
                }
            }
        }
        return votes
    }

    private func vote(of values: UnsafeBufferPointer<Float>, _ found: [SampleNeighbors.Found]) -> Vote {
        if let first = found.first,
            neighbors.points.withRow(first.index, { $0.elementsEqual(values) })
        {
            let row = rows[neighbors.number(of: first.index)]
            return Vote(
                label: partition.labels[row], similarity: partition.similarities[row],
                confidence: partition.confidences[row])
        }
        var (sums, total) = ([Int: Double](), 0.0)
        for (neighbor, weight) in zip(found, NeighborGraph.memberships(found.map(\.score))) {
            guard let group = partition.labels[rows[neighbors.number(of: neighbor.index)]].group else {
                continue
            }
            sums[group, default: 0] += Double(weight)
            total += Double(weight)
        }
        let best = sums.max { ($0.value, $1.key) < ($1.value, $0.key) }
        let nearestFound = found.prefix(graphNeighbors)
        let meanScore =
            nearestFound.reduce(Float(0)) { $0 + $1.score } / Float(max(1, nearestFound.count))
        let isFar = fence.map { meanScore < $0 } ?? false
        let nearest = best == nil || isFar ? nearestLeaf(to: values) : nil
        // If all neighbors are outliers, the nearest centroid decides.
        let group = best?.key ?? nearest?.group ?? leaves[0]
        var vote = Vote(
            label: .group(group),
            similarity: partition.centroids.withRow(group) { innerProduct($0, values) },
            confidence: best.map { Float($0.value / total) } ?? 0)
        if isFar, let nearest {
            vote.distance = Distance(meanScore: meanScore, nearestSimilarity: nearest.similarity)
        }
        return vote
    }

    private func nearestLeaf(
        to values: UnsafeBufferPointer<Float>
    ) -> (group: Int, similarity: Float) {
        var best = (group: leaves[0], similarity: -Float.infinity)
        for (index, leaf) in leaves.enumerated() {
            let similarity = centroids.withRow(index) { innerProduct($0, values) }
            if similarity > best.similarity { best = (leaf, similarity) }
        }
        return best
    }

    /// The maximum number of points from which the fence is computed. They are spread evenly.
    private static let fenceSample = 20_000

    /// Returns the mean similarity to its neighbors below which a vector is far from all others: the fence of
    /// the clusterer's outliers (`GroupsOfPoints`).
    ///
    /// - Parameters:
    ///   - vectors: The vectors of the sample, unit length or zero.
    ///   - clusterer: The clusterer that found the groups.
    /// - Returns: `nil` if there are too few vectors to tell what is unusual.
    /// - Throws: `CancellationError`.
    package static func fence(of vectors: Matrix, by clusterer: LeidenClusterer) throws -> Float? {
        let distinct = DistinctRows(of: vectors)
        let count = distinct.rows.count
        guard count >= GroupsOfPoints.minimumCountForOutliers else { return nil }
        let points = count == vectors.rows ? vectors : vectors.selecting(distinct.rows)
        let k = clusterer.neighborCount(of: count)
        let step = (count + fenceSample - 1) / fenceSample
        let chosen = Array(stride(from: 0, to: count, by: step))
        // The nearest neighbor of a point is the point itself, whose score is omitted.
        let found = try SampleNeighbors(points, seed: clusterer.seed).find(points.selecting(chosen), k: k + 1)
        return GroupsOfPoints.fence(
            ofMeanScores: found.map { neighbors in
                neighbors.dropFirst().reduce(Float(0)) { $0 + $1.score } / Float(max(1, neighbors.count - 1))
            })
    }
}
