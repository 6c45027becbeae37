import FakeServer
import Foundation
import RoostModel
import RoostVectors
import Testing

@testable import RoostRemote

/// Tests with servers that truncate texts, with and without correct token counts.
extension RemoteEmbedderTests {
    /// Returns the responses of a server that reads at most `limit` words of each text and reports the number
    /// of words that it read, as Ollama does.
    static func truncating(_ limit: Int) -> FakeServer.Respond {
        { request, _ in
            let read = request.inputs.map { $0.split(separator: " ").prefix(limit).joined(separator: " ") }
            return body(read, tokens: read.reduce(0) { $0 + $1.split(separator: " ").count })
        }
    }

    @Test func `a text that the server truncates silently is embedded in parts`() async throws {
        let long = (0..<300).map { "word\($0)" }.joined(separator: " ")
        // Mixes one long text with many short ones. The total number of tokens would hide the truncation.
        let mixed = Array(texts.prefix(30)) + [long] + Array(texts.dropFirst(30))
        let (result, embedder, server) = try await check(mixed, respond: Self.truncating(100))
        #expect(result.omittedTokens.allSatisfy { $0 == 0 } && result.tokenCounts[30] == 300)
        #expect(embedder.statistics.truncatedTexts >= 1 && embedder.statistics.splitTexts == 3)
        let others = mixed.indices.filter { $0 != 30 }
        expectExact(
            Embeddings(
                vectors: result.vectors.selecting(others), tokenCounts: others, omittedTokens: others),
            others.map { mixed[$0] })
        // The server has read every word of the long text.
        let read = server.requests.flatMap(\.inputs).filter { $0.split(separator: " ").count <= 100 }
        let words = Set(read.flatMap { $0.split(separator: " ") })
        #expect((0..<300).allSatisfy { words.contains("word\($0)") })
        // After the first text has been checked, the second is known to be too long.
        let (_, known, second) = try await check(
            [long, long],
            {
                $0.batchSize = 1
                $0.concurrency = 1
            }, respond: Self.truncating(100))
        #expect(known.statistics.truncatedTexts <= 3 && second.requests.count <= 20)
    }

    /// Realistic context windows and texts, including texts with more tokens than words and texts without
    /// spaces.
    @Test(arguments: [
        // German compounds have about two tokens per word; 200 English words would fit in this window.
        (String(repeating: "Dachziegelreinigung ", count: 200), 256, 2.0),
        (String(repeating: "屋根の上の鳥が鳴く。", count: 60), 256, 1.0),
        (String(repeating: "นกบนหลังคา", count: 60), 256, 0.3),
        // A single very long word.
        (String(repeating: "aGVsbG8gd29ybGQh", count: 200), 512, 1.0),
    ]) func `truncation is detected in any language, and complete texts are not split`(
        text: String, window: Int, rate: Double
    ) async throws {
        @Sendable func count(_ text: String) -> Int {
            let units = text.contains(" ") ? text.split(separator: " ").count : text.unicodeScalars.count
            return Int((Double(units) * rate).rounded(.up)) + 2
        }
        let (_, truncating, _) = try await check([text]) { request, _ in
            Self.body(request.inputs, tokens: request.inputs.reduce(0) { $0 + min(window, count($1)) })
        }
        let exceeds = count(text) > window
        #expect((truncating.statistics.truncatedTexts > 0) == exceeds)
        let (_, complete, server) = try await check([text]) { request, _ in
            Self.body(request.inputs, tokens: request.inputs.reduce(0) { $0 + count($1) })
        }
        #expect(complete.statistics.truncatedTexts == 0 && complete.statistics.splitTexts == 0)
        #expect(server.requests.count <= 3)
    }

    @Test func `the estimated size counts words, punctuation and ideographs`() {
        #expect(ReadingCheck.size("two words") == 2 && ReadingCheck.size(" \n ") == 0)
        #expect(ReadingCheck.size("屋根の上の鳥") == 6 && ReadingCheck.size("f(x) = 3;") == 7)
        #expect(ReadingCheck.size(String(repeating: "a", count: 600)) == 100)
    }

    @Test(arguments: [Int.max, 1 << 62, -5]) func `an implausible token count is ignored`(tokens: Int)
        async throws
    {
        let long = (0..<300).map { "word\($0)" }.joined(separator: " ")
        let (result, embedder, _) = try await check([long, "short"]) { request, _ in
            Self.body(request.inputs, tokens: tokens)
        }
        expectExact(result, [long, "short"])
        #expect(embedder.statistics.splitTexts == 0)
    }

    @Test(arguments: [0, 1]) func `meaningless token counts cause no further requests`(tokens: Int)
        async throws
    {
        let long = (0..<300).map { "word\($0)" }.joined(separator: " ")
        let (result, embedder, server) = try await check(texts + [long]) { request, _ in
            Self.body(request.inputs, tokens: tokens)
        }
        expectExact(result, texts + [long])
        #expect(server.requests.count == 4 && embedder.statistics.truncatedTexts == 0)
        #expect(result.tokenCounts[0] == 3)
    }
}
