import Foundation
import Roost
import TestSupport
import Testing

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

    @Test(arguments: StoreManifest.Provider.allCases)
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
}
