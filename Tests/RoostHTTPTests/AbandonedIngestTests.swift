import Foundation
import Roost
import RoostModel
import Synchronization
import Testing

@testable import RoostHTTP

struct AbandonedIngestTests {
    /// An embedder that takes forever for one text.
    private final class EndlessEmbedder: Embedder {
        private let base = LexicalEmbedder()
        let hasBegun = Mutex(false)
        let isCanceled = Mutex(false)
        let maximumTokens: Int? = nil
        var space: EmbeddingSpace { base.space }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            guard texts.contains("endless") else { return try await base.embed(texts, as: role) }
            hasBegun.withLock { $0 = true }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                isCanceled.withLock { $0 = true }
                throw error
            }
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    private static func wait(for condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(1200)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `an ingest is canceled when the client disconnects, and keeps the steps before`() async throws
    {
        let embedder = EndlessEmbedder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        try await HTTPHarness.run(store: store) { harness in
            let lines = (0..<256).map { "{\"content\":\"note \($0)\"}\n" } + ["{\"content\":\"endless\"}\n"]
            let body = lines.joined()
            var connection: RawConnection? = try RawConnection(port: harness.port)
            try await connection?.write(
                "POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                    + "Authorization: Bearer \(HTTPHarness.token)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let progress = try await connection?.read(until: "\"updated\":0}")
            #expect(progress?.contains("\"lines\":256") == true)
            try await Self.wait { embedder.hasBegun.withLock { $0 } }
            connection = nil
            try await Self.wait { embedder.isCanceled.withLock { $0 } }
            #expect(try await harness.store.count() == 256)
        }
    }
}
