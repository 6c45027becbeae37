import Foundation
public import RoostVectors

extension Partition {
    /// The maximum number of groups for which a hierarchy can be built. Time and memory grow with the square
    /// of this number: 4,000 groups need 128 MB.
    public static let maximumHierarchySize = 4000

    /// The maximum number of groups to which ``addingParents()`` adds no parents. A flat list of this length
    /// can still be read at a glance.
    public static let maximumFlatSize = 25

    /// The numbers of top-level nodes from which ``addingParents()`` chooses.
    public static let topLevelSizes = 8...25

    /// The key in ``facts`` for the number of levels of a hierarchy.
    private static let levelsKey = "levels"

    /// Returns the same groups with levels of parent groups above them. The parents are found by
    /// agglomerative clustering of the groups' centroids (Ward's linkage, weighted by the sizes of the
    /// groups). Parent groups have no rows of their own.
    ///
    /// For k groups and L levels, level l has about k^(1 - l/L) groups, so each level is coarser than the one
    /// below by the same factor. A parent that would have a single child is omitted.
    ///
    /// - Parameter levels: The number of levels, including the groups themselves; at least 1.
    /// - Precondition: The partition has no parents and at most ``maximumHierarchySize`` groups.
    /// - Complexity: O(groups² · d).
    public func adding(levels: Int) -> Partition {
        precondition(levels >= 1 && count <= Self.maximumHierarchySize && parents.allSatisfy { $0 == nil })
        guard levels > 1, count > 2 else { return self }
        let sizes = groupSizes
        let tree = Agglomeration(centroids, weights: sizes)
        var builder = HierarchyBuilder(self, sizes)
        var below = count
        // With more levels than this, no further level has another number of groups.
        let steps = min(levels, Int((Double(count) * log(Double(count))).rounded(.up)) + 1)
        for level in 1..<steps {
            let share = 1 - Double(level) / Double(steps)
            let wanted = max(2, Int(pow(Double(count), share).rounded()))
            guard wanted < below else { continue }
            below = wanted
            builder.add(tree.cut(into: wanted))
        }
        var result = builder.partition
        result.facts[Self.levelsKey] = Double(levels)
        return result
    }

    /// Returns the same groups with one level of parent groups above them if there are more than
    /// ``maximumFlatSize`` of them; otherwise, the partition itself.
    ///
    /// The parents are a cut of the tree that ``adding(levels:)`` builds. Of the cuts into a number of parts
    /// in ``topLevelSizes``, the one with the highest mean silhouette of the groups' centroids is used. The
    /// result has no parents if no cut has a silhouette above 0, or if there are more than
    /// ``maximumHierarchySize`` groups.
    ///
    /// - Precondition: The partition has no parents.
    /// - Complexity: O(groups² · d).
    public func addingParents() -> Partition {
        precondition(parents.allSatisfy { $0 == nil })
        guard count > Self.maximumFlatSize, count <= Self.maximumHierarchySize else { return self }
        let sizes = groupSizes
        let tree = Agglomeration(centroids, weights: sizes)
        var best: (cut: [Int], silhouette: Double)?
        for parts in Self.topLevelSizes {
            let cut = tree.cut(into: parts)
            let silhouette = CentroidSilhouette.mean(of: cut, parts: parts, centroids, weights: sizes)
            // Of equally good cuts, keep the coarser one, which is easier to read.
            if silhouette > best?.silhouette ?? 0 { best = (cut, silhouette) }
        }
        guard let best else { return self }
        var result = adding(parents: best.cut)
        result.facts["parentSilhouette"] = best.silhouette
        return result
    }

    /// Returns the same groups with one level of parent groups above them.
    ///
    /// - Parameter cut: For each group, the index of its parent, from 0. A parent of a single group is
    ///   omitted.
    func adding(parents cut: [Int]) -> Partition {
        var builder = HierarchyBuilder(self, groupSizes)
        builder.add(cut)
        var result = builder.partition
        result.facts[Self.levelsKey] = 2
        return result
    }

    /// The number of rows of each group, at least 1.
    private var groupSizes: [Int] {
        var sizes = [Int](repeating: 0, count: count)
        for label in labels { if let group = label.group { sizes[group] += 1 } }
        return sizes.map { max(1, $0) }
    }
}

/// Adds levels of parents to a partition, from the bottom to the top.
private struct HierarchyBuilder {
    private(set) var result: Partition
    private let sizes: [Int]
    /// For each group, the topmost node above it so far.
    private var nodes: [Int]
    private var rows: [[Float]]

    init(_ partition: Partition, _ sizes: [Int]) {
        (result, self.sizes) = (partition, sizes)
        nodes = Array(0..<partition.count)
        rows = nodes.map { partition.centroids.row($0) }
    }

    /// The partition with all levels added so far.
    var partition: Partition {
        var partition = result
        partition.centroids = Matrix(rows, columns: result.centroids.columns)
        if !partition.stabilities.isEmpty {
            let missing = partition.count - partition.stabilities.count
            partition.stabilities += [Float?](repeating: nil, count: missing)
        }
        return partition
    }

    /// Adds a level.
    ///
    /// - Parameter cut: For each group at the lowest level, the index of its part, from 0. A part that
    ///   consists of a single node gets no parent.
    mutating func add(_ cut: [Int]) {
        var tops = nodes
        let columns = result.centroids.columns
        for part in 0..<((cut.max() ?? -1) + 1) {
            let members = cut.indices.filter { cut[$0] == part }
            let children = Set(members.map { nodes[$0] })
            guard children.count > 1 else { continue }
            let node = rows.count
            var sum = [Float](repeating: 0, count: columns)
            for member in members {
                let weight = Float(sizes[member])
                for column in 0..<columns { sum[column] += weight * rows[member][column] }
                tops[member] = node
            }
            let norm = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
            rows.append(norm > 0 ? sum.map { $0 / norm } : rows[members[0]])
            result.parents.append(nil)
            for child in children { result.parents[child] = node }
        }
        nodes = tops
    }
}

/// The silhouette (Rousseeuw 1987) of weighted unit vectors with cosine distances.
enum CentroidSilhouette {
    /// Returns the mean silhouette of points that are divided into parts.
    ///
    /// The mean distance of a point to a part is computed from the weighted sum of the part's vectors. The
    /// silhouette of a point that is alone in its part is 0 by definition.
    ///
    /// - Parameters:
    ///   - cut: The part of each point, from 0.
    ///   - parts: The number of parts.
    ///   - points: The points, (k, d), unit length.
    ///   - weights: The weight of each point, above 0.
    /// - Complexity: O(points · parts · d).
    static func mean(of cut: [Int], parts: Int, _ points: Matrix, weights: [Int]) -> Double {
        var sums = Matrix(rows: parts, columns: points.columns)
        var totals = [Double](repeating: 0, count: parts)
        var counts = [Int](repeating: 0, count: parts)
        for (point, part) in cut.enumerated() {
            let weight = Float(weights[point])
            for column in 0..<points.columns { sums[part, column] += weight * points[point, column] }
            totals[part] += Double(weights[point])
            counts[part] += 1
        }
        var (sum, total) = (0.0, 0.0)
        for (point, own) in cut.enumerated() {
            let weight = Double(weights[point])
            total += weight
            guard counts[own] > 1 else { continue }
            let products = points.withRow(point) { row in
                (0..<parts).map { part in
                    Double(sums.withRow(part) { innerProduct($0, row) })
                }
            }
            let inside = max(0, 1 - (products[own] - weight) / (totals[own] - weight))
            let outside =
                (0..<parts).lazy.filter { $0 != own && counts[$0] > 0 }
                .map { max(0, 1 - products[$0] / totals[$0]) }.min() ?? inside
            let larger = max(inside, outside)
            if larger > 0 { sum += weight * (outside - inside) / larger }
        }
        return total > 0 ? sum / total : 0
    }
}
