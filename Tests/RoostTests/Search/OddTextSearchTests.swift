import Foundation
import Roost
import TestSupport
import Testing

/// Texts and queries that no person would write: a result or a clear error in bounded time.
@Suite(.temporaryFolders) struct OddTextSearchTests {
    /// `ingest/blns/blns.txt` in the folder that the environment variable `ROOST_EVAL` names: strings that
    /// often cause errors, one per line.
    private static let naughtyStrings: URL? = ProcessInfo.processInfo.environment["ROOST_EVAL"]
        .map { URL(fileURLWithPath: $0).appendingPathComponent("ingest/blns/blns.txt") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    private func store(_ texts: [String]) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(
            in: TemporaryFolder.unusedURL(), provider: .json, embedder: LexicalEmbedder())
        let drafts = texts.enumerated().map { EntryDraft(key: "\($0)", content: $1) }
        _ = try await store.ingest([SourceDraft(id: "odd", fingerprint: "1", entries: drafts)])
        return store
    }

    private func result(_ query: String, in store: KnowledgeStore, _ mode: SearchMode) async throws
        -> QueryResult?
    {
        var search = EntrySearch(query, limit: 1000)
        search.mode = mode
        do {
            return try await store.search(search)
        } catch let error as RoostError {
            #expect(error.code == .badInput && !error.message.isEmpty, "\(query.debugDescription)")
            return nil
        }
    }

    @Test(
        .enabled(
            if: naughtyStrings != nil, "no ingest/blns/blns.txt in the folder that ROOST_EVAL names"))
    func `every line of the list of naughty strings is a text and a query`() async throws {
        let file = try #require(Self.naughtyStrings)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.allSatisfy(\.isWhitespace) }
        let store = try await store(Array(Set(lines)).sorted())
        let count = try await store.storage.snapshot().stamp.entryCount
        #expect(count > 400)
        for line in lines {
            guard let result = try await result(line, in: store, .text) else { continue }
            #expect(result.hits.count < count, "\(line.debugDescription) finds all entries")
            for hit in result.hits {
                let snippet = result.snippet(of: hit)
                #expect(snippet.utf8Range.upperBound <= hit.entry.content.utf8.count)
            }
        }
    }

    private static let oddTexts: [String] = [
        String(repeating: "a", count: 1 << 20), String(repeating: "知", count: 1 << 18),
        String(repeating: "a.", count: 1 << 19), String(repeating: "aB", count: 1 << 19),
        String(repeating: "\u{301}", count: 1 << 17), "x" + String(repeating: "\u{301}", count: 1 << 17),
        String(repeating: "👩\u{200D}", count: 1 << 15), String(repeating: "🇩", count: 1 << 16),
        String(repeating: "-", count: 1 << 20), String(repeating: "'", count: 1 << 20),
        String(repeating: "l'", count: 1 << 18),
        String(decoding: (0..<(1 << 18)).map { _ in UInt8.random(in: 0...255) }, as: UTF8.self),
    ]

    @Test(arguments: oddTexts.indices)
    func `a long text without spaces is indexed and searched in bounded time`(index: Int) async throws {
        let text = Self.oddTexts[index]
        let start = ContinuousClock.now
        let store = try await store([text, "an ordinary note"])
        for query in [String(text.prefix(100)), String(text.prefix(100_000)), "ordinary"] {
            _ = try await result(query, in: store, .text)
        }
        let hits = try await result("ordinary note", in: store, .text)?.hits
        #expect(hits?.first?.entry.content == "an ordinary note")
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `marks and invalid sequences alone are no words`() async throws {
        let store = try await store([
            "a note", "\u{301}\u{301} \u{94D}", "\u{FFFD}\u{FFFD} \u{200D}", "another",
        ])
        for query in ["\u{301}", "\u{FFFD}", "\u{200D}\u{FE0F}", "\u{AD}"] {
            let hits = try await result(query, in: store, .text)?.hits ?? []
            #expect(hits.isEmpty, "\(query.debugDescription)")
        }
    }
}
