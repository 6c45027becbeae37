import RoostVectors

/// Adds levels of parents to a partition, from the bottom to the top.
struct HierarchyBuilder {
    private var result: Partition
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
        var parts = [[Int]](repeating: [], count: (cut.max() ?? -1) + 1)
        for (group, part) in cut.enumerated() { parts[part].append(group) }
        for members in parts {
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
