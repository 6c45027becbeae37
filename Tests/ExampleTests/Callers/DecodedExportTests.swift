import Foundation
import Roost
import Testing

/// Groups rows by their numbers into four clusters, two in each of two larger ones.
private struct PairedClusters: Clusterer {
    let algorithm = "pairs"

    func cluster(_ vectors: Matrix) async throws -> Partition {
        Partition(
            groups: (0..<vectors.rows).map { $0 % 4 }, of: vectors, parents: [4, 4, 5, 5, nil, nil])
    }
}

/// Tests of a program that reads the clusters that another one exported.
struct DecodedExportTests {
    @Test(arguments: [false, true]) func `an export of clusters can be decoded`(
        withEmbeddings: Bool
    ) async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for word in ["swift", "loaf", "keel", "oven", "roof", "rudder"] {
            try await store.add("the \(word) and the \(word)s", tags: [word], metadata: ["n": [1, 0.5, "x"]])
        }
        _ = try await store.recluster(clusters: 4)
        let report = try await store.recluster(with: PairedClusters())
        try await store.clusters.label(report.clusters[0].id, as: "Birds")
        try await store.add("an entry without a cluster: zebra")
        let export = try await store.clusters.export(withEmbeddings: withEmbeddings)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(export)
        let decoded = try JSONDecoder().decode(ClusterExport.self, from: data)
        #expect(try encoder.encode(decoded) == data)
        #expect(decoded.schemaVersion == 1 && decoded.run?.algorithm == report.run.algorithm)
        #expect(decoded.allClusters.contains { $0.label == "Birds" && $0.pinned })
        #expect(decoded.clusters.contains { $0.children?.isEmpty == false })
        let members = decoded.allClusters.flatMap(\.members)
        #expect(members.count >= 6)
        #expect(members.allSatisfy { $0.tags.isEmpty || $0.metadata == ["n": [1, 0.5, "x"]] })
        #expect(members.allSatisfy { ($0.embeddings != nil) == withEmbeddings })
    }
}
