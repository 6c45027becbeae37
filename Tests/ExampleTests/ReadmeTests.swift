import Foundation
import Roost
import RoostStorage
import Testing

/// The example of the README, compiled like user code: with access to public API only, and without the
/// package's Swift settings.
struct ReadmeTests {
    @Test func `the library example runs`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }

        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
        try await store.add("The swift is back above the roof.", tags: ["birds"])
        var count = 0
        for hit in try await store.search("birds on the roof").hits {
            #expect(hit.score > 0 && hit.entry.content.hasPrefix("The swift"))
            count += 1
        }
        let report = try await store.recluster()
        let export = try await store.clusters.export()

        #expect(count == 1)
        #expect(report.clusters.count == 1)
        #expect(export.clusters[0].members.count == 1)
    }

    /// Each line of the code block in the README must be a line of this file, except that the test does not
    /// require an installed model.
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
        for line in block where !line.contains("print(") {
            #expect(compiled.contains(line.replacing(".miniLM", with: ".lexical")), "\(line)")
        }
    }

    @Test func `the calls of the local storage guide work`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-guide-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // The initializer that the guide calls uses the documents folder of the user, so it is only compiled.
        let _: () throws -> LocalStorageProvider = { try LocalStorageProvider() }
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
