package import RoostModel

package enum ClusterIdentity {
    /// Returns, for each new group, the cluster of the previous run that it continues, or `nil`.
    ///
    /// A group can continue a cluster if their intersection is more than a quarter of their union (members of the
    /// cluster that are in no group now do not count), or if a person labeled the cluster and more than half of the
    /// group's members were in it. Among all one-to-one matchings, the function chooses the one with the most shared
    /// members: a maximum-weight matching (Kuhn 1955). So the larger part of a cluster that splits, and the larger of
    /// clusters that merge, keep their identity. As many clusters as possible that a person labeled are continued, at
    /// the expense of others. Groups and clusters may contain others: a group that is divided into topics continues
    /// the undivided cluster.
    ///
    /// - Complexity: O(pairs of a cluster and a group that share entries) plus the cube of the number of
    ///   clusters in each connected component of the overlap graph.
    package static func match(_ overlap: ClusterOverlap, to previous: [Cluster]) -> [Cluster?] {
        let sizes = overlap.groupSizes
        // For each previous cluster, the groups that can continue it and the number of shared members.
        let shared = previous.map { cluster in
            var (overlaps, remaining) = ([Int: Int](), 0)
            for (leaf, count) in overlap.leaves(of: cluster.id) {
                remaining += count
                for group in overlap.ancestors(of: leaf) { overlaps[group, default: 0] += count }
            }
            return overlaps.filter { group, overlap in
                4 * overlap > remaining + sizes[group] - overlap
                    || cluster.isLabelPinned && 2 * overlap > sizes[group]
            }
        }
        var matches = [Cluster?](repeating: nil, count: sizes.count)
        // More than the weight of any matching without it.
        let labelWeight = Double(sizes.reduce(1, +))
        for (clusters, candidates) in components(shared, groups: sizes.count) {
            let weights = clusters.map { cluster in
                let extra = previous[cluster].isLabelPinned ? labelWeight : 0
                return candidates.map { shared[cluster][$0].map { Double($0) + extra } ?? 0 }
            }
            for (row, column) in assignment(weights).enumerated() {
                guard let column, weights[row][column] > 0 else { continue }
                matches[candidates[column]] = previous[clusters[row]]
            }
        }
        return matches
    }

    private static func components(
        _ shared: [[Int: Int]], groups: Int
    ) -> [(clusters: [Int], groups: [Int])] {
        var clustersOf = [[Int]](repeating: [], count: groups)
        for (cluster, candidates) in shared.enumerated() {
            for group in candidates.keys { clustersOf[group].append(cluster) }
        }
        var seen = [Bool](repeating: false, count: shared.count)
        var found: [(clusters: [Int], groups: [Int])] = []
        for first in shared.indices where !seen[first] && !shared[first].isEmpty {
            var (clusters, members, stack) = ([Int](), Set<Int>(), [first])
            seen[first] = true
            while let cluster = stack.popLast() {
                clusters.append(cluster)
                for group in shared[cluster].keys where members.insert(group).inserted {
                    for other in clustersOf[group] where !seen[other] {
                        seen[other] = true
                        stack.append(other)
                    }
                }
            }
            found.append((clusters.sorted(), members.sorted()))
        }
        return found
    }

    /// Solves the assignment problem by the Hungarian method with potentials.
    ///
    /// - Returns: For each row its column, such that the sum of weights is maximal and no column occurs
    ///   twice; `nil` for a row without a column.
    static func assignment(_ weights: [[Double]]) -> [Int?] {
        let columns = weights.first?.count ?? 0
        guard weights.count <= columns else {
            // The method below needs at least as many columns as rows, so solve the transposed problem.
            let transposed = (0..<columns).map { column in weights.map { $0[column] } }
            var result = [Int?](repeating: nil, count: weights.count)
            for (column, row) in assignment(transposed).enumerated() { if let row { result[row] = column } }
            return result
        }
        let rows = weights.count
        // Costs are negated weights. Indices start at 1: row and column 0 mean "unassigned".
        var (rowPotential, columnPotential) = (
            [Double](repeating: 0, count: rows + 1), [Double](repeating: 0, count: columns + 1)
        )
        var rowOf = [Int](repeating: 0, count: columns + 1)
        for row in stride(from: 1, through: rows, by: 1) {
            var predecessors = [Int](repeating: 0, count: columns + 1)
            var minimumCosts = [Double](repeating: .infinity, count: columns + 1)
            var used = [Bool](repeating: false, count: columns + 1)
            rowOf[0] = row
            var column = 0
            repeat {
                used[column] = true
                let current = rowOf[column]
                var (delta, next) = (Double.infinity, 0)
                for other in 1...columns where !used[other] {
                    let cost =
                        -weights[current - 1][other - 1] - rowPotential[current] - columnPotential[other]
                    if cost < minimumCosts[other] {
                        (minimumCosts[other], predecessors[other]) = (cost, column)
                    }
                    if minimumCosts[other] < delta { (delta, next) = (minimumCosts[other], other) }
                }
                for other in 0...columns {
                    if used[other] {
                        rowPotential[rowOf[other]] += delta
                        columnPotential[other] -= delta
                    } else {
                        minimumCosts[other] -= delta
                    }
                }
                column = next
            } while rowOf[column] != 0
            while column != 0 {
                let predecessor = predecessors[column]
                rowOf[column] = rowOf[predecessor]
                column = predecessor
            }
        }
        var result = [Int?](repeating: nil, count: rows)
        for column in stride(from: 1, through: columns, by: 1) where rowOf[column] > 0 {
            result[rowOf[column] - 1] = column - 1
        }
        return result
    }
}
