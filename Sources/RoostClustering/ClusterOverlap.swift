import RoostModel

/// The numbers of entries that the clusters of the previous run and new groups share. It has no members, so its
/// size does not depend on the number of entries.
package struct ClusterOverlap: Sendable {
    /// The number of entries of each group. A parent group has the entries of all groups below it.
    let groupSizes: [Int]
    private let parents: [Int?]
    private let counts: [Cluster.ID: [Int?: Int]]

    /// - Parameters:
    ///   - counts: For each previous leaf cluster, the number of members by their leaf group; the key `nil`
    ///     counts members that are in no group now.
    ///   - leafSizes: The number of entries of each group, without those of the groups below it.
    init(_ counts: [Cluster.ID: [Int?: Int]], of previous: [Cluster], _ leafSizes: [Int], _ parents: [Int?]) {
        self.parents = parents
        var sizes = leafSizes
        for (leaf, size) in leafSizes.enumerated() {
            for group in sequence(first: leaf, next: { parents[$0] }).dropFirst() { sizes[group] += size }
        }
        groupSizes = sizes
        let parentOf = Dictionary(previous.map { ($0.id, $0.parent) }) { first, _ in first }
        var sums = counts
        for (cluster, groups) in counts {
            var (next, seen) = (parentOf[cluster] ?? nil, Set([cluster]))
            // In a damaged store, the parent references may form a cycle.
            while let parent = next, seen.insert(parent).inserted {
                sums[parent, default: [:]].merge(groups, uniquingKeysWith: +)
                next = parentOf[parent] ?? nil
            }
        }
        self.counts = sums
    }

    /// Returns the number of members that a previous cluster had, also of those that are in no group now.
    func size(of cluster: Cluster.ID) -> Int { counts[cluster]?.values.reduce(0, +) ?? 0 }

    /// Returns the number of members of a previous cluster in each leaf group.
    func leaves(of cluster: Cluster.ID) -> [(group: Int, count: Int)] {
        (counts[cluster] ?? [:]).compactMap { group, count in group.map { ($0, count) } }
    }

    /// Returns a group and the groups that contain it.
    func ancestors(of group: Int) -> some Sequence<Int> { sequence(first: group) { parents[$0] } }
}
