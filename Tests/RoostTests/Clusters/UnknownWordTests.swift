import Roost
import RoostTestKit
import Testing

@Suite struct UnknownWordTests {
    @Test func `a run over texts without words that the model knows names the model`() async throws {
        let storage = InMemoryStorageProvider()
        var entry = Entry(id: EntryID.derived(source: "s", key: "k"), content: "...")
        entry.embeddings = [Float](repeating: 0, count: 24)
        _ = try await storage.commit(WriteBatch(upserts: [entry]))
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let error = await #expect(throws: ClusteringError.self) { try await store.recluster() }
        #expect(error?.code == .noVectors)
        #expect(error?.message.contains("the model lexical knows") == true, "\(error?.message ?? "")")
    }
}
