package import RoostVectors

extension Partition {
    /// Returns a partition in which each of the given sets of rows, the members of a cluster that a person
    /// labeled, has a group that continues it. No two sets have the same group.
    ///
    /// A group continues a set if it shares at least half of its union with it, or if it has the largest part of the
    /// set and most of its rows belong to the set; rows that were in no cluster do not count. Without such a group,
    /// that part leaves its group and becomes a group of its own. A set within another one whose group it would
    /// leave becomes a topic of that group. A set of outliers becomes a group.
    ///
    /// - Parameters:
    ///   - sets: The sets of rows, without duplicates, the largest first. Two sets are disjoint, or one contains the
    ///     other.
    ///   - weights: The number of entries for which each row stands; 0 for a row that was in no cluster.
    ///   - vectors: The vectors that were partitioned, (n, d), unit length.
    /// - Returns: The partition, for each set the number of its entries in the group that continues it, and the
    ///   groups that were parts of others.
    /// - Complexity: O(sets · (rows of a set · levels + groups)), and O(n · d) if a part leaves its group.
    package func keeping(
        _ sets: [[Int]], weights: [Double], of vectors: Matrix
    ) -> (partition: Partition, parts: [Double], newGroups: Set<Int>) {
        var groups = LabeledGroups(self, weights)
        let parts = sets.map { groups.keep($0) }
        guard groups.parents.count > count else { return (self, parts, []) }
        var result = self
        result.topics = groups.topics
        let (partition, numbers) = result.regrouped(groups.groups, groups.parents, of: vectors)
        return (partition, parts, Set(groups.newGroups.compactMap { numbers[$0] }))
    }

    /// Returns the partition with other groups of rows. Groups without rows are removed.
    private func regrouped(
        _ groups: [Int?], _ parents: [Int?], of vectors: Matrix
    ) -> (partition: Partition, numbers: [Int: Int]) {
        var used = Set<Int>()
        for case let group? in groups { used.formUnion(sequence(first: group) { parents[$0] }) }
        let kept = parents.indices.filter(used.contains)
        let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
        func number(_ group: Int?) -> Int? { group.flatMap { numbers[$0] } }
        var result = Partition(
            groups: groups.map(number), of: vectors, parents: kept.map { number(parents[$0]) }, facts: facts)
        result.topics = Set(topics.compactMap(number))
        result.confidences = confidences
        if !stabilities.isEmpty {
            result.stabilities = kept.map { $0 < stabilities.count ? stabilities[$0] : nil }
        }
        for (row, label) in labels.enumerated() where groups[row] == nil {
            result.labels[row] = label
            result.similarities[row] = similarities[row]
        }
        return (result, numbers)
    }
}

/// The groups of rows, while labeled sets of rows claim them.
private struct LabeledGroups {
    private let weights: [Double]
    private(set) var groups: [Int?]
    private(set) var parents: [Int?]
    private(set) var topics: Set<Int>
    /// The groups that were parts of others.
    private(set) var newGroups: Set<Int> = []
    /// The set that each group continues.
    private var owners: [Int: Set<Int>] = [:]
    private var sizes: [Double]

    init(_ partition: Partition, _ weights: [Double]) {
        self.weights = weights
        (parents, topics) = (partition.parents, partition.topics)
        groups = Array(repeating: nil, count: partition.labels.count)
        sizes = Array(repeating: 0, count: partition.count)
        for (row, label) in partition.labels.enumerated() { move(row, to: label.group) }
    }

    /// Returns a group and the groups that contain it.
    private func ancestors(_ group: Int?) -> [Int] {
        group.map { Array(sequence(first: $0) { parents[$0] }) } ?? []
    }

    private mutating func move(_ row: Int, to group: Int?) {
        for group in ancestors(groups[row]) { sizes[group] -= weights[row] }
        groups[row] = group
        for group in ancestors(group) { sizes[group] += weights[row] }
    }

    private mutating func addGroup(in parent: Int?, isTopic: Bool) -> Int {
        parents.append(parent)
        sizes.append(0)
        if isTopic { topics.insert(parents.count - 1) }
        return parents.count - 1
    }

    /// Finds or makes the group that continues a set, and returns the number of the set's entries in it.
    mutating func keep(_ set: [Int]) -> Double {
        var shared: [Int: Double] = [:]
        for row in set { for group in ancestors(groups[row]) { shared[group, default: 0] += weights[row] } }
        let size = set.reduce(0) { $0 + weights[$1] }
        func largest(_ isSuitable: (_ group: Int, _ part: Double) -> Bool) -> (group: Int, part: Double)? {
            shared.filter { isSuitable($0.key, $0.value) }.max {
                ($0.value, sizes[$0.key], $1.key) < ($1.value, sizes[$1.key], $0.key)
            }.map { ($0.key, $0.value) }
        }
        if let same = largest({ owners[$0] == nil && 2 * $1 >= size + sizes[$0] - $1 }) {
            owners[same.group] = Set(set)
            return same.part
        }
        let containers = Set(parents.indices.filter { !topics.contains($0) }.compactMap { parents[$0] })
        let home = largest { group, _ in !topics.contains(group) && !containers.contains(group) }
        if let home, owners[home.group] == nil, 2 * home.part > sizes[home.group] {
            owners[home.group] = Set(set)
            return home.part
        }
        // The innermost group, at or below its home, that continues a set around this one.
        let outer = shared.keys.filter { group in
            home.map { ancestors(group).contains($0.group) } == true
                && owners[group].map { !$0.isDisjoint(with: set) } == true
        }.max { (ancestors($0).count, $1) < (ancestors($1).count, $0) }
        let own = addGroup(in: outer ?? home.flatMap { parents[$0.group] }, isTopic: outer != nil)
        for row in set where home.map({ ancestors(groups[row]).contains($0.group) }) ?? true {
            move(row, to: own)
        }
        // A group with topics has no other rows.
        let others = outer.map { outer in groups.indices.filter { groups[$0] == outer } } ?? []
        if let outer, !others.isEmpty {
            let rest = addGroup(in: outer, isTopic: true)
            for row in others { move(row, to: rest) }
            if newGroups.contains(outer) { newGroups.insert(rest) }
        }
        owners[own] = Set(set)
        newGroups.insert(own)
        return home?.part ?? size
    }
}
