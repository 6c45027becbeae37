import ArgumentParser
import Foundation
import Roost

struct ClusterVectors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Groups vectors as `roost recluster` does; writes a line for each: its group or -1, and its confidence.")

    @Option(help: "The vectors, as NPY of Float16 or Float32.") var base: String
    @Option(help: "Where the lines are written.") var out: String?
    @Option(help: "So many clusters by k-means; chosen where it is not given.") var clusters: Int?
    @Option(help: "The rounds of one run of k-means.") var rounds = 100
    @Option(help: "How often k-means starts anew.") var restarts = 8
    @Flag(help: "Starts and rounds as `roost recluster --clusters` chooses them for so many vectors.") var sized = false
    @Option(help: "A fixed resolution.") var resolution: Double?
    @Option(help: "Goes on from the groups of this file: a line for each row with its group, or -1.") var start: String?
    @Option(help: "The resolution at which those were found.") var startResolution = 1.0
    @Option var seed: UInt64 = 0

    func run() async throws {
        var vectors = try NumPy.matrix(base)
        vectors.normalizeRows()
        var leiden = LeidenClusterer(resolution: resolution, seed: seed)
        if let start {
            let groups = try String(contentsOfFile: start, encoding: .utf8).split(separator: "\n").map { line in
                line.split(separator: " ").first.flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
            }
            leiden.start = .init(
                groups: groups, resolution: startResolution, lookedAt: groups.count { $0 != nil })
        }
        let clusterer: any Clusterer = clusters.map {
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
        print("\(partition.count) groups, \(outliers) outliers; \(partition.facts)")
        print("peak memory \(Material.peakMegabytes) MB, \(before) MB before")
        if let out {
            let lines = zip(partition.labels, partition.confidences).map { "\($0.group ?? -1) \($1)" }
            try (lines.joined(separator: "\n") + "\n").write(toFile: out, atomically: true, encoding: .utf8)
        }
    }
}
