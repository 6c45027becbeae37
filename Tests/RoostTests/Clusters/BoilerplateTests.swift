import Foundation
import RoostModel
import RoostTestKit
import RoostVectors
import TestSupport
import Testing

@testable import Roost

/// Tests that clustering excludes lines that many entries share.
@Suite(.temporaryFolders) struct BoilerplateTests {
    private static let footer = "Subscribe to our newsletter and follow us"

    /// Stores texts of two subjects. In each subject, every second text ends with the same footer.
    private func fill(_ store: KnowledgeStore, count: Int = 60, prefix: String = "s") async throws {
        let words = [
            ["bread", "oven", "dough", "flour", "yeast"], ["boat", "sail", "wind", "keel", "harbor"],
        ]
        let drafts = (0..<count).map { index in
            let subject = words[index % 2]
            let text = (0..<4).map { subject[(index / 2 + $0 * $0) % 5] }.joined(separator: " ")
            return EntryDraft(
                content: "\(text) number\(index)" + (index / 2 % 2 == 0 ? "\n\n  \(Self.footer) \r\n" : ""))
        }
        _ = try await store.ingest([SourceDraft(id: prefix, fingerprint: "1", entries: drafts)])
    }

    @Test func `lines in more than a twentieth of the entries are found`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = (0..<200).map { index in
            var lines = ["text number \(index)", "```swift", "ab"]
            if index < 11 { lines += ["in eleven entries", "in eleven entries"] }
            if index < 10 { lines.append("in ten entries") }
            return EntryDraft(content: lines.joined(separator: "\n"))
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let found = try await BoilerplateLines.find(in: try await store.storage.snapshot())
        #expect(found.lines == ["in eleven entries"])
    }

    @Test func `a line in fewer than five entries of a small store is not boilerplate`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let drafts = (0..<10).map { EntryDraft(content: "text \($0)" + ($0 < 4 ? "\nsome footer" : "")) }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let found = try await BoilerplateLines.find(in: try await store.storage.snapshot())
        #expect(found.lines.isEmpty)
    }

    @Test func `a text that consists of boilerplate is kept`() {
        let boilerplate = BoilerplateLines(["Home | About", "Contact us"])
        #expect(boilerplate.removing(from: "Home | About\r\nThe text.\n  Contact us ") == "The text.")
        #expect(boilerplate.removing(from: "Home | About\n---\nContact us") == nil)
        #expect(boilerplate.removing(from: "The text.") == nil)
        #expect(
            boilerplate.found(in: "Contact us\nx\n Contact us\r\nHome | About") == [
                "Contact us", "Contact us", "Home | About",
            ])
    }

    @Test func `texts are clustered without their boilerplate`() async throws {
        let embedder = RecordingEmbedder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        try await fill(store)
        let before = embedder.count
        let report = try await store.recluster(clusters: 2)
        #expect(report.boilerplateLines == [Self.footer] && report.notices.isEmpty)
        // Only the footer is embedded.
        #expect(embedder.count == before + 1)
        let snapshot = try await store.storage.snapshot()
        var shared: Entry?
        for cluster in report.clusters {
            let texts = try await snapshot.entries(cluster.members)
            let breads = texts.count { text in
                ["oven", "dough", "yeast"].contains { text.content.contains($0) }
            }
            #expect(breads == 0 || breads == texts.count, "one subject in each cluster")
            #expect(!cluster.keywords.contains { $0.contains("newsletter") })
            shared = shared ?? texts.first { $0.content.contains(Self.footer) }
        }
        #expect(store.clusters.boilerplateLines(of: try #require(shared)) == [Self.footer])
        // The next run reuses its vector.
        _ = try await store.recluster(clusters: 2)
        #expect(embedder.count == before + 1)
    }

    /// Stores texts, half of which consist mostly of the same footer, and clusters them.
    private func filledByFooters(_ embedder: RecordingEmbedder) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        try await fill(store)
        _ = try await store.recluster(clusters: 2)
        return store
    }

    @Test func `an added entry is placed without its boilerplate`() async throws {
        let embedder = RecordingEmbedder()
        let store = try await filledByFooters(embedder)
        let before = embedder.count
        let id = try await store.add("bread oven dough flour\n\(Self.footer)").id
        #expect(embedder.count == before + 1)
        let assignment = try await store.storage.snapshot().assignments(of: [id]).first
        let clusters = try await store.storage.fetchClusters()
        let bread = try #require(
            clusters.first { $0.parent == nil && $0.keywords.contains { $0.contains("bread") } })
        #expect(clusters.first { $0.id == assignment?.cluster }?.parent == bread.id)
    }

    @Test func `a cluster is split and merged without boilerplate`() async throws {
        let store = try await filledByFooters(RecordingEmbedder())
        let clusters = try await store.storage.fetchClusters()
        let merged = try await store.clusters.merge(clusters.map(\.id))
        #expect(!merged.keywords.contains { $0.contains("newsletter") })
        let parts = try await store.clusters.split(merged.id, into: 2)
        let snapshot = try await store.storage.snapshot()
        for part in parts {
            let texts = try await snapshot.entries(part.members).map(\.content)
            let breads = texts.count { text in
                ["oven", "dough", "yeast"].contains { text.contains($0) }
            }
            #expect(breads == 0 || breads == texts.count, "split by subject, not by the footer")
            #expect(!part.label.contains("newsletter") && !part.label.contains("Subscribe"))
        }
    }

    @Test(arguments: [1, EmbeddingSpace.maximumDimension])
    func `vectors of every dimension that a store supports are kept for the next run`(
        dimension: Int
    ) async throws {
        let catalog = BoilerplateCatalog(in: IndexFolder(of: try TemporaryFolder().url))
        let contents = BoilerplateVectors(
            EmbeddingSpace(model: "m", revision: "r", dimension: dimension, pooling: "mean"),
            ["a line": [Float](repeating: 1, count: dimension)])
        await catalog.save(contents)
        #expect(catalog.load() == contents)
    }

    @Test func `damage to the vectors in the store's folder does no harm`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let embedder = RecordingEmbedder()
        let store = try await KnowledgeStore.create(at: folder, embedder: embedder)
        try await fill(store)
        _ = try await store.recluster(clusters: 2, isDryRun: true)
        let file = folder.appendingPathComponent("index/boilerplate")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let digest = try await store.recluster(clusters: 2).run.dataDigest
        let count = embedder.count
        func again() async throws -> String? {
            let store = try await KnowledgeStore.open(at: folder) { _ in embedder }
            let digest = try await store.recluster(clusters: 2).run.dataDigest
            try await store.close()
            return digest
        }
        #expect(try await again() == digest)
        #expect(embedder.count == count)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 2] ^= 1
        try bytes.write(to: file)
        #expect(try await again() == digest)
        #expect(embedder.count == count + 1)
        try FileManager.default.removeItem(at: file)
        #expect(try await again() == digest)
        #expect(embedder.count == count + 2)
        try await store.close()
    }

    @Test func `the stored vectors are used, with a notice, if the model is unavailable`() async throws {
        let storage = InMemoryStorageProvider()
        try await fill(KnowledgeStore(storage: storage, embedder: LexicalEmbedder()))
        let embedder = RecordingEmbedder()
        embedder.interruption.set { throw EmbedderError(.unavailable, "the server does not answer") }
        let store = KnowledgeStore(storage: storage, embedder: embedder)
        let report = try await store.recluster(clusters: 2)
        #expect(report.clusters.count == 2)
        #expect(report.boilerplateLines.isEmpty)
        #expect(report.notices.count == 1 && report.notices[0].contains("unavailable"))
    }
}
