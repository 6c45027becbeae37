public import RoostVectors

/// Completes a partition that was found at one resolution: measures in how many subsamples each group is
/// found again, and adds parents, which are communities of the groups at a lower resolution.
struct GroupLevels {
    private let leiden: Leiden
    private let communities: [Int32]
    private let distinct: DistinctRows
    private let resolution: Double

    /// The minimum agreement of parents with the groups of subsamples at the same resolution. At a lower
    /// value, less than half of the information about the parents is found again.
    private static let minimumAgreement = 0.5

    init(_ leiden: Leiden, _ communities: [Int32], _ distinct: DistinctRows, _ resolution: Double) {
        (self.leiden, self.communities) = (leiden, communities)
        (self.distinct, self.resolution) = (distinct, resolution)
    }

    /// Completes a partition by the subsamples with which its resolution was chosen.
    /// Among the resolutions that give a suitable number of parents, the one whose parents agree best with
    /// the subsamples is used. There are no parents if none agrees well enough.
    func finish(
        _ partition: Partition, _ stability: SubsampleStability, _ ladder: ResolutionLadder
    ) throws -> Partition {
        let samples = stability.subsamples.samples
        let index = ladder.index(nearest: resolution)
        var result = partition
        result.stabilities = shares(
            of: pointGroups(partition), count: partition.count,
            zip(samples, stability.partitions).map { ($0.rows, $1[index]) })
        guard partition.count > Partition.maximumFlatSize else { return result }
        let level = leiden.contracted(communities)
        var best: (parents: [Int32], index: Int, agreement: Double)?
        for (index, resolution) in ladder.resolutions.enumerated() where resolution < self.resolution {
            let parents = try Self.parents(in: level, at: resolution)
            guard Partition.topLevelSizes.contains(Set(parents).count) else { continue }
            let agreement = stability.agreement(of: communities.map { parents[Int($0)] }, at: index)
            if agreement > best?.agreement ?? Self.minimumAgreement { best = (parents, index, agreement) }
        }
        guard let best else { return result }
        result = adding(
            best.parents, to: result, zip(samples, stability.partitions).map { ($0.rows, $1[best.index]) })
        result.facts[LeidenClusterer.FactKey.parentResolution] = ladder.resolutions[best.index]
        return result
    }

    func finish(
        _ partition: Partition, _ subsamples: Subsamples, parentResolution: Double?
    ) throws -> Partition {
        let ladder = ResolutionLadder([resolution] + (parentResolution.map { [$0] } ?? []))
        let found = try subsamples.partitions(at: ladder)
        var result = partition
        result.stabilities = shares(
            of: pointGroups(partition), count: partition.count,
            zip(subsamples.samples, found).map { ($0.rows, $1[0]) })
        guard let parentResolution, partition.count > Partition.maximumFlatSize else { return result }
        let parents = try Self.parents(in: leiden.contracted(communities), at: parentResolution)
        guard Set(parents).count > 1 else { return result }
        result = adding(parents, to: result, zip(subsamples.samples, found).map { ($0.rows, $1[1]) })
        result.facts[LeidenClusterer.FactKey.parentResolution] = parentResolution
        return result
    }

    /// Returns the communities, at a lower resolution, of a graph whose nodes are the groups.
    private static func parents(in level: Leiden, at resolution: Double) throws -> [Int32] {
        var generator = SeededGenerator(seed: 0)
        return try level.communities(resolution: resolution, using: &generator)
    }

    private typealias Part = (rows: [Int], groups: [Int32])

    private func shares(of groups: [Int32], count: Int, _ parts: [Part]) -> [Float?] {
        var reappearance = ClusterReappearance(of: groups, count: count)
        for part in parts { reappearance.add(part.rows, part.groups) }
        return reappearance.shares
    }

    /// Adds parents with their shares of subsamples.
    private func adding(_ parents: [Int32], to partition: Partition, _ parts: [Part]) -> Partition {
        let groups = pointGroups(partition)
        var cut = [Int](repeating: 0, count: partition.count)
        for (point, group) in groups.enumerated() where group >= 0 {
            cut[Int(group)] = Int(parents[Int(communities[point])])
        }
        var result = partition.adding(parents: cut)
        let parentGroups = groups.map { group in
            group < 0 ? -1 : Int32((result.parents[Int(group)] ?? -1))
        }
        let shares = shares(of: parentGroups, count: result.count, parts)
        result.stabilities.replaceSubrange(partition.count..., with: shares[partition.count...])
        return result
    }

    private func pointGroups(_ partition: Partition) -> [Int32] {
        distinct.rows.map { row in partition.labels[row].group.map(Int32.init) ?? -1 }
    }
}

extension Partition {
    /// The maximum number of groups without parents. A flat list of this length can still be read at a glance.
    public static let maximumFlatSize = 25

    /// The numbers of parents from which a clusterer chooses.
    public static let topLevelSizes = 8...25

    /// Returns the same groups with one level of parent groups above them. Parent groups have no rows of their own.
    ///
    /// - Precondition: The partition has no parents.
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
