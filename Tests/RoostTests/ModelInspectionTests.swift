import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of finding and repairing entries that were embedded with other files of the model.
@Suite(.temporaryFolders) struct ModelInspectionTests {
    /// An embedder whose model files are represented by a text, such as "damaged".
    private struct FileEmbedder: Embedder {
        var files: String
        var isDamaged = false
        let base = LexicalEmbedder(dimension: 256)
        var space: EmbeddingSpace { base.space }
        var maximumTokens: Int? { nil }
        var fingerprint: String? { files }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            var embeddings = try await base.embed(texts, as: role)
            // Damaged files yield other vectors of unit length, which no other check can notice.
            if files == "damaged" {
                embeddings.vectors = Matrix(
                    (0..<embeddings.vectors.rows).map { Array(embeddings.vectors.row($0).reversed()) },
                    columns: space.dimension)
            }
            return embeddings
        }

        func checkModel() async throws {
            if isDamaged { throw EmbedderError(.damagedModel, "a file differs") }
        }

        func tokenRanges(in text: String) -> [Range<Int>] { [] }
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `entries that were embedded with damaged files are found and embedded again`(
        provider: StoreManifest.Provider
    ) async throws {
        let folder = TemporaryFolder.unusedURL()
        let (good, damaged) = (FileEmbedder(files: "good"), FileEmbedder(files: "damaged"))
        var store = try await KnowledgeStore.create(in: folder, provider: provider, embedder: good)
        try await store.add("a swift in the roof")
        try await store.close()
        for (text, embedder) in [("bread in the oven", damaged), ("a boat", good), ("a heron", damaged)] {
            store = try await KnowledgeStore.open(in: folder) { _ in embedder }
            try await store.add(text)
            try await store.close()
        }
        var inspector = StoreInspector(folder)
        inspector.embedder = { _ in good }
        // Only a check of the models looks at the files.
        #expect(try await inspector.inspect().allSatisfy { $0.severity == .note })
        inspector.includesModels = true
        let found = try await inspector.inspect().filter { $0.severity == .damage }
        #expect(found.map(\.subject) == ["2 entries"], "\(found)")
        _ = try await inspector.repair()
        #expect(try await inspector.inspect().allSatisfy { $0.severity == .note })
        store = try await KnowledgeStore.open(in: folder) { _ in good }
        for entry in try await store.storage.fetchEntries() {
            #expect(try await good.embed(entry.content, as: .document) == entry.embeddings)
        }
        try await store.close()
    }

    /// Returns the ids of the entries whose vectors differ from those of an embedder.
    private func different(_ folder: URL, _ embedder: FileEmbedder) async throws -> ModelInspection.Comparison
    {
        let store = try await KnowledgeStore.open(in: folder) { _ in embedder }
        let comparison = try await ModelInspection(directory: folder, embedder: embedder)
            .compare(in: try await store.storage.snapshot())
        try await store.close()
        return comparison
    }

    @Test func `files that changed without an effect on vectors are not damage`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(in: folder, embedder: FileEmbedder(files: "old"))
        try await store.add("a swift in the roof")
        try await store.close()
        var inspector = StoreInspector(folder)
        inspector.includesModels = true
        inspector.embedder = { _ in FileEmbedder(files: "formatted") }
        let findings = try await inspector.inspect()
        #expect(findings.allSatisfy { $0.severity == .note }, "\(findings)")
        #expect(findings.contains { $0.message.contains("the same vectors for the 1 entry that was stored") })
        // A repair records that the vectors were compared.
        _ = try await inspector.repair()
        let after = try await different(folder, FileEmbedder(files: "formatted"))
        #expect(after == ModelInspection.Comparison())
        #expect(try await different(folder, FileEmbedder(files: "damaged")).different.count == 1)
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `a later change of an entry does not hide its vectors of damaged files`(
        provider: StoreManifest.Provider
    ) async throws {
        let folder = TemporaryFolder.unusedURL()
        let (good, damaged) = (FileEmbedder(files: "good"), FileEmbedder(files: "damaged"))
        var store = try await KnowledgeStore.create(in: folder, provider: provider, embedder: good)
        try await store.add("a boat")
        try await store.close()
        store = try await KnowledgeStore.open(in: folder) { _ in damaged }
        let id = try await store.add("a swift in the roof").id
        try await store.close()
        store = try await KnowledgeStore.open(in: folder) { _ in good }
        #expect(try await store.addTag("birds", to: [id]) == 1)
        try await store.close()
        let found = try await different(folder, good)
        #expect(found.different == [id], "\(found)")
        var inspector = StoreInspector(folder)
        inspector.embedder = { _ in good }
        inspector.includesModels = true
        _ = try await inspector.repair()
        #expect(try await inspector.inspect().allSatisfy { $0.severity == .note })
        store = try await KnowledgeStore.open(in: folder) { _ in good }
        for entry in try await store.storage.fetchEntries() {
            #expect(try await good.embed(entry.content, as: .document) == entry.embeddings)
        }
        try await store.close()
    }

    @Test func `nothing is embedded again with a damaged model`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(in: folder, embedder: FileEmbedder(files: "old"))
        try await store.add("a swift in the roof")
        let before = try await store.storage.fetchEntries()
        try await store.close()
        var inspector = StoreInspector(folder)
        inspector.embedder = { _ in FileEmbedder(files: "new", isDamaged: true) }
        inspector.includesModels = true
        let found = try await inspector.inspect().filter { $0.severity == .damage }
        #expect(found.count == 1 && found[0].message.contains("is damaged"), "\(found)")
        _ = try await inspector.repair()
        let after = try await KnowledgeStore.open(in: folder) { _ in FileEmbedder(files: "old") }
        #expect(try await after.storage.fetchEntries() == before)
        try await after.close()
    }

    @Test func `lines that are added to the log of models at the same time are all kept`() async throws {
        let folder = try TemporaryFolder()
        let log = EmbeddingLog(directory: folder.url)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    #expect(throws: Never.self) {
                        try log.record("model \(number)", of: "m", after: Revision(rawValue: UInt64(number)))
                    }
                }
            }
        }
        #expect(Set(log.records.map(\.fingerprint)) == Set((0..<32).map { "model \($0)" }))
    }

    @Test func `a line that was written only in part does not damage the next one`() throws {
        let folder = try TemporaryFolder()
        let log = EmbeddingLog(directory: folder.url)
        try log.record("first", of: "m", after: .zero)
        let file = folder.url.appendingPathComponent("models.jsonl")
        try (Data(contentsOf: file) + Data(#"{"fingerprint":"se"#.utf8)).write(to: file)
        try log.record("third", of: "m", after: .zero)
        #expect(log.records.map(\.fingerprint) == ["first", "third"])
    }
}
