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
        try await measureChanges(base, queries, exact)
    }

    /// Measures searches after a fifth of the rows has been deleted and another fifth has been added. Deleted
    /// rows are filtered out, and new rows are searched exactly, in addition to the graph.
    private func measureChanges(_ base: Matrix, _ queries: Matrix, _ exact: FlatIndex) async throws {
        let old = base.rows * 5 / 6
        let before = try await GraphIndex(building: base.selecting(0..<old))
        let new = FlatIndex(base.selecting(old..<base.rows))
        let deleted = RowSet((0..<UInt32(old)).filter { $0 % 5 == 0 })
        let kept = RowSet((0..<UInt32(old)).filter { $0 % 5 != 0 })
        let all = RowSet((0..<UInt32(base.rows)).filter { $0 >= UInt32(old) || !deleted.contains($0) })
        let truth = try await exact.search(queries, k: 10, among: all)
        var hits = 0
        let time = try await Material.seconds {
            for row in 0..<queries.rows {
                let query = queries.selecting([row])
                let added = try await new.search(query, k: 10, among: nil)[0].map {
                    Neighbor(row: $0.row + UInt32(old), score: $0.score)
                }
                let found = try await before.search(query, k: 10, among: kept)[0] + added
                let best = found.sorted { $0.score > $1.score }.prefix(10).map(\.row)
                hits += Set(best).intersection(truth[row].map(\.row)).count
            }
        }
        let rebuilt = try await GraphIndex(building: base.selecting(all.map { Int($0) }))
        let rows = Array(all)
        let rebuiltResults = try await rebuilt.search(queries, k: 10, among: nil)
        let rebuiltHits = zip(rebuiltResults, truth).reduce(0) {
            $0 + Set($1.0.map { rows[Int($0.row)] }).intersection($1.1.map(\.row)).count
        }
        print(
            String(
                format: "20%% deleted, 20%% added: recall@10 %.4f, %.3f ms; rebuilt graph %.4f",
                Double(hits) / Double(queries.rows * 10), time * 1000 / Double(queries.rows),
                Double(rebuiltHits) / Double(queries.rows * 10)))
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
