import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

/// Sends mutated messages. `ROOST_FUZZ_MUTATIONS` sets their number.
struct MessageFuzzTests {
    private static let meta = String(decoding: MCPHarness.meta.serialized(), as: UTF8.self)

    /// Valid messages with all methods and tools.
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
            ("clusters", #"{"cluster":"x","query":"y","budget":900}"#), ("status", "{}"),
            ("recall", #"{"query":"heron","session":"s","limit":2}"#),
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
