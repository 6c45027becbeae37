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
    /// - Complexity: O(groups² · d), because there are at most as many different levels as groups.
    public func adding(levels: Int) -> Partition {
        precondition(levels >= 1, "a hierarchy needs at least 1 level, not \(levels)")
        precondition(
            count <= Self.maximumHierarchySize,
            "a hierarchy has at most \(Self.maximumHierarchySize) groups, not \(count)")
        precondition(parents.allSatisfy { $0 == nil }, "the partition has a hierarchy already")
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
        precondition(parents.allSatisfy { $0 == nil }, "the partition has a hierarchy already")
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
