import Roost
import RoostModel
import Synchronization
import Testing

@testable import RoostServer

/// Tests of the number of texts that a call embeds, which takes most of its time.
struct EmbeddingCountTests {
    private final class CountingEmbedder: Embedder {
        private let base = LexicalEmbedder()
        private let documents = Mutex<[String]>([])

        var texts: [String] { documents.withLock(\.self) }
        var space: EmbeddingSpace { base.space }
        var maximumTokens: Int? { base.maximumTokens }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            if role == .document { documents.withLock { $0 += texts } }
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    @Test(arguments: [[], ["work"]]) func `a text is embedded once`(tags: [String]) async throws {
        let embedder = CountingEmbedder()
        var rules = AccessRules()
        rules.tags = Set(tags)
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        let harness = MCPHarness(rules, store: store)
        _ = await harness.call("remember", ["text": "the bread rises"])
        // Texts that are equal as strings can have different bytes.
        for text in ["a heron at the caf\u{E9}", "a heron at the cafe\u{301}"] {
            let stored = await harness.call("remember", ["text": .string(text)])
            #expect(stored["stored"] != nil, "\(stored)")
            let count = embedder.texts.count { $0.unicodeScalars.elementsEqual(text.unicodeScalars) }
            #expect(count == 1, "\(text)")
        }
        #expect(embedder.texts.count { $0 == "the bread rises" } == 1)
    }
}
