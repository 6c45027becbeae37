import Roost
import Synchronization
import Testing

@Suite struct SourceRemovalTests {
    /// Runs a closure before the first commit, as another writer that is faster would.
    private final class Overtaken: StorageDecorator {
        let base: InMemoryStorageProvider
        private let write: Mutex<(@Sendable () async throws -> Void)?>

        init(base: InMemoryStorageProvider, by write: @escaping @Sendable () async throws -> Void) {
            self.base = base
            self.write = Mutex(write)
        }

        func commit(_ batch: WriteBatch) async throws -> Revision {
            let first = write.withLock { write in
                defer { write = nil }
                return write
            }
            try await first?()
            return try await base.commit(batch)
        }
    }

    private func draft(_ texts: [String]) -> SourceDraft {
        SourceDraft(
            id: "s", fingerprint: "\(texts.count)", entries: texts.map { EntryDraft(content: $0) })
    }

    @Test func `entries that are added during the removal of their source are removed`() async throws {
        let storage = InMemoryStorageProvider()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        try await store.ingest([draft(["a bird"])])
        let more = draft(["a bird", "a boat"])
        let overtaken = Overtaken(base: storage) { _ = try await store.ingest([more]) }
        let remover = KnowledgeStore(storage: overtaken, embedder: LexicalEmbedder())
        #expect(try await remover.removeSource("s") == 2)
        #expect(try await storage.fetchEntries().isEmpty)
        #expect(try await remover.removeSource("s") == nil)
    }
}
