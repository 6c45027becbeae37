/// An undirected weighted graph in compressed sparse row format: the edges of node i are
/// `starts[i]..<starts[i + 1]`.
///
/// Every edge is stored at both of its nodes with the same weight. A node has no edge to itself.
struct WeightedGraph: Sendable {
    /// The index of each node's first edge; the array has n + 1 elements.
    var starts: [Int]
    /// The other node of each edge, ascending for each node.
    var targets: [UInt32]
    /// The weight of each edge, above 0.
    var weights: [Float]

    /// The number of nodes.
    var count: Int { starts.count - 1 }

    /// The sum of the weights of each node's edges.
    var strengths: [Double] {
        (0..<count).map { node in
            weights[starts[node]..<starts[node + 1]].reduce(0.0) { $0 + Double($1) }
        }
    }

    /// Returns the graph whose nodes are groups of nodes. The weight between two groups is the sum of the
    /// weights between their nodes. Edges within a group are omitted.
    ///
    /// - Parameters:
    ///   - groups: The group of each node, 0 to `groupCount` - 1.
    ///   - groupCount: The number of groups.
    func contracted(_ groups: [Int32], count groupCount: Int) -> WeightedGraph {
        // Sort the nodes by group (counting sort).
        var firsts = [Int](repeating: 0, count: groupCount + 1)
        for group in groups { firsts[Int(group) + 1] += 1 }
        for group in 0..<groupCount { firsts[group + 1] += firsts[group] }
        var (members, fill) = ([UInt32](repeating: 0, count: groups.count), firsts)
        for (node, group) in groups.enumerated() {
            members[fill[Int(group)]] = UInt32(node)
            fill[Int(group)] += 1
        }
        var result = WeightedGraph(starts: [0], targets: [], weights: [])
        result.starts.reserveCapacity(groupCount + 1)
        var sums = [Double](repeating: 0, count: groupCount)
        var touched: [UInt32] = []
        for group in 0..<groupCount {
            for member in members[firsts[group]..<firsts[group + 1]] {
                for edge in starts[Int(member)]..<starts[Int(member) + 1] {
                    let other = groups[Int(targets[edge])]
                    guard other != group else { continue }
                    if sums[Int(other)] == 0 { touched.append(UInt32(other)) }
                    sums[Int(other)] += Double(weights[edge])
                }
            }
            touched.sort()
            for other in touched {
                result.targets.append(other)
                result.weights.append(Float(sums[Int(other)]))
                sums[Int(other)] = 0
            }
            touched.removeAll(keepingCapacity: true)
            result.starts.append(result.targets.count)
        }
        return result
    }
}
