import Foundation
import Roost
import RoostConversations
import RoostModel
import Testing

@testable import RoostServer

struct ToolTests {
    // MARK: Searching and reading

    @Test func `a remembered text is found and read`() async throws {
        let harness = MCPHarness()
        let stored = await harness.call(
            "remember",
            ["text": "The swift is back above the roof.", "title": "Birds", "tags": ["nature"]])
        let id = try #require(stored["id"]?.string)
        #expect(stored["stored"] == true)
        let found = await harness.call("search", ["query": "swift above the roof"])
        let first = try #require(found["results"]?.elements?.first)
        #expect(first["id"]?.string == id)
        #expect(first["title"] == "Birds")
        #expect(first["url"] == .string("roost://entry/\(id)"))
        let entry = await harness.call("fetch", ["id": .string(id)])
        #expect(entry["text"] == "The swift is back above the roof.")
        #expect(entry["tags"] == ["nature"])
        let time = try #require(first["updatedAt"])
        #expect(entry["updatedAt"] == time)
    }

    @Test func `the text of a result holds the same data as the structured content`() async throws {
        let harness = MCPHarness()
        _ = await harness.call("remember", ["text": "A \"quoted\" text\nwith lines and \u{1b}[31m."])
        let response = await harness.request(
            "tools/call", ["name": "search", "arguments": ["query": "quoted text"]])
        let text = try #require(response["result"]?["content"]?.elements?.first?["text"]?.string)
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(value == response["result"]?["structuredContent"])
    }

    @Test func `a long text is fetched in parts that together are the text`() async throws {
        let harness = MCPHarness()
        let text = (0..<3_000).map { "Zeile \($0) über 🐦 \"Vögel\"" }.joined(separator: "\n")
        let id = try #require(await harness.call("remember", ["text": .string(text)])["id"])
        var parts = ""
        var offset: JSONValue = 0
        var count = 0
        while true {
            let part = await harness.call("fetch", ["id": id, "offset": offset, "budget": 2_000])
            #expect(part.serialized().count <= 2_000 * 3 + 100)
            parts += try #require(part["text"]?.string)
            count += 1
            guard let next = part["nextOffset"] else { break }
            offset = next
        }
        #expect(count > 10)
        #expect(parts == text)
    }

    // MARK: Arguments

    @Test func `unknown arguments are refused by name`() async {
        let message = await MCPHarness().call("search", ["query": "x", "querry": "y", "limt": 3])
        #expect(message.string?.contains("'limt', 'querry'") == true)
        let nested: JSONValue = ["messages": [["role": "user", "content": "x", "text": "y"]]]
        #expect(await MCPHarness().call("remember_messages", nested).string?.contains("'text'") == true)
    }

    @Test(
        arguments: [
            (["query": 5], "must be a string"), (["query": "x", "limit": 0], "from 1 to 1000"),
            (["query": "x", "limit": 2.5], "must be a whole number"),
            (["query": "x", "limit": "five"], "must be a whole number, not a string"),
            (["query": "x", "tags": "a, b"], "must be an array of strings, not a string"),
            (["query": "x", "tags": [1]], "arguments.tags[0] must be a string, not a number"),
            (["query": "x", "where": ["status": "done"]], "must be an array of strings, not an object"),
            (["query": "x", "where": ["nonsense"]], "'where' takes"),
            (["query": "x", "where": ["created>=soon"]], "not with 'soon'"),
            (["query": "x", "where": ["status==done"]], "'where' takes"),
            (["query": "x", "since": "soon"], "must be a time"),
            (["query": "x", "cluster": "birds"], "no clusters"),
        ] as [(JSONValue, String)])
    func `invalid arguments are explained`(arguments: JSONValue, expected: String) async throws {
        let harness = MCPHarness()
        try await harness.store.add("a note")
        let message = await harness.call("search", arguments)
        #expect(message.string?.contains(expected) == true, "\(message)")
    }

    @Test func `texts that stand for numbers, flags and arrays are accepted, and so is null`() async throws {
        let harness = MCPHarness()
        for number in 0..<3 { try await harness.store.add("a swift, note \(number)", tags: ["birds"]) }
        let arguments: JSONValue = [
            "query": "swift", "limit": "2", "tags": "birds", "where": "[\"tag!=draft\"]", "cluster": nil,
        ]
        #expect(await harness.call("search", arguments)["results"]?.elements?.count == 2)
        let ids = await harness.call("search", arguments)["results"]?.elements?.compactMap { $0["id"] } ?? []
        let removed = await harness.call("forget", ["ids": .array(ids), "confirm": "true"])
        #expect(removed["removed"] == 2)
        let message: JSONValue = ["role": "user", "content": "the swift is back", "name": nil]
        #expect(await harness.call("remember_messages", ["messages": [message]])["new"] == 1)
    }

    /// The names, descriptions and inputs of the tools stay in the context of a model. English and JSON have more than
    /// three bytes per token.
    @Test func `there are at most eight tools, which need at most 1,500 tokens`() async throws {
        let tools = try #require(await MCPHarness().request("tools/list")["result"]?["tools"]?.elements)
        #expect((6...8).contains(tools.count))
        let sizes = tools.map { tool in
            ["name", "description", "inputSchema"].reduce(0) { $0 + (tool[$1]?.serialized().count ?? 0) }
        }
        #expect(sizes.reduce(0, +) <= 1_500 * 3, "\(sizes)")
    }

    // MARK: Writing

    @Test func `metadata with too many keys are refused`() async {
        let metadata = (0...64).map { ("key\($0)", JSONValue.integer(1)) }
        let arguments: JSONValue = [
            "text": "x", "metadata": .object(Dictionary(uniqueKeysWithValues: metadata)),
        ]
        #expect(await MCPHarness().call("remember", arguments).string == "'metadata' has more than 64 keys")
    }

    // MARK: Isolation

    @Test func `a read-only server offers no tool that writes`() async throws {
        var rules = AccessRules()
        rules.isReadOnly = true
        let harness = MCPHarness(rules)
        let response = await harness.request("tools/list")
        let names = (response["result"]?["tools"]?.elements ?? []).compactMap { $0["name"]?.string }
        #expect(names == ["search", "fetch", "clusters"])
        let refused = await harness.request("tools/call", ["name": "remember", "arguments": ["text": "x"]])
        #expect(refused["error"]?["code"] == -32602)
    }

    @Test func `a server with a tag shows and changes only entries that have it`() async throws {
        var rules = AccessRules()
        rules.tags = ["work"]
        let harness = MCPHarness(rules)
        let secret = try await harness.store.add("private thoughts about the budget")
        _ = await harness.call("remember", ["text": "the budget of the department"])
        let found = await harness.call("search", ["query": "budget"])
        #expect(found["results"]?.elements?.count == 1)
        let id = JSONValue.string(secret.id.text)
        for (tool, arguments) in [
            ("fetch", ["id": id]), ("update", ["id": id, "addTags": ["work"]]),
            ("forget", ["ids": [id], "confirm": true]),
        ] as [(String, JSONValue)] {
            #expect(await harness.call(tool, arguments).string?.contains("no entry has the id") == true)
        }
        let resource = await harness.request(
            "resources/read", ["uri": .string("roost://entry/\(secret.id.text)")])
        #expect(resource["error"]?["code"] == -32602)
    }

    @Test func `a server with a scope recalls only messages of that conversation`() async throws {
        let open = MCPHarness()
        for user in ["ann", "ben"] {
            _ = await open.call(
                "remember_messages",
                [
                    "messages": [["role": "user", "content": .string("the code of \(user) is 1234")]],
                    "user": .string(user),
                ])
        }
        var rules = AccessRules()
        rules.scope = ChatScope(userId: "ann", sessionId: "default", agentId: "default")
        let harness = MCPHarness(rules, store: open.store)
        let recalled = await harness.call("recall", ["query": "code"])
        #expect(recalled["messages"]?.elements?.count == 1)
        #expect(
            await harness.call("recall", ["query": "code", "user": "ben"]).string?.contains("limited")
                == true)
        let found = await harness.call("search", ["query": "code"])["results"]?.elements
        #expect(found?.compactMap { $0["snippet"] } == ["the code of ann is 1234"])
    }

    @Test func `a server with a scope shows no entries, and one with a tag shows no messages`() async throws {
        let open = MCPHarness()
        let secret = try await open.store.add("the diary of the secret garden")
        _ = await open.call(
            "remember_messages",
            ["messages": [["role": "user", "content": "a secret message"]], "user": "ben"])
        func tools(_ harness: MCPHarness) async -> [String] {
            let response = await harness.request("tools/list")
            return (response["result"]?["tools"]?.elements ?? []).compactMap { $0["name"]?.string }
        }
        var rules = AccessRules()
        rules.scope = ChatScope(userId: "ann", sessionId: "default", agentId: "default")
        let scoped = MCPHarness(rules, store: open.store)
        #expect(await tools(scoped) == ["search", "fetch", "remember_messages"])
        #expect(await scoped.call("status")["entries"] == 0)
        #expect(await scoped.call("search", ["query": "secret"])["results"] == [])
        for uri in ["roost://entry/\(secret.id.text)", "roost://source/add"] {
            let resource = await scoped.request("resources/read", ["uri": .string(uri)])
            #expect(resource["error"]?["code"] == -32602)
        }
        rules = AccessRules()
        rules.tags = ["work"]
        let tagged = MCPHarness(rules, store: open.store)
        #expect(await tools(tagged) == ["search", "fetch", "remember", "update", "forget"])
        #expect(await tagged.call("search", ["query": "secret message"])["results"] == [])
        #expect(await tagged.call("recall", ["query": "secret"]).string?.contains("does not permit") == true)
    }

    // MARK: Resources

    @Test func `entries can be read as resources`() async throws {
        let harness = MCPHarness()
        let id = try #require(await harness.call("remember", ["text": "a note"])["id"]?.string)
        let entry = await harness.request("resources/read", ["uri": .string("roost://entry/\(id)")])
        #expect(entry["result"]?["contents"]?.elements?.first?["text"] == "a note")
        for uri in ["roost://entry/none", "roost://source/x", "file:///etc/passwd", ""] {
            let response = await harness.request("resources/read", ["uri": .string(uri)])
            #expect(response["error"]?["code"] == -32602)
            #expect(response["result"] == nil)
        }
    }

    @Test func `a search selects files, folders and web addresses`() async throws {
        let harness = MCPHarness()
        let ids = [
            "file:///notes/a%20b/one.md", "file:///notes/a%20b/deep/two.md", "file:///notes/a%20bc/three.md",
            "https://example.org/docs/four", "add",
        ]
        try await harness.store.ingest(
            ids.map {
                SourceDraft(id: $0, fingerprint: "1", entries: [EntryDraft(content: "the swift in \($0)")])
            })
        func found(_ names: JSONValue...) async -> Set<String> {
            let arguments: JSONValue = ["query": "swift", "sources": .array(names)]
            let results = await harness.call("search", arguments)["results"]?.elements ?? []
            return Set(results.compactMap { $0["snippet"]?.string?.components(separatedBy: "in ").last })
        }
        #expect(await found("/notes/a b/one.md") == [ids[0]])
        #expect(await found("/notes/a b") == Set(ids[..<2]))
        #expect(await found("file:///notes/a%20b/") == Set(ids[..<2]))
        #expect(await found("/notes") == Set(ids[..<3]))
        #expect(await found("https://example.org/docs", "add") == Set(ids[3...]))
        #expect(await found("/notes/a") == [])
        let listed = await harness.call("search", ["sources": ["/notes/a b"]])
        #expect(listed["results"]?.elements?.count == 2)
    }
}
