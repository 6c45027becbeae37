import Foundation
import TestSupport
import Testing

@testable import Roost
@testable import RoostClustering

/// Compares the clusters that several workers find in real texts with those of one client.
struct ShardedTextTests {
    /// The questions of customers with 77 intents, in the folder that the environment variable `ROOST_EVAL`
    /// names.
    private static let data = ProcessInfo.processInfo.environment["ROOST_EVAL"].map {
        URL(fileURLWithPath: $0).appendingPathComponent("clustering/banking77/data.jsonl")
    }

    private static let isAvailable =
        InstalledModel.minilm != nil
        && data.map { FileManager.default.fileExists(atPath: $0.path) } ?? false

    private struct Row: Decodable {
        var text: String
        var label: String
    }

    @Test(
        .enabled(
            if: isAvailable,
            "the model minilm or clustering/banking77 in the folder that ROOST_EVAL names is missing"))
    func `a vote of a sample agrees with the clusters of one client`() async throws {
        let lines = try String(contentsOf: #require(Self.data), encoding: .utf8).split(separator: "\n")
        let rows = try lines.map { line in
            try JSONDecoder().decode(Row.self, from: Data(line.utf8))
        }
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: try #require(InstalledModel.minilm))
        let drafts = rows.map { EntryDraft(content: $0.text, metadata: ["label": .string($0.label)]) }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        _ = try await store.recluster()
        let single = try await groups(in: store)
        for share in [2, 4] {
            _ = try await store.planClusters(
                sample: single.truth.count / share, ignoringPreviousRun: true)
            for shard in 0..<3 { try await store.assignShard(shard, of: 3) }
            _ = try await store.finishClusters()
            let several = try await groups(in: store)
            let information = MutualInformation(maximumCount: single.truth.count)
            let agreement = information.adjusted(single.found, several.found)
            let difference =
                information.adjusted(several.truth, several.found)
                - information.adjusted(single.truth, single.found)
            // Samples differ by about .01, and are .012 below one client on average (decision 23).
            #expect(difference > -0.03, "1/\(share): \(difference)")
            #expect(agreement > 0.8, "1/\(share): \(agreement)")
        }
    }

    /// Returns the label and the cluster of each entry, in the same order for the same entries. Each outlier
    /// is a separate cluster.
    private func groups(in store: KnowledgeStore) async throws -> (truth: [Int32], found: [Int32]) {
        let snapshot = try await store.storage.snapshot()
        let assignments = Dictionary(
            uniqueKeysWithValues: try await snapshot.assignments(of: nil).map { ($0.entry, $0.cluster) })
        var (labels, clusters) = ([String: Int32](), [UUID: Int32]())
        var (truth, found) = ([Int32](), [Int32]())
        for try await entry in store.entries() {
            let label = entry.metadata["label"].map { "\($0)" } ?? ""
            let cluster = (assignments[entry.id] ?? nil) ?? entry.id
            truth.append(labels[label] ?? Int32(labels.count))
            labels[label] = truth.last
            found.append(clusters[cluster] ?? Int32(clusters.count))
            clusters[cluster] = found.last
        }
        return (truth, found)
    }
}
