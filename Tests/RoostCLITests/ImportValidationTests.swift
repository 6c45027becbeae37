import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests that imports refuse everything that the inspection of a store would report, or that would later make
/// the process crash.
@Suite(.temporaryFolders) struct ImportValidationTests {
    private let cli = CommandLineDriver()
    private static let id = "8a3f1e52-0000-4000-8000-000000000001"

    /// Returns an archive of one entry with vectors in the space of the lexical embedder.
    private static func archive(_ content: String, passages: String, more: String = "") throws -> Data {
        let space = String(
            decoding: try JSONEncoder().encode(LexicalEmbedder(dimension: 16).space), as: UTF8.self)
        let vector = "[1" + String(repeating: ",0", count: 15) + "]"
        return Data(
            """
            {"schemaVersion":1,"space":\(space)}
            {"id":"\(id)","content":"\(content)","embeddings":\(vector),"passages":\(passages)\(more)}

            """.utf8)
    }

    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
    }

    static let invalid: [(content: String, passages: String, more: String)] = [
        // The bytes of "ü" are 2 and 3.
        ("Grüße", "[{\"range\":[0,3],\"tokens\":1}]", ""), ("Grüße", "[{\"range\":[3,7],\"tokens\":1}]", ""),
        ("one", "[{\"range\":[0,4],\"tokens\":1}]", ""), ("one", "[{\"range\":[-1,2],\"tokens\":1}]", ""),
        ("one", "[{\"range\":[2,1],\"tokens\":1}]", ""), ("one", "[{\"range\":[0,3],\"tokens\":-1}]", ""),
        ("one", "[{\"range\":[0,3],\"tokens\":2147483648}]", ""),
        ("one", "[{\"range\":[0,3],\"tokens\":9223372036854775807}]", ""),
        ("one", "[{\"range\":[-9223372036854775808,9223372036854775807],\"tokens\":1}]", ""),
        ("one", "[]", ",\"location\":{\"line\":9223372036854775807}"),
        ("one", "[]", ",\"location\":{\"line\":0}"),
    ]

    @Test(arguments: invalid.indices)
    func `an invalid entry is refused, and nothing is imported`(index: Int) async throws {
        let (content, passages, more) = Self.invalid[index]
        let store = store()
        let data = try Self.archive(content, passages: passages, more: more)
        let error = await #expect(throws: RoostError.self) {
            try await store.importEntries(data, name: "archive")
        }
        #expect(error?.code == .badInput && error?.message.contains("nothing was imported") == true)
        #expect(try await store.storage.snapshot().stamp.entryCount == 0)
    }

    @Test func `an entry that was imported is consistent for the inspection`() async throws {
        let store = store()
        let passages = "[{\"range\":[0,2],\"tokens\":1},{\"range\":[2,4],\"tokens\":2147483647}]"
        let data = try Self.archive("Grüße", passages: passages, more: ",\"location\":{\"line\":2147483647}")
        #expect(try await store.importEntries(data, name: "archive").new == 1)
        let snapshot = try await store.storage.snapshot()
        #expect(try await snapshot.inspectContents(space: store.embedder.space).isEmpty)
    }

    @Test func `token counts are limited, so that their sums cannot overflow`() {
        var passage = Passage(ordinal: 0, utf8Range: 0..<1, tokenCount: .max, vector: [])
        #expect(passage.tokenCount == Int(Int32.max))
        passage.tokenCount = .min
        #expect(passage.tokenCount == 0)
    }

    /// An embedder that reports impossible numbers of tokens.
    private struct Boastful: Embedder {
        let inner = LexicalEmbedder(dimension: 16)
        var space: EmbeddingSpace { inner.space }
        var maximumTokens: Int? { nil }
        func tokenRanges(in text: String) -> [Range<Int>] { inner.tokenRanges(in: text) }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            var result = try await inner.embed(texts, as: role)
            result.tokenCounts = texts.map { _ in .max }
            result.omittedTokens = texts.map { _ in .max }
            return result
        }
    }

    @Test func `impossible numbers of tokens from an embedder do not end the process`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: Boastful())
        let draft = SourceDraft(
            id: "s", fingerprint: "1", entries: (0..<3).map { EntryDraft(content: "text \($0)") })
        let report = try await store.ingest([draft])
        #expect(report.new == 3 && report.tokens > 0)
    }
}
