import ArgumentParser
import Foundation
import Roost

struct ClusterVectors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Cluster vectors like `roost recluster`, and write the group (or -1), confidence and topic of each."
    )

    @Option(help: "An NPY file of Float16 or Float32 with the vectors.") var base: String
    @Option(help: "The file to which one line for each vector is written.") var out: String?
    @Option(help: "The number of clusters of k-means; by default Leiden is used.") var clusters: Int?
    @Option(help: "The maximum number of iterations of k-means.") var rounds = 100
    @Option(help: "The number of restarts of k-means.") var restarts = 8
    @Flag(help: "Choose restarts and iterations by the number of vectors, like `roost recluster --clusters`.")
    var sized = false
    @Option(help: "The resolution of Leiden; by default it is chosen automatically.") var resolution: Double?
    @Option(help: "A file with the initial groups: one line for each vector with its group, or -1.")
    var start: String?
    @Option(help: "The resolution at which the initial groups were found.") var startResolution = 1.0
    @Option(help: "The seed of the random number generator.") var seed: UInt64 = 0

    func run() async throws {
        var vectors = try NumPy.matrix(base)
        vectors.normalizeRows()
        var leiden = LeidenClusterer(resolution: resolution, seed: seed)
        leiden.dividesGroups = true
        if let start {
            let groups = try String(contentsOfFile: start, encoding: .utf8).split(separator: "\n").map {
                line in
                line.split(separator: " ").first.flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
            }
            leiden.start = .init(
                groups: groups,
                scales: [
                    .init(resolution: startResolution, fullRunCount: Double(groups.count { $0 != nil }))
                ])
        }
        let clusterer: any Clusterer =
            clusters.map {
                sized
                    ? SphericalKMeans.sized(clusters: $0, entries: vectors.rows, seed: seed)
                    : SphericalKMeans(clusters: $0, seed: seed, restarts: restarts, maximumIterations: rounds)
            } ?? leiden
        let before = Material.peakMegabytes
        var partition: Partition?
        let time = try await Material.seconds { partition = try await clusterer.cluster(vectors) }
        guard let partition else { return }
        Material.line("\(vectors.rows) × \(vectors.columns) by \(clusterer.algorithm)", time, "s")
        let outliers = partition.labels.count { $0.group == nil }
        let counts = "\(partition.count) clusters, of which \(partition.topics.count) are topics"
        print("\(counts), \(outliers) outliers; \(partition.facts)")
        print("peak memory \(Material.peakMegabytes) MB, \(before) MB before")
        if let out {
            let lines = zip(partition.labels, partition.confidences).map { label, confidence in
                let leaf = label.group ?? -1
                let group = partition.topics.contains(leaf) ? partition.parents[leaf] ?? leaf : leaf
                return "\(group) \(confidence) \(leaf)"
            }
            try (lines.joined(separator: "\n") + "\n").write(toFile: out, atomically: true, encoding: .utf8)
        }
    }
}
