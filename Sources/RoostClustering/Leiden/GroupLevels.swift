public import RoostVectors

extension Partition {
    /// The maximum number of groups without parents. A flat list of this length can still be read at a glance.
    public static let maximumFlatSize = 25

    /// The numbers of parents from which a clusterer chooses.
    public static let topLevelSizes = 8...25

    /// Adds parents to more than ``maximumFlatSize`` groups: communities, at a lower resolution, of the graph
    /// whose nodes are the groups.
    ///
    /// Among the resolutions that give a suitable number of parents, the one with the highest modularity is used.
    ///
    /// - Parameters:
    ///   - groups: The group of each node of the graph.
    ///   - resolution: The resolution of the parents in a previous run; `nil` to choose one.
    ///   - limit: The resolution of the groups.
    mutating func addParents(
        _ leiden: Leiden, _ groups: [Int32], _ distinct: DistinctRows, at resolution: Double?,
        below limit: Double
    ) throws {
        guard count > Self.maximumFlatSize else { return }
        let level = leiden.contracted(groups)
        var best: (parents: [Int32], resolution: Double, modularity: Double)?
        let ladder = ResolutionLadder(count: groups.count).resolutions.filter { $0 < limit }
        for resolution in resolution.map({ [$0] }) ?? ladder {
            var generator = SeededGenerator(seed: 0)
            let parents = try level.communities(resolution: resolution, using: &generator)
            guard Self.topLevelSizes.contains(Set(parents).count) else { continue }
            let modularity = leiden.modularity(of: groups.map { parents[Int($0)] })
            if modularity > best?.modularity ?? 0 { best = (parents, resolution, modularity) }
        }
        guard let best else { return }
        var cut = [Int](repeating: 0, count: count)
        for (point, row) in distinct.rows.enumerated() {
            if let group = labels[row].group { cut[group] = Int(best.parents[Int(groups[point])]) }
        }
        self = adding(parents: cut)
        facts[LeidenClusterer.FactKey.parentResolution] = best.resolution
    }

    /// Returns the same groups with one level of parent groups above them. Parent groups have no rows of their own.
    func adding(parents cut: [Int]) -> Partition {
        precondition(parents.allSatisfy { $0 == nil }, "the partition has a hierarchy already")
        var sizes = [Int](repeating: 0, count: count)
        for label in labels { if let group = label.group { sizes[group] += 1 } }
        var children = [[Int]](repeating: [], count: (cut.max() ?? -1) + 1)
        for (group, parent) in cut.enumerated() { children[parent].append(group) }
        var result = self
        var sums: [[Float]] = []
        for groups in children where groups.count > 1 {
            var sum = [Float](repeating: 0, count: centroids.columns)
            for group in groups {
                for column in sum.indices { sum[column] += Float(sizes[group]) * centroids[group, column] }
                result.parents[group] = count + sums.count
            }
            let direction = normalized(sum)
            sums.append(direction.allSatisfy { $0 == 0 } ? centroids.row(groups[0]) : direction)
        }
        result.centroids = Matrix((0..<count).map { centroids.row($0) } + sums, columns: centroids.columns)
        result.parents += [Int?](repeating: nil, count: sums.count)
        if !stabilities.isEmpty { result.stabilities += [Float?](repeating: nil, count: sums.count) }
        return result
    }
}
