import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of texts and recalls that are returned in parts.
struct PageTests {
    private func remembering(_ count: Int, on day: String) async -> MCPHarness {
        let harness = MCPHarness()
        for start in stride(from: 0, to: count, by: 40) {
            let messages = (start..<min(count, start + 40)).map { number -> JSONValue in
                [
                    "role": "user", "content": .string("we painted boat number \(number)"),
                    "timestamp": .string("\(day)T10:\(number / 40 + 10):\(number % 40 + 10)Z"),
                ]
            }
            _ = await harness.call("remember_messages", ["messages": .array(messages)])
        }
        return harness
    }

    @Test(
        arguments: [
            ["query": "what happened on 2 November 2026?", "limit": 50, "context": 0],
            ["query": "what happened on 2 November 2026?", "limit": 20, "context": 1],
        ] as [JSONValue])
    func `the pages of a recall are disjoint and complete`(arguments: JSONValue) async throws {
        let harness = await remembering(120, on: "2026-11-02")
        var arguments = try #require(arguments.members)
        var (texts, pages) = ([JSONValue](), 0)
        while true {
            let page = await harness.call("recall", .object(arguments))
            let messages = try #require(page["messages"]?.elements, "\(page)")
            #expect(!messages.isEmpty)
            texts += messages.compactMap { $0["message"]?["id"] }
            pages += 1
            guard let cursor = page["nextCursor"], pages < 200 else { break }
            arguments["cursor"] = cursor
        }
        #expect(pages >= 3)
        #expect(texts.count == 120 && Set(texts).count == 120)
    }

    @Test func `a search whose last page is full has no empty page after it`() async throws {
        let harness = MCPHarness()
        for number in 0..<6 { try await harness.store.add("a boat with the number \(number)") }
        var arguments: [String: JSONValue] = ["query": "boat number", "limit": 3]
        let first = await harness.call("search", .object(arguments))
        #expect(first["results"]?.elements?.count == 3)
        let cursor = try #require(first["nextCursor"])
        arguments["cursor"] = cursor
        let last = await harness.call("search", .object(arguments))
        #expect(last["results"]?.elements?.count == 3)
        #expect(last["nextCursor"] == nil)
        let ids = [first, last].flatMap { $0["results"]?.elements ?? [] }.compactMap { $0["id"] }
        #expect(Set(ids).count == 6)
    }

    @Test func `a search without a query lists the entries, newest first`() async throws {
        let harness = MCPHarness()
        #expect(await harness.call("search")["notices"] == ["the store has no entries"])
        for number in 0..<7 {
            try await harness.store.add("boat \(number)", tags: number % 2 == 0 ? ["even"] : [])
        }
        func titles(_ arguments: JSONValue) async -> [String] {
            (await harness.call("search", arguments)["results"]?.elements ?? []).compactMap {
                $0["title"]?.string
            }
        }
        let newest = (0..<7).reversed().map { "boat \($0)" }
        #expect(await titles([:]) == newest)
        let even = ["boat 6", "boat 4", "boat 2", "boat 0"]
        #expect(await titles(["query": " * ", "tags": ["even"]]) == even)
        var arguments: [String: JSONValue] = ["limit": 4]
        let first = await harness.call("search", .object(arguments))
        #expect(first["notices"] == ["7 entries match; they are listed newest first"])
        #expect(first["results"]?.elements?.first?["snippet"] == "boat 6")
        #expect(await harness.call("search", .object(arguments))["nextCursor"] == first["nextCursor"])
        let cursor = try #require(first["nextCursor"])
        arguments["cursor"] = cursor
        let last = await harness.call("search", .object(arguments))
        #expect(last["results"]?.elements?.count == 3 && last["nextCursor"] == nil)
        #expect(last["notices"] == nil)
        let none = await harness.call("search", ["tags": ["odd"]])
        #expect(none["results"] == [] && none["notices"] == ["no entry matches the filter"])
        let old = await harness.call("search", ["until": "2001"])
        #expect(old["notices"] == ["no entry matches the filter"])
    }

    @Test func `the cursor of a recall belongs to one revision and one query`() async throws {
        let harness = await remembering(20, on: "2026-11-02")
        let query: JSONValue = "what happened on 2 November 2026?"
        let arguments: [String: JSONValue] = ["query": query, "limit": 5]
        let page = await harness.call("recall", .object(arguments))
        let cursor = try #require(page["nextCursor"])
        let other = await harness.call("recall", ["query": "boats", "cursor": cursor])
        #expect(other.string?.contains("different parameters") == true)
        // A search with the same arguments has other results.
        let search = await harness.call("search", .object(arguments.merging(["cursor": cursor]) { $1 }))
        #expect(search.string?.contains("different parameters") == true)
        try await harness.store.add("one more")
        let outdated = await harness.call("recall", .object(arguments.merging(["cursor": cursor]) { $1 }))
        #expect(outdated.string?.contains("has changed") == true)
    }

    @Test func `a part of a text is not mixed with another text`() async throws {
        let harness = MCPHarness()
        let text = (0..<2_000).map { "line \($0)" }.joined(separator: "\n")
        let id = try #require(await harness.call("remember", ["text": .string(text)])["id"])
        let first = await harness.call("fetch", ["id": id, "budget": 500])
        let (offset, version) = (try #require(first["nextOffset"]), try #require(first["version"]))
        let next: JSONValue = ["id": id, "offset": offset, "version": version, "budget": 500]
        // Tags are no part of the text.
        _ = await harness.call("update", ["id": id, "addTags": ["long"]])
        #expect(await harness.call("fetch", next)["version"] == version)
        _ = await harness.call("update", ["id": id, "text": .string("new\n" + text)])
        #expect(await harness.call("fetch", next).string?.contains("has changed") == true)
        let again = await harness.call("fetch", ["id": id, "offset": offset, "budget": 500])
        #expect(again["version"] != version && again["text"] != nil)
        // A text that fits has no version.
        let short = try #require(await harness.call("remember", ["text": "short"])["id"])
        #expect(await harness.call("fetch", ["id": short])["version"] == nil)
    }
}
