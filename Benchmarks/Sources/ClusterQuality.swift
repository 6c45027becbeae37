import ArgumentParser
import Foundation
import Roost

struct ClusterQuality: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ingest a labeled data set, recluster it, and compute the V-measure with the labels.")

    @Option var set = "bbc-news"
    @Option var clusters: Int?
    @Option var seed: UInt64 = 1

    func run() async throws {
        let rows = try Material.rows("clustering/\(set)/data.jsonl")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-quality-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await KnowledgeStore.create(at: folder, embedder: try Material.model())
        let drafts = rows.map {
            EntryDraft(key: $0.id, content: $0.text, metadata: ["label": .string($0.label ?? "")])
        }
        var report = IngestReport()
        let time = try await Material.seconds {
            report = try await store.ingest([SourceDraft(id: set, fingerprint: "1", entries: drafts)])
        }
        Material.line("ingest", Double(report.new) / time, "entries/s")
        Material.line("ingest", Double(report.tokens) / time, "tokens/s")
        let reclustering = try await Material.seconds {
            _ = try await store.recluster(clusters: clusters, seed: seed)
        }
        Material.line("recluster", reclustering, "s")
        let export = try await store.clusters.export()
        var pairs: [(String, String)] = []
        for cluster in export.clusters {
            for member in cluster.members { pairs.append((member.metadata["label"]?.text ?? "", cluster.id)) }
        }
        Material.line("clusters", Double(export.clusters.count), "")
        Material.line("V-measure, seed \(seed)", vMeasure(pairs), "")
        print("peak memory \(Material.peakMegabytes) MB")
        try await store.close()
    }

    /// The harmonic mean of homogeneity and completeness (Rosenberg & Hirschberg 2007).
    func vMeasure(_ pairs: [(String, String)]) -> Double {
        func entropy(_ keys: [String]) -> Double {
            let counts = Dictionary(grouping: keys) { $0 }.mapValues { Double($0.count) / Double(keys.count) }
            return -counts.values.reduce(0) { $0 + $1 * log($1) }
        }
        let (classes, clusters) = (entropy(pairs.map(\.0)), entropy(pairs.map(\.1)))
        let joint = entropy(pairs.map { "\($0.0)\u{1F}\($0.1)" })
        let homogeneity = classes == 0 ? 1 : 1 - (joint - clusters) / classes
        let completeness = clusters == 0 ? 1 : 1 - (joint - classes) / clusters
        return 2 * homogeneity * completeness / max(1e-12, homogeneity + completeness)
    }
}
