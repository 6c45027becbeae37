import Foundation
import Roost
import Testing

/// The README's example, compiled where users stand: without the package's upcoming features.
struct ReadmeTests {
    @Test func `the library example runs`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }

        let store = try await KnowledgeStore.create(in: folder, embedder: LexicalEmbedder())
        try await store.add("The swift is back above the roof.", tags: ["birds"])
        let result = try await store.query("birds on the roof")
        for hit in result.hits { #expect(hit.score > 0 && hit.entry.content.hasPrefix("The swift")) }
        let recent = try await store.search(for: "roofs").where(.metadata("year"), .isAtLeast("2020")).hits()
        let report = try await store.recluster()
        let export = try await store.exportClusters()

        #expect(result.hits.count == 1 && recent.isEmpty)
        #expect(report.clusters.count == 1)
        #expect(export.clusters[0].members.count == 1)
    }

    /// The README shows what the test above runs: each line of its block is a line of this file.
    @Test func `the README shows the example that runs`() throws {
        let here = URL(fileURLWithPath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        func lines(_ url: URL) throws -> [String] {
            try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        let readme = try lines(top.appendingPathComponent("README.md"))
        let start = try #require(readme.firstIndex(of: "import Roost"))
        let block = readme[start...].prefix { !$0.hasPrefix("`") }
        #expect(block.count > 5)
        let compiled = Set(try lines(here))
        for line in block where !line.contains("print(") { #expect(compiled.contains(line), "\(line)") }
    }

    /// The calls of the published guide on local storage.
    @Test func `the guide's calls work`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-guide-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = try LocalStorageProvider(directory: folder)
        let entry = Entry(content: "Test", embeddings: [0.1, 0.2])
        try await storage.saveEntry(entry)
        let clusters = try await storage.fetchClusters()
        #expect(clusters.isEmpty)
        let updatedCluster = Cluster(label: "c", members: [entry.id])
        try await storage.updateCluster(updatedCluster)
        #expect(try await storage.fetchClusters().map(\.members) == [[entry.id]])
    }
}
