import Foundation
import HTTPTypes
import NIOHTTP1
import Roost
import RoostModel
import RoostRemote
import Testing

@testable import RoostServer

struct AgentTests {
    private static let version = "2026-07-28"
    private static let meta: JSONValue = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": [:],
    ]

    /// Sends a self-contained request with the header fields that it needs.
    private static func send(
        _ harness: HTTPHarness, _ method: String, _ parameters: [String: JSONValue] = [:],
        _ headers: [String: String] = [:]
    ) async throws -> HTTPHarness.Answer {
        var fields = [
            "MCP-Protocol-Version": version, "Mcp-Method": method,
            "Accept": "application/json, text/event-stream",
        ]
        fields["Mcp-Name"] = parameters["name"]?.string ?? parameters["uri"]?.string
        var parameters = parameters
        if parameters["_meta"] == nil { parameters["_meta"] = meta }
        return try await harness.send(
            .POST, "/mcp",
            ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": .object(parameters)],
            fields.merging(headers) { $1 })
    }

    @Test func `self-contained requests are answered`() async throws {
        try await HTTPHarness.run { harness in
            let discovery = try await Self.send(harness, "server/discover")
            #expect(discovery.json["result"]?["resultType"] == "complete")
            let stored = try await Self.send(
                harness, "tools/call", ["name": "remember", "arguments": ["text": "a heron"]])
            let id = try #require(stored.json["result"]?["structuredContent"]?["id"]?.string)
            let uri = "roost://entry/\(id)"
            let read = try await Self.send(harness, "resources/read", ["uri": .string(uri)])
            #expect(read.json["result"]?["contents"]?.elements?.first?["text"] == "a heron")
            let encoded = "=?base64?\(Data(uri.utf8).base64EncodedString())?="
            let again = try await Self.send(
                harness, "resources/read", ["uri": .string(uri)], ["Mcp-Name": encoded])
            #expect(again.status == 200)
        }
    }

    @Test func `no tool declares fields for its arguments, so such fields have no meaning`() async throws {
        try await HTTPHarness.run { harness in
            // Only an argument with `x-mcp-header` in its schema has a field, which must agree with it.
            let tools = try await Self.send(harness, "tools/list")
            #expect(tools.json["result"]?["tools"]?.elements?.isEmpty == false)
            #expect(!tools.text.contains("x-mcp-header"))
            let answer = try await Self.send(
                harness, "tools/call", ["name": "search", "arguments": ["query": "heron"]],
                ["Mcp-Param-Query": "stork"])
            #expect(answer.status == 200 && answer.json["result"]?["isError"] == false)
        }
    }

    @Test func `header fields must agree with the message`() async throws {
        try await HTTPHarness.run { harness in
            let call: [String: JSONValue] = ["name": "clusters", "arguments": [:]]
            for headers in [
                ["Mcp-Method": "tools/list"], ["Mcp-Method": ""], ["Mcp-Name": "search"], ["Mcp-Name": ""],
                ["MCP-Protocol-Version": "2025-11-25"], ["MCP-Protocol-Version": ""],
            ] {
                let answer = try await Self.send(harness, "tools/call", call, headers)
                #expect(answer.status == 400, "\(headers)")
                #expect(answer.json["error"]?["code"] == -32020, "\(headers)")
            }
            // Only names can be encoded.
            for (field, text) in [("Mcp-Method", "tools/call"), ("MCP-Protocol-Version", Self.version)] {
                let encoded = "=?base64?\(Data(text.utf8).base64EncodedString())?="
                let answer = try await Self.send(harness, "tools/call", call, [field: encoded])
                #expect(answer.status == 400 && answer.json["error"]?["code"] == -32020, "\(field)")
            }
        }
    }

    @Test func `older clients need no session`() async throws {
        try await HTTPHarness.run { harness in
            let initialize: JSONValue = [
                "jsonrpc": "2.0", "id": 0, "method": "initialize",
                "params": [
                    "protocolVersion": "2025-06-18", "capabilities": [:],
                    "clientInfo": ["name": "x", "version": "1"],
                ],
            ]
            let first = try await harness.send(.POST, "/mcp", initialize)
            #expect(first.json["result"]?["protocolVersion"] == "2025-06-18")
            #expect(first.headers["Mcp-Session-Id"].isEmpty)
            let initialized = try await harness.send(
                .POST, "/mcp", ["jsonrpc": "2.0", "method": "notifications/initialized"])
            #expect(initialized.status == 202)
            let list: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "tools/list"]
            let tools = try await harness.send(.POST, "/mcp", list, ["MCP-Protocol-Version": "2025-06-18"])
            #expect(tools.json["result"]?["tools"]?.elements?.count == 8)
            // Batches belong to one revision, which a missing version field stands for.
            let batch: JSONValue = [list, ["jsonrpc": "2.0", "id": 2, "method": "ping"]]
            #expect(try await harness.send(.POST, "/mcp", batch).json.elements?.count == 2)
            let refused = try await harness.send(.POST, "/mcp", batch, ["MCP-Protocol-Version": "2025-06-18"])
            #expect(refused.status == 400)
            let unsupported = try await harness.send(
                .POST, "/mcp", initialize, ["MCP-Protocol-Version": "2099-01-01"])
            #expect(unsupported.status == 400 && unsupported.json["id"] == 0)
            #expect(unsupported.json["error"]?["code"] == -32022)
        }
    }

    @Test func `progress is sent as events before the response`() async throws {
        try await HTTPHarness.run { harness in
            for number in 0..<6 {
                try await harness.store.add("tomato soil garden \(number)")
                try await harness.store.add("engine piston oil \(number)")
            }
            var meta = Self.meta.members ?? [:]
            meta["progressToken"] = "t"
            let answer = try await Self.send(
                harness, "tools/call",
                ["name": "recluster", "arguments": [:], "_meta": .object(meta)])
            #expect(answer.headers["Content-Type"] == ["text/event-stream"])
            let messages = answer.text.split(separator: "\n").filter { $0.hasPrefix("data: ") }
            #expect(messages.count > 3)
            #expect(messages.contains { $0.contains("finding groups") })
            #expect(messages.dropLast().last?.contains("\"saved\"") == true)
            #expect(messages.first?.contains("notifications/progress") == true)
            #expect(messages.last?.contains("structuredContent") == true)
        }
    }

    @Test func `a client that leaves before the end of a stream does not stop the server`() async throws {
        try await HTTPHarness.run { harness in
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": ["name": "clusters", "arguments": [:], "_meta": ["progressToken": "t"]],
            ]
            let body = String(decoding: call.serialized(), as: UTF8.self)
            let head =
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(HTTPHarness.token)\r\n"
                + "Content-Type: application/json\r\nAccept: text/event-stream\r\n"
                + "MCP-Protocol-Version: 2025-06-18\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            for _ in 0..<50 {
                let connection = try RawConnection(port: harness.port)
                try await connection.write(head + body)
                #expect(try await connection.read(until: "jsonrpc").hasPrefix("HTTP/1.1 200"))
            }
            #expect(try await harness.send(.GET, "/livez").status == 200)
        }
    }

    @Test func `invalid messages are refused`() async throws {
        try await HTTPHarness.run { harness in
            for (text, code) in [("{", -32700), ("[]", -32600), ("1", -32600), ("{}", -32600)] {
                let answer = try await harness.send(
                    .POST, "/mcp", bytes: Data(text.utf8), ["Content-Type": "application/json"])
                #expect(answer.status == 400)
                #expect(answer.json["error"]?["code"] == .integer(Int64(code)), "\(text)")
            }
            let text = try await Self.send(harness, "tools/list", [:], ["Content-Type": "text/plain"])
            #expect(text.status == 415)
        }
    }

    @Test func `a notification of an unsupported revision is refused`() async throws {
        try await HTTPHarness.run { harness in
            let message: JSONValue = ["jsonrpc": "2.0", "method": "notifications/initialized"]
            let answer = try await harness.send(
                .POST, "/mcp", message, ["MCP-Protocol-Version": "1999-01-01"])
            #expect(answer.status == 400)
            #expect(answer.json["error"]?["code"] == -32022)
            let known = try await harness.send(.POST, "/mcp", message, ["MCP-Protocol-Version": "2025-06-18"])
            #expect(known.status == 202)
        }
    }

    @Test func `a batch cannot contain a self-contained request`() async throws {
        try await HTTPHarness.run { harness in
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": ["_meta": Self.meta, "name": "remember", "arguments": ["text": "a heron"]],
            ]
            let answer = try await harness.send(.POST, "/mcp", [call])
            #expect(answer.json.elements?.first?["error"]?["code"] == -32600)
            #expect(try await harness.store.count() == 0)
        }
    }
}
