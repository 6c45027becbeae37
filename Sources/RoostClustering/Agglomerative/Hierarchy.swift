import Foundation
public import RoostVectors

extension Partition {
    /// The maximum number of groups for which a hierarchy can be built. Time and memory grow with the square
    /// of this number: 4,000 groups need 128 MB.
    public static let maximumHierarchySize = 4000

    /// Returns the same groups with levels of parent groups above them, by agglomerative clustering of their
    /// centroids (Ward's linkage, weighted by the sizes of the groups). Parent groups have no rows of their
    /// own.
    ///
    /// For k groups and L levels, level l has about k^(1 - l/L) groups, so each level is coarser than the one
    /// below by the same factor. A parent that would have a single child is omitted.
    ///
    /// - Parameter levels: The number of levels, the groups themselves included, at least 1.
    /// - Precondition: The partition has no parents and at most ``maximumHierarchySize`` groups.
    /// - Complexity: O(groups² · d).
    public func adding(levels: Int) -> Partition {
        precondition(levels >= 1 && count <= Self.maximumHierarchySize && parents.allSatisfy { $0 == nil })
        guard levels > 1, count > 2 else { return self }
        var sizes = [Int](repeating: 0, count: count)
        for label in labels { if let group = label.group { sizes[group] += 1 } }
        let tree = Agglomeration(centroids, weights: sizes.map { max(1, $0) })
        var result = self
        // The topmost node so far above each group.
        var nodes = Array(0..<count)
        var rows = (0..<count).map { centroids.row($0) }
        var below = count
        for level in 1..<levels {
            let share = 1 - Double(level) / Double(levels)
            let wanted = max(2, Int(pow(Double(count), share).rounded()))
            guard wanted < below else { continue }
            below = wanted
            let cut = tree.cut(into: wanted)
            var tops = nodes
            for group in 0..<wanted {
                let members = cut.indices.filter { cut[$0] == group }
                let children = Set(members.map { nodes[$0] })
                guard children.count > 1 else { continue }
                let node = rows.count
                var sum = [Float](repeating: 0, count: centroids.columns)
                for member in members {
                    let weight = Float(max(1, sizes[member]))
                    for column in sum.indices { sum[column] += weight * centroids[member, column] }
                    tops[member] = node
                }
                let norm = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
                rows.append(norm > 0 ? sum.map { $0 / norm } : centroids.row(members[0]))
                result.parents.append(nil)
                for child in children { result.parents[child] = node }
            }
            nodes = tops
        }
        result.centroids = Matrix(rows, columns: centroids.columns)
        result.facts["levels"] = Double(levels)
        return result
    }
}
