import Foundation
import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of bodies that are missing, unexpected or in another form, and of answers without a body.
struct RequestBodyTests {
    @Test func `an operation without a body refuses one`() async throws {
        try await HTTPHarness.run { harness in
            let created = try await harness.send(.POST, "/api/v1/entries", ["text": "a note"])
            let location = try #require(created.headers["Location"].first)
            for body in [["force": true], [1], "x"] as [JSONValue] {
                let refused = try await harness.send(.DELETE, location, body)
                #expect(refused.status == 400)
                #expect(refused.json["detail"]?.string?.contains("takes no body") == true)
            }
            let long: JSONValue = ["force": .string(String(repeating: "x", count: 100_000))]
            #expect(try await harness.send(.DELETE, location, long).status == 400)
            #expect(try await harness.send(.DELETE, location, [:]).status == 200)
        }
    }

    @Test func `an empty body is an empty object if no member is required`() async throws {
        try await HTTPHarness.run { harness in
            try await harness.store.add("a note")
            #expect(try await harness.send(.POST, "/api/v1/clusters/recluster").status != 400)
            let recall = try await harness.send(.POST, "/api/v1/conversations/recall")
            #expect(recall.status == 400)
            #expect(recall.json["detail"]?.string?.contains("the body is empty") == true)
        }
        let document = OpenAPIDocument.json(APIServer.routes, version: "test")
        func isRequired(_ path: String) -> JSONValue? {
            document["paths"]?[path]?["post"]?["requestBody"]?["required"]
        }
        #expect(isRequired("/api/v1/clusters/recluster") == false)
        #expect(isRequired("/api/v1/entries") == true)
    }

    @Test(
        arguments: [
            (#"{"content":"a","tags":["b}"#, "unterminated string at byte 26"),
            (#"{"content":"\ud800"}"#, "unpaired surrogate at byte 18"),
            (#"{"content":"a"} {}"#, "unexpected text after the value at byte 16"),
        ])
    func `the fault of a body that is not JSON is named`(body: String, fault: String) async throws {
        try await HTTPHarness.run { harness in
            let answer = try await harness.send(
                .POST, "/api/v1/entries", bytes: Data(body.utf8), ["Content-Type": "application/json"])
            #expect(answer.status == 400)
            #expect(answer.json["detail"] == .string("the body is not valid JSON: \(fault)"))
            let ingest = try await harness.send(
                .POST, "/api/v1/ingest", bytes: Data(body.utf8), ["Content-Type": "application/x-ndjson"])
            #expect(ingest.text.contains("line 1 is not valid JSON: \(fault)"))
        }
    }

    @Test(arguments: ["/api/v1/entries", "/api/v1/ingest"])
    func `a compressed body is refused as such`(path: String) async throws {
        try await HTTPHarness.run { harness in
            let type = path.hasSuffix("ingest") ? "application/x-ndjson" : "application/json"
            let name = path.hasSuffix("ingest") ? "content" : "text"
            let body = Data("{\"\(name)\":\"a note\"}".utf8)
            let refused = try await harness.send(
                .POST, path, bytes: body, ["Content-Type": type, "Content-Encoding": "gzip"])
            #expect(refused.status == 415)
            #expect(refused.json["code"] == "unsupportedEncoding")
            let plain = try await harness.send(
                .POST, path, bytes: body, ["Content-Type": type, "Content-Encoding": "identity"])
            #expect(plain.status < 300)
        }
    }

    @Test func `a text that occurs several times in a stream is stored once`() async throws {
        try await HTTPHarness.run { harness in
            let lines = [
                #"{"content":"a note","tags":["a"],"metadata":{"x":1,"y":1}}"#, #"{"content":"another"}"#,
                #"{"content":"a note","tags":["b"],"metadata":{"x":2}}"#,
            ]
            let answer = try await harness.send(
                .POST, "/api/v1/ingest", bytes: Data(lines.joined(separator: "\n").utf8),
                ["Content-Type": "application/x-ndjson"])
            let result = try JSONDecoder().decode(JSONValue.self, from: answer.body)
            #expect(result == ["lines": 3, "new": 2, "updated": 0, "unchanged": 1, "done": true])
            let list = try await harness.send(.GET, "/api/v1/entries?tags=a&tags=b")
            #expect(list.json["entries"]?.elements?.count == 1)
            #expect(list.json["entries"]?.elements?.first?["metadata"] == ["x": 2, "y": 1])
        }
    }

    @Test func `a line that is too long is reported with its number`() async throws {
        try await HTTPHarness.run(HTTPHarness.settings { $0.limits.lineBytes = 1_000 }) { harness in
            let long = #"{"content":"\#(String(repeating: "x", count: 200_000))"}"#
            let answer = try await harness.send(
                .POST, "/api/v1/ingest", bytes: Data("{\"content\":\"a\"}\n\(long)\n".utf8),
                ["Content-Type": "application/x-ndjson"])
            let last = try #require(answer.text.split(separator: "\n").last)
            let value = try JSONDecoder().decode(JSONValue.self, from: Data(last.utf8))
            #expect(value["line"] == 2)
            #expect(value["error"]?["detail"]?.string?.hasPrefix("line 2 is longer") == true)
        }
    }
}
