import ArgumentParser
import Foundation
import Roost
import RoostVectors

struct FilteredSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure recall@10 and time of graph search with filters and after changes.")

    @Option(help: "An NPY file of Float16 or Float32 with the vectors to search.") var base: String
    @Option(help: "An NPY file of Float16 or Float32 with the queries.") var queries: String
    @Option(help: "The number of queries to use.") var count = 500

    func run() async throws {
        var base = try NumPy.matrix(self.base)
        var queries = try NumPy.matrix(self.queries)
        base.normalizeRows()
        queries.normalizeRows()
        queries = queries.selecting(0..<min(count, queries.rows))
        let exact = FlatIndex(base)
        let graph = try await GraphIndex(building: base)
        var generator = SeededGenerator(seed: 1)
        for share in [1, 0.5, 0.1, 0.01, 0.001] {
            let allowed =
                share == 1
                ? nil : RowSet((0..<UInt32(base.rows)).filter { _ in generator.nextUnit() < share })
            let truth = try await exact.search(queries, k: 10, among: allowed)
            let (recall, time) = try await measure(graph, queries, allowed, truth)
            print(String(format: "%5.1f%% allowed  recall@10 %.4f  %7.3f ms", share * 100, recall, time))
        }
        try await measureChanges(base, queries)
    }

    /// Measures the update of a graph after a fifth of the rows has been deleted and another fifth has been added, and
    /// searches of the updated graph and of a new one.
    private func measureChanges(_ base: Matrix, _ queries: Matrix) async throws {
        let old = base.rows * 5 / 6
        let before = try await GraphIndex(building: base.selecting(0..<old))
        let rows = (0..<base.rows).filter { $0 >= old || $0 % 5 != 0 }
        let changed = base.selecting(rows)
        let truth = try await FlatIndex(changed).search(queries, k: 10, among: nil)
        var graphs: [(name: String, graph: GraphIndex, time: Double)] = []
        for name in ["updated", "new"] {
            let start = Date()
            let graph =
                name == "new"
                ? try await GraphIndex(building: changed)
                : try await GraphIndex(
                    updating: before, to: VectorRows(changed),
                    origins: rows.map { $0 < old ? UInt32($0) : nil })
            graphs.append((name, graph, -start.timeIntervalSinceNow))
        }
        for (name, graph, time) in graphs + graphs {
            let (recall, search) = try await measure(graph, queries, nil, truth)
            print(
                "20% deleted, 20% added: graph \(name) in \(String(format: "%.1f s", time)),",
                String(format: "recall@10 %.4f  %7.3f ms", recall, search))
        }
    }

    /// Returns the recall@10, and the time per query in the fastest of three rounds.
    private func measure(
        _ graph: GraphIndex, _ queries: Matrix, _ allowed: RowSet?, _ truth: [[Neighbor]]
    ) async throws -> (recall: Double, milliseconds: Double) {
        var best = Double.infinity
        var hits = 0
        for _ in 0..<3 {
            hits = 0
            best = min(
                best,
                try await Material.seconds {
                    for row in 0..<queries.rows {
                        let found = try await graph.search(queries.selecting([row]), k: 10, among: allowed)[0]
                        hits += Set(found.map(\.row)).intersection(truth[row].map(\.row)).count
                    }
                })
        }
        let expected = truth.reduce(0) { $0 + $1.count }
        return (Double(hits) / Double(max(1, expected)), best * 1000 / Double(queries.rows))
    }
}
