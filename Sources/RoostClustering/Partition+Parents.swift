public import RoostVectors

extension Partition {
    /// The maximum number of groups without parents. A flat list of this length can still be read at a
    /// glance.
    public static let maximumFlatSize = 25

    /// The numbers of parents from which a clusterer chooses.
    public static let topLevelSizes = 8...25

    /// Returns the same groups with one level of parent groups above them. Parent groups have no rows of
    /// their own.
    ///
    /// - Parameter cut: For each group, the index of its parent, from 0. A parent of a single group is
    ///   omitted.
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
