import Foundation
public import RoostVectors

extension Partition {
    /// The most groups that a hierarchy is made over: its time and memory grow with their square.
    public static let largestHierarchy = 4000

    /// The same groups with groups of groups above them, by agglomeration of their centroids (Ward's
    /// linkage, weighted by their sizes). Groups above have no rows of their own.
    ///
    /// Over k groups, level l of L has about k^(1 - l/L): each level is as much coarser than the one below.
    /// A group above that would have one part only is left out.
    ///
    /// - Parameter levels: how many levels there are with the groups themselves, at least 1.
    /// - Precondition: no parents yet; at most ``largestHierarchy`` groups.
    /// - Complexity: O(groups² · d).
    public func adding(levels: Int) -> Partition {
        precondition(levels >= 1 && count <= Self.largestHierarchy && parents.allSatisfy { $0 == nil })
        guard levels > 1, count > 2 else { return self }
        var sizes = [Int](repeating: 0, count: count)
        for label in labels { if let group = label.group { sizes[group] += 1 } }
        let tree = Agglomeration(centroids, weights: sizes.map { max(1, $0) })
        var result = self
        // The node above which each group of the present level is.
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
                let parts = Set(members.map { nodes[$0] })
                guard parts.count > 1 else { continue }
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
                for part in parts { result.parents[part] = node }
            }
            nodes = tops
        }
        result.centroids = Matrix(rows, columns: centroids.columns)
        result.facts["levels"] = Double(levels)
        return result
    }
}
