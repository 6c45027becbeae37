import ArgumentParser
import Foundation
import Roost

struct ClusterShards: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Cluster vectors like the workers of `roost cluster plan`, `assign` and `finish`.")

    @Option(help: "An NPY file of Float16 or Float32 with the vectors.") var base: String
    @Option(help: "The number of vectors in the sample.") var sample = 10_000
    @Option(help: "The number of shards.") var shards = 4

    /// The number of entries of one commit.
    private static let batchSize = 1000

    func run() async throws {
        var vectors = try NumPy.matrix(base)
        vectors.normalizeRows()
        let storage = InMemoryStorageProvider()
        for start in stride(from: 0, to: vectors.rows, by: Self.batchSize) {
            let rows = start..<min(vectors.rows, start + Self.batchSize)
            let entries = rows.map { row in
                Entry(content: "entry \(row)", embeddings: vectors.row(row))
            }
            _ = try await storage.commit(WriteBatch(upserts: entries))
        }
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let count = vectors.rows
        print("peak memory \(Material.peakMegabytes) MB before")
        let planning = try await Material.seconds { _ = try await store.planClusters(sample: sample) }
        Material.line("plan with a sample of \(sample) of \(count)", planning, "s")
        var assigned = 0
        let assigning = try await Material.seconds {
            for shard in 0..<shards { assigned += try await store.assignShard(shard, of: shards) }
        }
        Material.line("assign \(assigned) entries in \(shards) shards", assigning, "s")
        print("\(Int(Double(assigned) / assigning)) entries/s")
        var report: ReclusterReport?
        let finishing = try await Material.seconds { report = try await store.finishClusters() }
        Material.line("finish", finishing, "s")
        print("\(report?.clusters.count ?? 0) clusters, \(report?.outlierCount ?? 0) outliers")
        print("peak memory \(Material.peakMegabytes) MB")
    }
}
