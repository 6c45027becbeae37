import ArgumentParser
import Foundation
import Roost
import RoostVectors

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure exact search in memory: milliseconds per query.")

    func run() async throws {
        for count in [2_000, 100_000] {
            let index = FlatIndex(Material.vectors(count, 384))
            let queries = Material.vectors(200, 384)
            let together = try await Material.seconds {
                _ = try await index.search(queries, k: 10, among: nil)
            }
            let single = try await Material.seconds {
                for row in 0..<50 { _ = try await index.search(queries.selecting([row]), k: 10, among: nil) }
            }
            Material.line("\(count) × 384, one query", single * 1000 / 50, "ms")
            Material.line("\(count) × 384, one of 200 queries at once", together * 1000 / 200, "ms")
        }
    }
}
