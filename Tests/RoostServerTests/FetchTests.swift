import Foundation
import Roost
import Testing

@testable import RoostServer

/// Tests of the addresses and lines of the tool `fetch`.
struct FetchTests {
    /// Ingests a file with one entry, and a file with two.
    private func fill(_ harness: MCPHarness) async throws {
        let text = (1...40).map { "line \($0)" }.joined(separator: "\n")
        var whole = EntryDraft(key: EntryID.wholeFileKey, content: text)
        whole.sourceLocation = EntryLocation(line: 1)
        let rows = ["one", "two"].map { (name: String) in EntryDraft(key: name, content: "row \(name)") }
        try await harness.store.ingest([
            SourceDraft(id: "file:///notes/long.md", fingerprint: "1", entries: [whole]),
            SourceDraft(id: "file:///notes/rows.csv", fingerprint: "1", entries: rows),
        ])
    }

    private func message(_ harness: MCPHarness, _ arguments: JSONValue) async -> String {
        let answer = await harness.request("tools/call", ["name": "fetch", "arguments": arguments])
        #expect(answer["result"]?["isError"] == true, "\(answer)")
        return answer["result"]?["content"]?.elements?.first?["text"]?.string ?? ""
    }

    @Test func `a file with one entry is fetched by its address, from a line`() async throws {
        let harness = MCPHarness()
        try await fill(harness)
        let whole = await harness.call("fetch", ["id": "file:///notes/long.md"])
        #expect(whole["text"]?.string?.hasPrefix("line 1\n") == true && whole["line"] == 1)
        // The entry is in no cluster.
        #expect(whole["cluster"] == nil)
        let part = await harness.call("fetch", ["id": "/notes/long.md", "line": 39])
        #expect(part["text"] == "line 39\nline 40" && part["line"] == 39)
        #expect(await message(harness, ["id": "/notes/long.md", "line": 41]).contains("no line 41"))
        #expect(await message(harness, ["id": "/notes/long.md", "line": 2, "offset": 1]).contains("either"))
        #expect(await message(harness, ["id": "/notes/rows.csv"]).contains("several entries"))
        #expect(await message(harness, ["id": "/notes/none.md"]).contains("no entry is from"))
        #expect(await message(harness, ["id": "none"]).contains("not a complete id"))
    }

    @Test func `a page is fetched by any form of its address`() async throws {
        let harness = MCPHarness()
        let page = EntryDraft(key: EntryID.wholeFileKey, content: "a swift")
        try await harness.store.ingest([
            SourceDraft(id: "https://example.com/Birds", fingerprint: "1", entries: [page])
        ])
        for address in ["https://example.com/Birds", "HTTPS://Example.com/Birds#swifts"] {
            let fetched = await harness.call("fetch", ["id": .string(address)])
            #expect(fetched["text"] == "a swift", "\(address)")
        }
    }

    @Test func `a hidden entry of a file is reported as missing`() async throws {
        let harness = MCPHarness()
        try await fill(harness)
        var rules = AccessRules()
        rules.tags = ["work"]
        let limited = MCPHarness(rules, store: harness.store)
        let (hidden, missing) = (
            await message(limited, ["id": "/notes/long.md"]), await message(limited, ["id": "/notes/none.md"])
        )
        #expect(hidden.replacing("long", with: "none") == missing)
    }
}
