import ArgumentParser
import Foundation
import Roost
import RoostVectors

struct Neighbors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure approximate search: build time, recall@10 and queries per second.",
        discussion: "Each call searches for one query, on one thread.")

    @Option(help: "An NPY file of Float16 or Float32 with the vectors to search.")
    var base: String

    @Option(help: "An NPY file of Float16 or Float32 with the queries.")
    var queries: String

    @Option(help: "The maximum number of neighbors of a node in the graph.")
    var degree = 32

    @Option(help: "The number of candidates when a node is inserted.")
    var efConstruction = 64

    @Option(help: "The numbers of candidates of a search to measure.")
    var efSearch: [Int] = [32, 64, 128, 256, 512, 1024]

    func run() async throws {
        var base = try NumPy.matrix(self.base)
        var queries = try NumPy.matrix(self.queries)
        base.normalizeRows()
        queries.normalizeRows()
        let exact = FlatIndex(base)
        var truth: [[Neighbor]] = []
        let flat = try await Material.seconds { truth = try await exact.search(queries, k: 10, among: nil) }
        Material.line("exact, all queries in one call", Double(queries.rows) / flat, "queries/s")
        var options = GraphIndex.Options()
        options.maximumDegree = degree
        options.efConstruction = efConstruction
        var index: GraphIndex?
        let buildTime = try await Material.seconds {
            index = try await GraphIndex(building: base, options: options)
        }
        guard var index else { return }
        Material.line("graph of \(base.rows) × \(base.columns), built", buildTime, "s")
        Material.line("bytes per vector without exact vectors", Double(index.bytesPerVector), "B")
        for candidates in efSearch {
            index.options.efSearch = candidates
            var found: [[Neighbor]] = []
            var best = Double.infinity
            for _ in 0..<3 {
                found = []
                best = min(
                    best,
                    try await Material.seconds {
                        for row in 0..<queries.rows {
                            found += try await index.search(queries.selecting([row]), k: 10, among: nil)
                        }
                    })
            }
            // A row at the distance of the tenth counts too, because texts that occur twice have equal vectors.
            let hits = zip(found, truth).reduce(0) { hits, pair in
                hits + pair.0.count { $0.score >= pair.1[pair.1.count - 1].score - 1e-6 }
            }
            let recall = Double(hits) / Double(10 * queries.rows)
            let rate = Double(queries.rows) / best
            print(
                String(format: "efSearch %4d  recall@10 %.4f  %9.0f queries/s", candidates, recall, rate))
        }
        print("peak memory \(Material.peakMegabytes) MB")
    }
}
