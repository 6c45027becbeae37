import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of vectors that are not of unit length.
@Suite(.temporaryFolders) struct VectorCheckTests {
    /// An embedder that claims to return unit vectors, but multiplies each by a factor.
    private struct ScaledEmbedder: Embedder {
        let factor: Float
        let base = LexicalEmbedder(dimension: 256)
        var space: EmbeddingSpace { base.space }
        var maximumTokens: Int? { nil }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            let vectors = try await base.embed(texts, as: role).vectors
            let rows = (0..<vectors.rows).map { row in vectors.row(row).map { $0 * factor } }
            let zeros = [Int](repeating: 0, count: rows.count)
            return Embeddings(
                vectors: Matrix(rows, columns: space.dimension), tokenCounts: zeros, omittedTokens: zeros)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { [] }
    }

    private static func length(_ vector: [Float]) -> Double {
        vector.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
    }

    @Test(arguments: [2500, 0.01, 1e-30, 1e30] as [Float])
    func `vectors of any length are stored as unit vectors`(factor: Float) async throws {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: ScaledEmbedder(factor: factor))
        try await store.add("a swift in the roof")
        try await store.add("bread in the oven")
        for entry in try await store.storage.fetchEntries() {
            #expect(abs(Self.length(entry.embeddings) - 1) < 1e-5)
            #expect(entry.searchablePassages.allSatisfy { abs(Self.length($0.vector) - 1) < 1e-5 })
        }
        var search = EntrySearch(.text("a swift in the roof"))
        search.mode = .vector
        let hit = try #require(try await store.search(search).hits.first)
        #expect(hit.entry.content == "a swift in the roof" && abs(hit.similarity - 1) < 1e-4)
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `a repair embeds entries again whose vectors are not of unit length`(
        provider: StoreManifest.Provider
    ) async throws {
        let folder = TemporaryFolder.unusedURL()
        let embedder = LexicalEmbedder()
        var store = try await KnowledgeStore.create(at: folder, provider: provider, embedder: embedder)
        for text in ["a swift in the roof", "bread in the oven", "a boat"] { try await store.add(text) }
        let before = try await store.storage.fetchEntries().map(\.embeddings)
        var entry = try await store.storage.fetchEntries()[1]
        entry.embeddings = entry.embeddings.map { $0 * 50 }
        for index in entry.passages.indices {
            entry.passages[index].vector = entry.passages[index].vector.map { $0 * 50 }
        }
        _ = try await store.storage.commit(WriteBatch(upserts: [entry]))
        try await store.close()

        var inspector = StoreInspector(folder)
        inspector.backups.folder = TemporaryFolder.unusedURL()
        let found = try await inspector.inspect()
        #expect(found.contains { $0.severity == .damage && $0.remedy == "computes its vectors again" })
        // Without the model, the repair reports what is missing and keeps the entry.
        let unable = try await inspector.repair()
        #expect(unable.contains { $0.message.contains("could not be embedded again") })

        inspector.embedder = { _ in embedder }
        let done = try await inspector.repair()
        #expect(done.contains { $0.description.contains("the vectors of 1 entry with") }, "\(done)")
        #expect(try await inspector.inspect().allSatisfy { $0.severity == .note })
        store = try await KnowledgeStore.open(at: folder) { _ in embedder }
        #expect(try await store.storage.fetchEntries().map(\.embeddings) == before)
        try await store.close()
    }
}

/// Tests that a damaged record of changes is never undone.
@Suite(.temporaryFolders) struct UndoRecordTests {
    /// Creates a store whose record has several commits, and returns the file of the record.
    private func store(in folder: URL) async throws -> (KnowledgeStore, URL) {
        let recorder = UndoRecorder(directory: folder, command: "add")
        let store = try await KnowledgeStore.create(
            at: folder, embedder: LexicalEmbedder(), recording: recorder)
        for word in ["swift", "stork", "boat"] { try await store.add("the \(word) is back") }
        return (store, try #require(try UndoFolder(in: folder).groups().first).files[1])
    }

    private func expectDamaged(_ store: KnowledgeStore, _ change: String) async {
        let error = await #expect(throws: RoostError.self, "\(change)") {
            try await store.undo(isDryRun: true)
        }
        #expect(error?.code == .nothingToUndo, "\(change): \(error as Any)")
    }

    @Test func `a changed bit is detected`() async throws {
        let folder = try TemporaryFolder()
        let (store, file) = try await store(in: folder.url)
        #expect(try await store.undo(isDryRun: true).removed == 3)
        let intact = try Data(contentsOf: file)
        var generator = Seeded(state: 3)
        for _ in 0..<300 {
            var data = intact
            let offset = Int(generator.next() % UInt64(data.count))
            data[offset] ^= UInt8(1 << (generator.next() % 8))
            try data.write(to: file)
            await expectDamaged(store, "byte \(offset)")
        }
        try intact.write(to: file)
        #expect(try await store.undo().removed == 3)
        try await store.close()
    }

    @Test func `a missing record or part of one is detected`() async throws {
        let folder = try TemporaryFolder()
        let (store, file) = try await store(in: folder.url)
        let intact = try Data(contentsOf: file)
        for length in stride(from: 0, to: intact.count, by: 17) {
            try intact.prefix(length).write(to: file)
            await expectDamaged(store, "\(length) bytes")
        }
        try FileManager.default.removeItem(at: file)
        await expectDamaged(store, "no file")
        try await store.close()
    }

    @Test func `a record that cannot be read is not reported as missing`() async throws {
        let folder = try TemporaryFolder()
        let (store, file) = try await store(in: folder.url)
        let records = file.deletingLastPathComponent()
        try FileManager.default.removeItem(at: records)
        var error = await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(error?.code == .nothingToUndo)
        try Data().write(to: records)
        error = await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(error?.code == .noInput && error?.message.contains("Not a directory") == true)
        try await store.close()
    }
}
