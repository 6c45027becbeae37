package import RoostVectors

extension Partition {
    /// Returns a partition in which each of the given sets of rows, the members of a cluster that a person
    /// labeled, is still recognizable.
    ///
    /// A set is recognizable if it shares at least half of its union with a group, or if most rows of the group
    /// with its largest part belong to it; rows that were in no cluster do not count. Otherwise, that part leaves
    /// its group and becomes a group of its own.
    ///
    /// - Parameters:
    ///   - sets: The sets of rows, without duplicates.
    ///   - weights: The number of entries for which each row stands; 0 for a row that was in no cluster.
    ///   - vectors: The vectors that were partitioned, (n, d), unit length.
    /// - Returns: The partition, for each set the number of its entries in the group that continues it, and the
    ///   number of new groups, which are the last ones.
    /// - Complexity: O(sets · rows of a set · levels), and O(n · d) if a part leaves its group.
    package func keeping(
        _ sets: [[Int]], weights: [Double], of vectors: Matrix
    ) -> (partition: Partition, parts: [Double], newCount: Int) {
        var sizes = [Double](repeating: 0, count: count)
        func ancestors(_ group: Int) -> some Sequence<Int> { sequence(first: group) { parents[$0] } }
        for (row, label) in labels.enumerated() {
            if let group = label.group { for group in ancestors(group) { sizes[group] += weights[row] } }
        }
        var (groups, parts) = (labels.map(\.group), [Double]())
        let containers = Set(parents.indices.filter { !topics.contains($0) }.compactMap { parents[$0] })
        var newParents = parents
        for set in sets {
            var shared: [Int: Double] = [:]
            for row in set {
                guard let group = labels[row].group else { continue }
                for group in ancestors(group) { shared[group, default: 0] += weights[row] }
            }
            let size = set.reduce(0) { $0 + weights[$1] }
            let isMost = { (group: Int, part: Double) in 2 * part >= size + sizes[group] - part }
            let largest = shared.filter { !topics.contains($0.key) && !containers.contains($0.key) }
                .max { ($0.value, $1.key) < ($1.value, $0.key) }
            if let best = shared.filter({ isMost($0.key, $0.value) }).values.max() {
                parts.append(best)
            } else if let largest {
                parts.append(largest.value)
                guard 2 * largest.value <= sizes[largest.key] else { continue }
                for row in set where labels[row].group.map({ ancestors($0).contains(largest.key) }) == true {
                    groups[row] = newParents.count
                }
                newParents.append(parents[largest.key])
            } else {
                parts.append(0)
            }
        }
        guard newParents.count > count else { return (self, parts, 0) }
        return (regrouped(groups, newParents, of: vectors), parts, newParents.count - count)
    }

    /// Returns the partition with other groups of rows. Groups without rows are removed.
    private func regrouped(_ groups: [Int?], _ parents: [Int?], of vectors: Matrix) -> Partition {
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
        for (row, label) in labels.enumerated() where label.group == nil {
            result.labels[row] = label
            result.similarities[row] = similarities[row]
        }
        return result
    }
}
