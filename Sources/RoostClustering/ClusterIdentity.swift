public import RoostModel

/// Finds which clusters of a new run are those of the last one.
public enum ClusterIdentity {
    /// For each new group the last run's cluster that it continues, if there is one.
    ///
    /// A group can continue a cluster where they share more than a quarter of what they have together (of the
    /// cluster, only entries that are still in a group count). Of all ways to give each cluster to one group
    /// at most, the one with most shared members is taken: a matching of greatest weight (Kuhn 1955), so that
    /// of two parts the larger goes on, of two that were joined the larger.
    ///
    /// - Parameters:
    ///   - groups: the members of each new group.
    ///   - previous: the last run's clusters with their members.
    /// - Complexity: O(members), and the cube of how many clusters hang together by shared members.
    public static func match(_ groups: [[Entry.ID]], to previous: [Cluster]) -> [Cluster?] {
        var groupOf: [Entry.ID: Int] = [:]
        for (group, members) in groups.enumerated() { for member in members { groupOf[member] = group } }
        // For each old cluster the new groups that can continue it.
        var shared = [[Int: Int]](repeating: [:], count: previous.count)
        for (index, cluster) in previous.enumerated() {
            var overlaps: [Int: Int] = [:]
            for member in cluster.members {
                if let group = groupOf[member] { overlaps[group, default: 0] += 1 }
            }
            let remaining = overlaps.values.reduce(0, +)
            shared[index] = overlaps.filter { group, overlap in
                4 * overlap > remaining + groups[group].count - overlap
            }
        }
        var matches = [Cluster?](repeating: nil, count: groups.count)
        for (clusters, candidates) in components(shared, groups: groups.count) {
            let weights = clusters.map { cluster in candidates.map { Double(shared[cluster][$0] ?? 0) } }
            for (place, candidate) in assignment(weights).enumerated() {
                guard let candidate, weights[place][candidate] > 0 else { continue }
                matches[candidates[candidate]] = previous[clusters[place]]
            }
        }
        return matches
    }

    /// Clusters and groups that hang together by shared members.
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

    /// The Hungarian method with potentials: for each row the column that makes the sum of weights greatest,
    /// no column twice; `nil` for rows that are left over.
    ///
    /// - Parameter weights: at least 0.
    /// - Complexity: O(rows² · columns), the smaller being the rows.
    static func assignment(_ weights: [[Double]]) -> [Int?] {
        let columns = weights.first?.count ?? 0
        guard weights.count <= columns else {
            // By columns, and back.
            let turned = (0..<columns).map { column in weights.map { $0[column] } }
            var result = [Int?](repeating: nil, count: weights.count)
            for (column, row) in assignment(turned).enumerated() { if let row { result[row] = column } }
            return result
        }
        let rows = weights.count
        // Costs are negative weights. Row and column 0 stand for "none".
        var (rowPotential, columnPotential) = (
            [Double](repeating: 0, count: rows + 1), [Double](repeating: 0, count: columns + 1)
        )
        var rowOf = [Int](repeating: 0, count: columns + 1)
        for row in stride(from: 1, through: rows, by: 1) {
            var way = [Int](repeating: 0, count: columns + 1)
            var least = [Double](repeating: .infinity, count: columns + 1)
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
                    if cost < least[other] { (least[other], way[other]) = (cost, column) }
                    if least[other] < delta { (delta, next) = (least[other], other) }
                }
                for other in 0...columns {
                    if used[other] {
                        rowPotential[rowOf[other]] += delta
                        columnPotential[other] -= delta
                    } else {
                        least[other] -= delta
                    }
                }
                column = next
            } while rowOf[column] != 0
            while column != 0 {
                let before = way[column]
                rowOf[column] = rowOf[before]
                column = before
            }
        }
        var result = [Int?](repeating: nil, count: rows)
        for column in stride(from: 1, through: columns, by: 1) where rowOf[column] > 0 {
            result[rowOf[column] - 1] = column - 1
        }
        return result
    }
}
