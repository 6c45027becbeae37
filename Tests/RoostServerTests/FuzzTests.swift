import Foundation
import NIOHTTP1
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

/// Sends mutated messages. `ROOST_FUZZ_MUTATIONS` sets their number.
struct MessageFuzzTests {
    private static let meta = String(decoding: MCPHarness.meta.serialized(), as: UTF8.self)

    private static let samples: [String] =
        [
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","#
                + #""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
            request("server/discover"), request("tools/list", #""cursor":"x""#),
            request("resources/list", #""cursor":"1""#), request("resources/templates/list"),
            request("resources/read", #""uri":"roost://source/add""#),
        ]
        + [
            ("search", #"{"query":"heron","limit":5,"tags":["a"],"where":["a = 1"],"since":"2026-01-01"}"#),
            ("fetch", #"{"id":"0c0a3f8e-0000-0000-0000-000000000000","offset":1,"budget":500}"#),
            ("remember", #"{"text":"a heron","title":"x","tags":["a"],"metadata":{"k":[1,{"n":null}]}}"#),
            ("update", #"{"id":"x","text":"y","addTags":["b"],"removeTags":["a"],"metadata":{"k":null}}"#),
            ("forget", #"{"ids":["0c0a3f8e-0000-0000-0000-000000000000"],"confirm":false}"#),
            ("clusters", #"{"cluster":"x","query":"y","budget":900}"#),
            ("remember_messages", #"{"messages":[{"role":"user","content":"x"}],"session":"s"}"#),
        ].map { request("tools/call", #""name":"\#($0)","arguments":\#($1)"#) }

    private static func request(_ method: String, _ parameters: String = "") -> String {
        let separator = parameters.isEmpty ? "" : ","
        return #"{"jsonrpc":"2.0","id":3,"method":"\#(method)","params":{"_meta":\#(meta)"#
            + "\(separator)\(parameters)}}"
    }

    @Test func `every mutated message gets a valid answer or none`() async throws {
        let harness = MCPHarness()
        var generator = Seeded(state: 25)
        let count = JSONMutator.count(default: 400)
        for number in 0..<count {
            let sample = Data(Self.samples[number % Self.samples.count].utf8)
            let mutated = JSONMutator.mutated(sample, using: &generator)
            let answers = await harness.send(data: mutated)
            for answer in answers.flatMap({ $0.elements ?? [$0] }) {
                #expect(answer["jsonrpc"] == "2.0", "\(String(decoding: mutated, as: UTF8.self))")
                let code = answer["error"]?["code"]?.integer
                #expect(code != -32603, "\(String(decoding: mutated, as: UTF8.self)): \(answer)")
                #expect(code != nil || answer["result"] != nil || answer["method"] != nil)
            }
        }
        #expect(await harness.request("tools/list")["result"] != nil)
    }
}

/// Sends mutated requests. `ROOST_FUZZ_MUTATIONS` sets their number.
struct RequestFuzzTests {
    private static let id = "0c0a3f8e-0000-4000-8000-000000000000"

    private static let samples: [(method: HTTPMethod, path: String, body: String)] = [
        (.POST, "/api/v1/entries", #"{"text":"heron","tags":["a"],"metadata":{"k":[1,{"n":null}]}}"#),
        (.PATCH, "/api/v1/entries/\(id)", #"{"text":"x","addTags":["b"],"metadata":{"k":null}}"#),
        (.POST, "/api/v1/search", #"{"query":"heron -x \"y z\"","limit":5,"mode":"text","tags":["a"]}"#),
        (.POST, "/v1/embeddings", #"{"model":"lexical","input":["a",""],"encoding_format":"base64"}"#),
        (.POST, "/mcp", #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"b":null}]}}"#),
        (.POST, "/api/v1/ingest", #"{"content":"one","tags":["a"]}"#),
        (.POST, "/api/v1/conversations/messages", #"{"messages":[{"role":"user","content":"x"}]}"#),
        (.POST, "/api/v1/conversations/recall", #"{"query":"x","limit":3}"#),
    ]

    @Test func `mutated bodies are answered without an internal error`() async throws {
        try await HTTPHarness.run { harness in
            var generator = Seeded(state: 25)
            for number in 0..<JSONMutator.count(default: 220) {
                let sample = Self.samples[number % Self.samples.count]
                let body = JSONMutator.mutated(Data(sample.body.utf8), using: &generator)
                let type = sample.path.hasSuffix("ingest") ? "application/x-ndjson" : "application/json"
                let answer = try await harness.send(
                    sample.method, sample.path, bytes: body, ["Content-Type": type])
                #expect(
                    answer.status < 500,
                    "\(sample.path) \(String(decoding: body, as: UTF8.self)): \(answer.text)")
                if answer.status >= 400, sample.path != "/mcp" { #expect(answer.json["code"] != nil) }
            }
        }
    }

    @Test func `mutated bytes of requests do not stop the server`() async throws {
        try await HTTPHarness.run(HTTPHarness.settings { $0.limits.transferTime = .milliseconds(50) }) {
            harness in
            let request = Array(
                ("POST /api/v1/search?limit=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + HTTPHarness.token + "\r\nContent-Type: application/json\r\nContent-Length: 13\r\n"
                    + "Connection: close\r\n\r\n{\"query\":\"a\"}").utf8)
            var generator = Seeded(state: 7)
            for _ in 0..<JSONMutator.count(default: 60) {
                var bytes = request
                for _ in 0...Int.random(in: 0..<4, using: &generator) {
                    let offset = Int.random(in: 0..<bytes.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: bytes.removeSubrange(offset...)
                    case 1: bytes.insert(contentsOf: request, at: offset)
                    case 2: bytes.insert(contentsOf: Array("\r\n".utf8), at: offset)
                    default: bytes[offset] = UInt8.random(in: .min ... .max, using: &generator)
                    }
                    if bytes.isEmpty { bytes = request }
                }
                let connection = try RawConnection(port: harness.port)
                // The server can close the connection before all bytes are written.
                try? await connection.write(bytes)
                connection.finishWriting()
                _ = try? await connection.readToEnd()
            }
            #expect(try await harness.send(.GET, "/api/v1/status").status == 200)
        }
    }
}
