import ArgumentParser
import Foundation
import Roost

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure spherical k-means of 20,000 × 384 vectors.")

    func run() async throws {
        // Generate groups of similar vectors with noise, as embeddings of texts form them.
        var vectors = Material.vectors(20_000, 384)
        let centers = Material.vectors(50, 384)
        for row in 0..<vectors.rows {
            for column in 0..<384 { vectors[row, column] += centers[row % 50, column] }
        }
        vectors.normalizeRows()
        for clusters in [20, 50] {
            let time = try await Material.seconds {
                _ = try await SphericalKMeans(clusters: clusters, seed: 1).cluster(vectors)
            }
            Material.line("20,000 × 384, k = \(clusters)", time, "s")
        }
    }
}
