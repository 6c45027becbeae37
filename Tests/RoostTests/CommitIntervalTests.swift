import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of the size of the commits of an ingest with a slow model.
@Suite struct CommitIntervalTests {
    /// An embedder that needs a millisecond for 20 bytes, and is interrupted by its third call.
    private final class SlowEmbedder: Embedder {
        private let base = LexicalEmbedder()
        let lengths = Mutex<[Int]>([])
        let maximumTokens: Int? = nil
        var space: EmbeddingSpace { base.space }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            let length = texts.reduce(0) { $0 + $1.utf8.count }
            let count = lengths.withLock { lengths in
                if length > 0 { lengths.append(length) }
                return lengths.count
            }
            guard count < 3 else { throw CancellationError() }
            try await Task.sleep(for: .milliseconds(length / 20))
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    @Test func `a slow model embeds few texts per commit, and an interruption keeps them`() async throws {
        let embedder = SlowEmbedder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        let sources = (0..<64).map { number in
            SourceDraft(
                id: "\(number)", fingerprint: "1",
                entries: [
                    EntryDraft(key: "k", content: "\(number) " + String(repeating: "swift ", count: 300))
                ])
        }
        let written = Mutex(0)
        let options = IngestOptions { progress in written.withLock { $0 = progress.written } }
        await #expect(throws: CancellationError.self) { try await store.ingest(sources, options) }
        let lengths = embedder.lengths.withLock(\.self)
        #expect(lengths.allSatisfy { $0 < 40_000 }, "\(lengths)")
        let count = try await store.storage.snapshot().stamp.entryCount
        #expect(count > 0 && count < 64)
        #expect(written.withLock(\.self) == count)
        // Each entry has the record of its source.
        #expect(try await store.storage.snapshot().sources().count == count)
    }
}
