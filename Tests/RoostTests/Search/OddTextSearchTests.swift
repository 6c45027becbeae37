import Foundation
import Roost
import TestSupport
import Testing

/// Tests that texts and queries that no person would write lead to a result or a clear error in bounded time.
@Suite(.temporaryFolders) struct OddTextSearchTests {
    /// `ingest/blns/blns.txt` in the folder that the environment variable `ROOST_EVAL` names: strings that
    /// often cause errors, one per line.
    private static let naughtyStrings: URL? = ProcessInfo.processInfo.environment["ROOST_EVAL"]
        .map { URL(fileURLWithPath: $0).appendingPathComponent("ingest/blns/blns.txt") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    private func store(_ texts: [String]) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(
            at: TemporaryFolder.unusedURL(), provider: .json, embedder: LexicalEmbedder())
        let drafts = texts.enumerated().map { EntryDraft(key: "\($0)", content: $1) }
        _ = try await store.ingest([SourceDraft(id: "odd", fingerprint: "1", entries: drafts)])
        return store
    }

    private func result(_ query: String, in store: KnowledgeStore, _ mode: SearchMode) async throws
        -> QueryResult?
    {
        var search = EntrySearch(query, limit: 20)
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
            for hit in result.hits.prefix(2) {
                let snippet = result.snippet(of: hit)
                #expect(snippet.utf8Range.upperBound <= hit.entry.content.utf8.count)
            }
        }
    }

    @Test(arguments: ["aB", "a.", "知", "e\u{301}", "👩\u{200D}", "l'", "-", "🇩"])
    func `a long text without spaces is a text and a query`(unit: String) async throws {
        let text = String(repeating: unit, count: 4000)
        let store = try await store([text, "an ordinary note"])
        for query in [String(text.prefix(100)), text] { _ = try await result(query, in: store, .hybrid) }
        let hits = try await result("ordinary note", in: store, .text)?.hits
        #expect(hits?.first?.entry.content == "an ordinary note")
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
