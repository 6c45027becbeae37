import Foundation
import RoostModel
import Testing

@testable import RoostServer

struct ProtocolTests {
    private func code(_ response: JSONValue) -> Int? { response["error"]?["code"]?.integer }

    // MARK: Revisions before 2026-07-28

    @Test(arguments: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
    func `initialize negotiates every older revision`(version: String) async {
        let harness = MCPHarness()
        let response = await harness.send(
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)","#
                + #""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#)
        #expect(response.first?["id"] == 0)
        #expect(response.first?["result"]?["protocolVersion"] == .string(version))
        #expect(await harness.send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).isEmpty)
        let list = await harness.send(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        let tool = list.first?["result"]?["tools"]?.elements?.first
        #expect(tool?["name"] == "search")
        #expect((tool?["annotations"] != nil) == (version >= "2025-03-26"))
        #expect((tool?["title"] != nil) == (version >= "2025-06-18"))
        #expect(list.first?["result"]?["ttlMs"] == nil)
    }

    @Test func `an unknown revision is answered with the newest one that can be negotiated`() async {
        let response = await MCPHarness().send(
            #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"1999-01-01"}}"#)
        #expect(response.first?["result"]?["protocolVersion"] == "2025-11-25")
    }

    @Test func `parameters that are null are absent`() async {
        for parameters in ["", #","params":null"#] {
            let response = await MCPHarness().send(#"{"jsonrpc":"2.0","id":1,"method":"ping"\#(parameters)}"#)
            #expect(response == [["jsonrpc": "2.0", "id": 1, "result": [:]]])
        }
        let call = await MCPHarness().request("tools/call", ["name": "search", "arguments": .null])
        #expect(call["result"]?["content"] != nil && call["result"]?["isError"] != true, "\(call)")
    }

    /// JavaScript writes half of a surrogate pair for a text that was cut within an emoji.
    @Test(arguments: [
        (#"abc \ud83d"#, "abc \u{FFFD}"), (#"\ude00 x"#, "\u{FFFD} x"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
        (#"\ud83d\n"#, "\u{FFFD}\n"),
    ])
    func `half of a surrogate pair does not leave a request unanswered`(
        escaped: String, expected: String
    ) async throws {
        let harness = MCPHarness()
        let meta = String(decoding: MCPHarness.meta.serialized(), as: UTF8.self)
        let response = await harness.send(
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":\#(meta),"#
                + #""name":"\#(escaped)"}}"#)
        #expect(response.first?["id"] == 3 && response.first?["error"]?["code"] == -32602)
        let json = Data("\"\(escaped)\"".utf8)
        #expect(try JSONValue(json: json, repairsSurrogates: true) == .string(expected))
        #expect(throws: (any Error).self) { try JSONValue(json: json) }
    }

    @Test func `only the revision of March 2025 accepts batches`() async {
        for version in ["2025-03-26", "2025-06-18"] {
            let harness = MCPHarness()
            _ = await harness.send(
                #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)"}}"#)
            let response = await harness.send(
                #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},"#
                    + #"{"jsonrpc":"2.0","id":2,"method":"ping"}]"#)
            if version == "2025-03-26" {
                #expect(response.first?.elements?.map { $0["id"] } == [1, 2])
            } else {
                #expect(response.map(code) == [-32600])
            }
        }
    }

    // MARK: Revision 2026-07-28

    @Test func `discovery names the revisions and the server`() async {
        let response = await MCPHarness().request("server/discover")
        let result = response["result"]
        #expect(result?["supportedVersions"]?.elements?.first == "2026-07-28")
        #expect(result?["resultType"] == "complete")
        #expect(result?["cacheScope"] == "private")
        #expect((result?["ttlMs"]?.integer ?? -1) >= 0)
        #expect(result?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "roost")
    }

    @Test func `an unknown version in a self-contained request is refused with the supported ones`() async {
        let response = await MCPHarness().request(
            "tools/list",
            [
                "_meta": [
                    "io.modelcontextprotocol/protocolVersion": "1900-01-01",
                    "io.modelcontextprotocol/clientCapabilities": [:],
                ]
            ])
        #expect(code(response) == -32022)
        #expect(response["error"]?["data"]?["requested"] == "1900-01-01")
        #expect(response["error"]?["data"]?["supported"]?.elements?.contains("2026-07-28") == true)
    }

    @Test func `a request without metadata and without initialize is refused`() async {
        let response = await MCPHarness().send(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        #expect(response.map(code) == [-32602])
    }

    @Test func `metadata without capabilities is refused`() async {
        let response = await MCPHarness().request(
            "tools/list", ["_meta": ["io.modelcontextprotocol/protocolVersion": "2026-07-28"]])
        #expect(code(response) == -32602)
    }

    @Test(arguments: [
        "initialize", "ping", "logging/setLevel", "prompts/list", "subscriptions/listen", "nonsense",
    ])
    func `removed and unknown methods are refused in self-contained requests`(method: String) async {
        #expect(code(await MCPHarness().request(method)) == -32601)
    }

    // MARK: Malformed messages

    @Test(arguments: [
        ("{", -32700), ("", -32700), ("1", -32600), ("[]", -32600), (#"{"id":1,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32600),
    ])
    func `a malformed message gets an error`(message: String, expected: Int) async {
        #expect(await MCPHarness().send(message).map(code) == [expected])
    }

    @Test func `deeply nested messages are refused`() async {
        let message = String(repeating: "[", count: 100_000)
        #expect(await MCPHarness().send(message).map(code) == [-32700])
    }

    @Test func `responses from the client are ignored`() async {
        #expect(await MCPHarness().send(#"{"jsonrpc":"2.0","id":1,"result":{}}"#).isEmpty)
    }

    // MARK: Definitions

    @Test func `every tool meets the rules of the strictest hosts`() async throws {
        let response = await MCPHarness().request("tools/list")
        let tools = try #require(response["result"]?["tools"]?.elements)
        #expect(tools.count == 8)
        for tool in tools {
            let name = try #require(tool["name"]?.string)
            #expect(name.wholeMatch(of: /[a-zA-Z0-9_-]{1,40}/) != nil)
            let schema = try #require(tool["inputSchema"])
            #expect(schema["type"] == "object")
            let text = String(decoding: schema.serialized(), as: UTF8.self)
            for keyword in ["$ref", "anyOf", "oneOf", "allOf"] { #expect(!text.contains(keyword)) }
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                #expect(tool["annotations"]?[hint]?.flag != nil)
            }
        }
    }

    @Test func `an unknown tool is an error of the request`() async {
        let response = await MCPHarness().request("tools/call", ["name": "drop_tables"])
        #expect(code(response) == -32602)
        let message = response["error"]?["message"]?.string ?? ""
        #expect(message.hasPrefix("unknown tool 'drop_tables'; this server has the tools search, fetch"))
    }
}
