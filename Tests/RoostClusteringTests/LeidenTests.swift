import Foundation
import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct LeidenTests {
    /// Returns a graph whose edges have weight 1.
    func graph(_ count: Int, _ edges: [(Int, Int)]) -> WeightedGraph {
        var others = [[Int]](repeating: [], count: count)
        for (a, b) in edges {
            others[a].append(b)
            others[b].append(a)
        }
        var graph = WeightedGraph(starts: [0], targets: [], weights: [])
        for node in 0..<count {
            graph.targets += others[node].sorted().map { UInt32($0) }
            graph.weights += others[node].map { _ in 1 }
            graph.starts.append(graph.targets.count)
        }
        return graph
    }

    func modularity(_ graph: WeightedGraph, _ communities: [Int32]) -> Double {
        let strengths = graph.strengths
        let total = strengths.reduce(0, +)
        var (inside, sums) = (0.0, [Int32: Double]())
        for node in 0..<graph.count {
            sums[communities[node], default: 0] += strengths[node]
            for edge in graph.starts[node]..<graph.starts[node + 1]
            where communities[Int(graph.targets[edge])] == communities[node] {
                inside += Double(graph.weights[edge])
            }
        }
        return inside / total - sums.values.reduce(0) { $0 + $1 * $1 } / (total * total)
    }

    /// The friendships in a karate club (Zachary 1977). Members are numbered from 1.
    static let karate: [(Int, Int)] = [
        (1, [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32]), (2, [3, 4, 8, 14, 18, 20, 22, 31]),
        (3, [4, 8, 9, 10, 14, 28, 29, 33]), (4, [8, 13, 14]), (5, [7, 11]), (6, [7, 11, 17]), (7, [17]),
        (9, [31, 33, 34]), (10, [34]), (14, [34]), (15, [33, 34]), (16, [33, 34]), (19, [33, 34]), (20, [34]),
        (21, [33, 34]), (23, [33, 34]), (24, [26, 28, 30, 33, 34]), (25, [26, 28, 32]), (26, [32]),
        (27, [30, 34]), (28, [34]), (29, [32, 34]), (30, [33, 34]), (31, [33, 34]), (32, [33, 34]),
        (33, [34]),
    ].flatMap { first, others in others.map { (first, $0) } }

    @Test(arguments: 0..<8) func `the modularity of the karate club is nearly optimal`(seed: UInt64) throws {
        let graph = graph(34, Self.karate.map { ($0.0 - 1, $0.1 - 1) })
        #expect(graph.targets.count == 156)
        var generator = SeededGenerator(seed: seed)
        let found = try Leiden(graph).communities(resolution: 1, rounds: 10, using: &generator)
        // The maximum is 0.4198 (Brandes et al. 2008).
        #expect(modularity(graph, found) > 0.4155)
        #expect(Set(found).count == 4)
    }

    @Test func `modularity merges neighboring cliques of a long ring`() throws {
        let (cliques, size) = (60, 5)
        var edges: [(Int, Int)] = []
        for clique in 0..<cliques {
            for a in 0..<size {
                for b in a + 1..<size { edges.append((clique * size + a, clique * size + b)) }
            }
            edges.append((clique * size, (clique * size + size + 1) % (cliques * size)))
        }
        var generator = SeededGenerator(seed: 1)
        // Modularity merges neighboring cliques because of its resolution limit (Fortunato & Barthélemy 2007).
        let joined = try Leiden(graph(cliques * size, edges)).communities(resolution: 1, using: &generator)
        #expect(Set(joined).count < cliques)
    }

    @Test(arguments: [0.3, 1, 4]) func `communities are connected`(resolution: Double) throws {
        let points = unitVectors(1500, 8, seed: 2)
        let graph = NeighborGraph.make(try NearestNeighbors.find(in: points, k: 6, seed: 0))
        var generator = SeededGenerator(seed: 4)
        let found = try Leiden(graph).communities(resolution: resolution, using: &generator)
        for community in Set(found) {
            let nodes = found.indices.filter { found[$0] == community }
            var (seen, stack) = (Set([nodes[0]]), [nodes[0]])
            while let node = stack.popLast() {
                for edge in graph.starts[node]..<graph.starts[node + 1] {
                    let other = Int(graph.targets[edge])
                    if found[other] == community, seen.insert(other).inserted { stack.append(other) }
                }
            }
            #expect(seen.count == nodes.count)
        }
    }

    @Test func `a contracted graph has the weights between groups`() {
        let club = graph(34, Self.karate.map { ($0.0 - 1, $0.1 - 1) })
        let groups = (0..<34).map { Int32($0 % 5) }
        let contracted = club.contracted(groups, count: 5)
        for first in 0..<5 {
            for second in 0..<5 where first != second {
                let expected = Self.karate.count {
                    let pair = [($0.0 - 1) % 5, ($0.1 - 1) % 5]
                    return pair == [first, second] || pair == [second, first]
                }
                let edge = (contracted.starts[first]..<contracted.starts[first + 1]).first {
                    contracted.targets[$0] == second
                }
                #expect(edge.map { Int(contracted.weights[$0]) } ?? 0 == expected)
            }
        }
    }

    @Test func `every edge is stored at both of its nodes with the same weight`() throws {
        let points = unitVectors(400, 12, seed: 3)
        let graph = NeighborGraph.make(try NearestNeighbors.find(in: points, k: 15, seed: 0))
        for node in 0..<400 {
            let edges = graph.starts[node]..<graph.starts[node + 1]
            #expect(edges.count >= 15)
            for edge in edges {
                let other = Int(graph.targets[edge])
                let reverse = (graph.starts[other]..<graph.starts[other + 1]).first {
                    graph.targets[$0] == node
                }
                #expect(reverse.map { graph.weights[$0] } == graph.weights[edge])
                #expect(graph.weights[edge] > 0 && graph.weights[edge] <= 1)
            }
        }
    }

    @Test(arguments: [1, 2, 40, 2500]) func `neighbors are those that an exact search finds`(count: Int)
        async throws
    {
        let points = unitVectors(count, 24, seed: 5)
        let found = try NearestNeighbors.find(in: points, k: 10, seed: 0)
        let expected = try await FlatIndex(points).search(points, k: 11, among: nil)
        var missing = 0
        for row in 0..<count {
            let others = expected[row].filter { $0.row != UInt32(row) }.prefix(10)
            #expect(found.neighbors(of: row).count == others.count)
            missing += Set(others.map(\.row)).subtracting(found.neighbors(of: row)).count
        }
        #expect(missing <= count / 200)
    }

    @Test func `a large cell of nearly equal rows is cut`() throws {
        // All rows are so close to one direction that they have the same nearest centroid.
        var points = unitVectors(12_000, 16, seed: 8)
        for row in 0..<12_000 {
            for column in 0..<16 { points[row, column] = (column == 0 ? 1 : 0) + 1e-4 * points[row, column] }
        }
        points.normalizeRows()
        let cells = try Cells(of: points, seed: 1)
        #expect(cells.spans.allSatisfy { $0.count <= 4 * Cells.size })
        #expect(cells.spans.map(\.count).reduce(0, +) == 12_000 && Set(cells.order).count == 12_000)
        #expect(cells.near.count == cells.spans.count)
        for (span, near) in cells.near.enumerated() {
            #expect(
                near.first == span && Set(near).count == near.count
                    && near.allSatisfy(cells.spans.indices.contains))
        }
    }

    /// Returns the share of the exact neighbors that the cell-based search finds.
    func recall(_ points: Matrix) throws -> Double {
        let exact = try NearestNeighbors.find(in: points, k: 15, seed: 1)
        let quick = try NearestNeighbors.find(in: points, k: 15, exactUpTo: 1000, seed: 1)
        let hits = (0..<points.rows).reduce(0) {
            $0 + Set(exact.neighbors(of: $1)).intersection(quick.neighbors(of: $1)).count
        }
        return Double(hits) / Double(15 * points.rows)
    }

    @Test func `the search by cells finds most neighbors of clustered points`() throws {
        let centers = unitVectors(300, 32, seed: 6)
        var points = unitVectors(20_000, 32, seed: 7)
        for row in 0..<20_000 {
            for column in 0..<32 {
                points[row, column] = 0.6 * points[row, column] + centers[row % 300, column]
            }
        }
        points.normalizeRows()
        #expect(try recall(points) > 0.9)
    }
}
