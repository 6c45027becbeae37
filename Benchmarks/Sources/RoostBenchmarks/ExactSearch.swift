import ArgumentParser
import Foundation
import Roost

struct ExactSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exact search: one query beside a plain read of the same memory, and a thousand at once.")

    @Option(help: "Vectors to be found, as NPY of Float16 or Float32.") var base: String
    @Option(help: "Vectors to look for, likewise.") var queries: String

    func run() async throws {
        var base = try NumPy.matrix(self.base), queries = try NumPy.matrix(self.queries)
        base.normalizeRows()
        queries.normalizeRows()
        let index = FlatIndex(base)
        let bytes = Double(base.elements.count * 4)
        var (read, searched): ([Double], [Double]) = ([], [])
        // By turns, so that both see the same machine.
        for row in 0..<40 {
            read.append(Material.now { _ = Self.sum(base.elements) })
            let query = queries.selecting([row % queries.rows])
            searched.append(try await Material.seconds { _ = try await index.search(query, k: 10, among: nil) })
        }
        let (plain, one) = (read.sorted()[read.count / 2], searched.sorted()[searched.count / 2])
        Material.line("\(base.rows) × \(base.columns), a plain read", bytes / plain / 1e9, "GB/s")
        Material.line("one query", one * 1000, "ms")
        Material.line("one query", bytes / one / 1e9, "GB/s")
        Material.line("share of the plain read", plain / one, "")
        let many = queries.selecting((0..<1000).map { $0 % queries.rows })
        var best = Double.infinity
        for _ in 0..<3 {
            best = min(best, try await Material.seconds { _ = try await index.search(many, k: 10, among: nil) })
        }
        Material.line("a thousand at once", 1000 / best, "queries/s")
        Material.line("beside one by one", one * 1000 / best, "×")
    }

    /// Reads all on both cores.
    private static func sum(_ elements: [Float]) -> Float {
        let block = 1 << 20
        var sums = [Float](repeating: 0, count: (elements.count + block - 1) / block)
        sums.withUnsafeMutableBufferPointer { sums in
            nonisolated(unsafe) let output = sums.baseAddress!
            elements.withUnsafeBufferPointer { elements in
                nonisolated(unsafe) let input = UnsafeRawPointer(elements.baseAddress!)
                let count = elements.count
                DispatchQueue.concurrentPerform(iterations: sums.count) { part in
                    var (a, b) = (SIMD16<Float>(), SIMD16<Float>())
                    let end = min(count, (part + 1) * block) / 32 * 32
                    for place in stride(from: part * block, to: end, by: 32) {
                        a += input.loadUnaligned(fromByteOffset: place * 4, as: SIMD16<Float>.self)
                        b += input.loadUnaligned(fromByteOffset: place * 4 + 64, as: SIMD16<Float>.self)
                    }
                    output[part] = (a + b).sum()
                }
            }
        }
        return sums.reduce(0, +)
    }
}

struct FilteredSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A graph under filters and after changes: recall@10 and milliseconds, one query a call.")

    @Option(help: "Vectors to be found, as NPY of Float16 or Float32.") var base: String
    @Option(help: "Vectors to look for, likewise.") var queries: String
    @Option(help: "How many of the queries are asked.") var count = 500

    func run() async throws {
        var base = try NumPy.matrix(self.base), queries = try NumPy.matrix(self.queries)
        base.normalizeRows()
        queries.normalizeRows()
        queries = queries.selecting(0..<min(count, queries.rows))
        let exact = FlatIndex(base)
        let graph = try await GraphIndex(building: base)
        var generator = SeededGenerator(seed: 1)
        for share in [1, 0.5, 0.1, 0.01, 0.001] {
            let allowed = share == 1 ? nil : RowSet((0..<UInt32(base.rows)).filter { _ in generator.nextUnit() < share })
            let truth = try await exact.search(queries, k: 10, among: allowed)
            let (recall, time) = try await ask(graph, queries, allowed, truth)
            print(String(format: "%5.1f%% allowed  recall@10 %.4f  %7.3f ms", share * 100, recall, time))
        }
        // A fifth is gone, a fifth is new: what is gone is passed over, what is new is compared beside the graph.
        let old = base.rows * 5 / 6
        let before = try await GraphIndex(building: base.selecting(0..<old))
        let new = FlatIndex(base.selecting(old..<base.rows))
        let gone = RowSet((0..<UInt32(old)).filter { $0 % 5 == 0 })
        let kept = RowSet((0..<UInt32(old)).filter { $0 % 5 != 0 })
        let all = RowSet((0..<UInt32(base.rows)).filter { $0 >= UInt32(old) || !gone.contains($0) })
        let truth = try await exact.search(queries, k: 10, among: all)
        var hits = 0
        let time = try await Material.seconds {
            for row in 0..<queries.rows {
                let query = queries.selecting([row])
                let beside = try await new.search(query, k: 10, among: nil)[0].map {
                    Neighbor(row: $0.row + UInt32(old), score: $0.score)
                }
                let found = try await before.search(query, k: 10, among: kept)[0] + beside
                let best = found.sorted { $0.score > $1.score }.prefix(10).map(\.row)
                hits += Set(best).intersection(truth[row].map(\.row)).count
            }
        }
        let fresh = try await GraphIndex(building: base.selecting(all.map { Int($0) }))
        let names = Array(all)
        let renamed = try await fresh.search(queries, k: 10, among: nil)
        let right = zip(renamed, truth).reduce(0) {
            $0 + Set($1.0.map { names[Int($0.row)] }).intersection($1.1.map(\.row)).count
        }
        print(String(
            format: "a fifth gone, a fifth new: recall@10 %.4f, %.3f ms; built afresh %.4f",
            Double(hits) / Double(queries.rows * 10), time * 1000 / Double(queries.rows),
            Double(right) / Double(queries.rows * 10)))
    }

    private func ask(
        _ graph: GraphIndex, _ queries: Matrix, _ allowed: RowSet?, _ truth: [[Neighbor]]
    ) async throws -> (recall: Double, milliseconds: Double) {
        var best = Double.infinity
        var hits = 0
        for _ in 0..<3 {
            hits = 0
            best = min(best, try await Material.seconds {
                for row in 0..<queries.rows {
                    let found = try await graph.search(queries.selecting([row]), k: 10, among: allowed)[0]
                    hits += Set(found.map(\.row)).intersection(truth[row].map(\.row)).count
                }
            })
        }
        let wanted = truth.reduce(0) { $0 + $1.count }
        return (Double(hits) / Double(max(1, wanted)), best * 1000 / Double(queries.rows))
    }
}
