import ArgumentParser
import Foundation
import Roost
import RoostVectors

struct ExactSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measure exact search of one query, compared with reading the same memory, and of 1,000 queries.")

    @Option(help: "An NPY file of Float16 or Float32 with the vectors to search.") var base: String
    @Option(help: "An NPY file of Float16 or Float32 with the queries.") var queries: String

    func run() async throws {
        var base = try NumPy.matrix(self.base)
        var queries = try NumPy.matrix(self.queries)
        base.normalizeRows()
        queries.normalizeRows()
        let index = FlatIndex(base)
        let bytes = Double(base.elements.count * 4)
        var (read, searched): ([Double], [Double]) = ([], [])
        // Alternate between the two, so that both are measured under the same conditions.
        for row in 0..<40 {
            read.append(Material.now { _ = Self.sum(base.elements) })
            let query = queries.selecting([row % queries.rows])
            searched.append(
                try await Material.seconds { _ = try await index.search(query, k: 10, among: nil) })
        }
        let (plain, one) = (read.sorted()[read.count / 2], searched.sorted()[searched.count / 2])
        Material.line("\(base.rows) × \(base.columns), plain read", bytes / plain / 1e9, "GB/s")
        Material.line("one query", one * 1000, "ms")
        Material.line("one query", bytes / one / 1e9, "GB/s")
        Material.line("share of the plain read", plain / one, "")
        let many = queries.selecting((0..<1000).map { $0 % queries.rows })
        var best = Double.infinity
        for _ in 0..<3 {
            best = min(
                best, try await Material.seconds { _ = try await index.search(many, k: 10, among: nil) })
        }
        Material.line("1,000 queries in one call", 1000 / best, "queries/s")
        Material.line("speedup over single queries", one * 1000 / best, "×")
    }

    /// Returns the sum of all elements, computed on all cores. Its duration shows how fast memory can be
    /// read.
    private static func sum(_ elements: [Float]) -> Float {
        let block = 1 << 20
        var sums = [Float](repeating: 0, count: (elements.count + block - 1) / block)
        sums.withUnsafeMutableBufferPointer { sums in
            nonisolated(unsafe) let output = sums.baseAddress!
            elements.withUnsafeBufferPointer { elements in
                nonisolated(unsafe) let input = UnsafeRawPointer(elements.baseAddress!)
                let count = elements.count
                DispatchQueue.concurrentPerform(iterations: sums.count) { index in
                    var (a, b) = (SIMD16<Float>(), SIMD16<Float>())
                    let end = min(count, (index + 1) * block) / 32 * 32
                    for offset in stride(from: index * block, to: end, by: 32) {
                        a += input.loadUnaligned(fromByteOffset: offset * 4, as: SIMD16<Float>.self)
                        b += input.loadUnaligned(fromByteOffset: offset * 4 + 64, as: SIMD16<Float>.self)
                    }
                    output[index] = (a + b).sum()
                }
            }
        }
        return sums.reduce(0, +)
    }
}
