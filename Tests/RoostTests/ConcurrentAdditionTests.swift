import Roost
import RoostModel
import Synchronization
import Testing

/// Tests of texts that two writers add at the same time.
struct ConcurrentAdditionTests {
    /// An embedder that calls a function before it embeds the next texts.
    private final class InterruptedEmbedder: Embedder {
        typealias Interruption = @Sendable () async throws -> Void

        private let base = LexicalEmbedder()
        private let interruption = Mutex<Interruption?>(nil)

        var space: EmbeddingSpace { base.space }
        var maximumTokens: Int? { base.maximumTokens }

        func interrupt(with interruption: @escaping Interruption) {
            self.interruption.withLock { $0 = interruption }
        }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            if !texts.isEmpty {
                let interruption = interruption.withLock { interruption in
                    defer { interruption = nil }
                    return interruption
                }
                try await interruption?()
            }
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    private let storage = InMemoryStorageProvider()
    private let embedder = InterruptedEmbedder()
    private var store: KnowledgeStore { KnowledgeStore(storage: storage, embedder: embedder) }
    private var other: KnowledgeStore { KnowledgeStore(storage: storage, embedder: embedder) }

    @Test func `only one of two writers adds an equal text, and no metadata are lost`() async throws {
        let other = other
        embedder.interrupt {
            let first = try await other.add("a heron", tags: ["pond"], metadata: ["a": 1, "c": 1])
            #expect(first.isNew)
        }
        let second = try await store.add("a heron", tags: ["bird"], metadata: ["b": 2, "c": 2])
        #expect(!second.isNew && second.isUpdated)
        let entries = try await storage.fetchEntries()
        #expect(entries.map(\.id) == [second.id])
        #expect(entries.first?.metadata == ["a": 1, "b": 2, "c": 2])
        #expect(entries.first.map { Set($0.tags) } == ["bird", "pond"])
    }

    @Test func `a text that another writer has added in the same form is not written again`() async throws {
        let other = other
        embedder.interrupt { _ = try await other.add("a heron", tags: ["bird"], metadata: ["a": 1]) }
        let second = try await store.add("a heron", tags: ["bird"], metadata: ["a": 1])
        #expect(!second.isNew && !second.isUpdated)
        #expect(try await storage.snapshot().stamp.revision.rawValue == 1)
    }

    @Test func `a source replaces the metadata that another writer has set`() async throws {
        let draft = EntryDraft(key: "k", content: "a heron", metadata: ["a": 1])
        func source(_ draft: EntryDraft, _ fingerprint: String) -> SourceDraft {
            SourceDraft(id: "s", fingerprint: fingerprint, entries: [draft])
        }
        let other = other
        var changed = draft
        changed.metadata = ["b": 2]
        let earlier = source(changed, "1")
        embedder.interrupt { _ = try await other.ingest([earlier]) }
        let report = try await store.ingest([source(draft, "2")])
        #expect(report.new == 0 && report.updated == 1)
        #expect(try await storage.fetchEntries().first?.metadata == ["a": 1])
    }
}
