import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Roost
import RoostMCP
import RoostModel
import RoostNetwork
import TestSupport
import Testing

@testable import RoostHTTP

struct ProgramTests {
    // MARK: Changes

    /// Returns the first events of the change feed.
    private static func events(
        _ harness: HTTPHarness, _ query: String, _ headers: [String: String] = [:], count: Int
    ) async throws -> [String] {
        var call = HTTPCall(
            .get, "http://127.0.0.1:\(harness.port)/api/v1/changes\(query)",
            headers: [.authorization: "Bearer \(HTTPHarness.token)"])
        for (name, value) in headers { call.headers[try #require(HTTPField.Name(name))] = value }
        let text = try await HTTPHarness.stream(call) { answer, text in
            #expect(answer.status == 200)
            let count = Self.events(in: text).count - count
            return count > 0 || (count == 0 && text.hasSuffix("\n\n"))
        }
        return events(in: text)
    }

    private static func events(in text: String) -> [String] {
        text.components(separatedBy: "\n\n").filter { $0.contains("data:") }
    }

    @Test func `the change feed continues after the last event`() async throws {
        try await HTTPHarness.run { harness in
            let first = try await harness.store.add("one")
            try await harness.store.add("two")
            let events = try await Self.events(harness, "?from=start", count: 2)
            #expect(events[0].contains("event: upserted"))
            #expect(events[0].contains(first.id.text))
            let id = try #require(
                events[0].split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
            try await harness.store.remove(first.id)
            let rest = try await Self.events(harness, "", ["Last-Event-ID": String(id)], count: 2)
            #expect(rest[0].contains("event: upserted"))
            #expect(rest[1].contains("event: removed"))
            #expect(rest[1].contains(first.id.text))
            let wrong = try await harness.send(.GET, "/api/v1/changes", nil, ["Last-Event-ID": "x"])
            #expect(wrong.status == 400)
        }
    }

    // MARK: Embeddings

    @Test func `the OpenAI form returns numbers or base64 and the usage`() async throws {
        try await HTTPHarness.run { harness in
            let model = JSONValue.string(harness.store.embedder.space.model)
            let body: [String: JSONValue] = ["model": model, "input": ["a swift", "a gearbox"]]
            let numbers = try await harness.send(.POST, "/v1/embeddings", .object(body))
            let data = try #require(numbers.json["data"]?.elements)
            #expect(data.count == 2)
            let vector = (data[1]["embedding"]?.elements ?? []).compactMap(\.double)
            #expect(vector.count == harness.store.embedder.space.dimension)
            let expected = try await harness.store.embedder.embed("a gearbox", as: .document)
            #expect(zip(vector, expected).allSatisfy { abs($0 - Double($1)) < 1e-6 })
            #expect(numbers.json["usage"]?["total_tokens"]?.integer ?? 0 > 0)
            let encoded = try await harness.send(
                .POST, "/v1/embeddings", .object(body.merging(["encoding_format": "base64"]) { $1 }))
            let text = try #require(encoded.json["data"]?.elements?[1]["embedding"]?.asString)
            let bytes = try #require(Data(base64Encoded: text))
            let floats = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            #expect(floats == expected)
        }
    }

    @Test func `tokens, other models and other dimensions are refused`() async throws {
        try await HTTPHarness.run { harness in
            let model = JSONValue.string(harness.store.embedder.space.model)
            let bodies: [(JSONValue, Int)] = [
                (["model": model, "input": [1, 2, 3]], 400), (["model": model, "input": [[1, 2]]], 400),
                (["model": "another", "input": "x"], 404), (["model": model, "input": ""], 400),
                (["model": model, "input": "x", "dimensions": 7], 400), (["model": model, "input": []], 400),
            ]
            for (body, status) in bodies {
                let answer = try await harness.send(.POST, "/v1/embeddings", body)
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test func `tokens of the served model are embedded like their text`() async throws {
        let model = try BERTEmbedder(folder: Fixtures.tinyModel)
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: model)
        try await HTTPHarness.run(store: store) { harness in
            let text = "the swifts flew above the roof"
            let tokens = model.tokenIDs(of: text)
            let ids = JSONValue.array(tokens.map { .integer(Int64($0)) })
            let name = JSONValue.string(model.space.model)
            let inputs: [(JSONValue, Int)] = [(.string(text), 1), (ids, 1), ([ids, ids], 2)]
            let expected = try await model.embed(text, as: .document).map { Double("\($0)") }
            for (input, count) in inputs {
                let answer = try await harness.send(.POST, "/v1/embeddings", ["model": name, "input": input])
                let data = try #require(answer.json["data"]?.elements)
                #expect(data.count == count)
                for item in data { #expect(item["embedding"]?.elements?.map(\.double) == expected) }
                #expect(answer.json["usage"]?["total_tokens"]?.integer == count * (tokens.count - 2))
            }
            let inference = try await harness.send(.POST, "/embed", ["inputs": ids])
            #expect(inference.json.elements?.first?.elements?.map(\.double) == expected)
            for foreign: JSONValue in [[10_021], [ids, [2, 99_999]]] {
                let refused = try await harness.send(
                    .POST, "/v1/embeddings", ["model": name, "input": foreign])
                #expect(refused.status == 400)
                #expect(refused.json["detail"]?.asString?.contains("tokens of the model") == true)
            }
        }
    }

    @Test func `the forms of Text Embeddings Inference and Ollama return the same vectors`() async throws {
        try await HTTPHarness.run { harness in
            let model = harness.store.embedder.space.model
            let inference = try await harness.send(.POST, "/embed", ["inputs": "a swift"])
            let ollama = try await harness.send(
                .POST, "/api/embed", ["model": .string(model + ":latest"), "input": ["a swift"]])
            #expect(inference.json.elements?.first == ollama.json["embeddings"]?.elements?.first)
            #expect(try await harness.send(.GET, "/info").json["model_id"] == .string(model))
            let models = try await harness.send(.GET, "/v1/models")
            #expect(models.json["data"]?.elements?.first?["id"] == .string(model))
            let cut = try await harness.send(
                .POST, "/embed", ["inputs": "a swift", "truncation_direction": "right"])
            #expect(cut.json == inference.json)
            let raw = try await harness.send(.POST, "/embed", ["inputs": "x", "normalize": false])
            #expect(raw.status == 400)
        }
    }

    @Test func `clients of Ollama list the models, and embed single texts`() async throws {
        try await HTTPHarness.run { harness in
            let model = JSONValue.string(harness.store.embedder.space.model)
            let listed = try await harness.send(.GET, "/api/tags").json["models"]?.elements?.first
            #expect(listed?["name"] == model && listed?["model"] == model)
            #expect(try await harness.send(.GET, "/api/version").json["version"]?.asString?.isEmpty == false)
            let several = try await harness.send(.POST, "/api/embed", ["model": model, "input": "a swift"])
            let one = try await harness.send(.POST, "/api/embeddings", ["model": model, "prompt": "a swift"])
            #expect(one.status == 200 && one.json["embedding"] == several.json["embeddings"]?.elements?.first)
            let none = try await harness.send(.POST, "/api/embeddings", ["model": model, "prompt": ""])
            #expect(none.status == 200 && none.json["embedding"] == [])
            let other = try await harness.send(.POST, "/api/embeddings", ["model": "other", "prompt": "x"])
            #expect(other.status == 404)
        }
    }

    /// Clients of Ollama load a model this way.
    @Test(arguments: ["", []] as [JSONValue])
    func `a request in the form of Ollama without texts gets no vectors`(input: JSONValue) async throws {
        try await HTTPHarness.run { harness in
            let model = JSONValue.string(harness.store.embedder.space.model)
            let answer = try await harness.send(.POST, "/api/embed", ["model": model, "input": input])
            #expect(answer.status == 200 && answer.json["embeddings"] == [], "\(answer.text)")
            let other = try await harness.send(.POST, "/api/embed", ["model": "other", "input": input])
            #expect(other.status == 404)
        }
    }

    // MARK: Documentation and metrics

    @Test func `errors have the form that clients of other servers read`() async throws {
        try await HTTPHarness.run { harness in
            let model = harness.store.embedder.space.model
            for (path, body) in [
                ("/v1/embeddings", ["model": "other", "input": "x"]),
                ("/v1/embeddings", ["model": .string(model), "input": []]),
                ("/v1/chat/completions", [:]),
            ] as [(String, JSONValue)] {
                let answer = try await harness.send(.POST, path, body)
                let error = answer.json["error"]
                #expect(error?["message"] == answer.json["detail"], "\(answer.text)")
                #expect(error?["type"] == "invalid_request_error")
                #expect(error?["code"] == answer.json["code"])
            }
            for (path, body) in [
                ("/embed", ["inputs": ""]), ("/api/embed", ["model": "other", "input": "x"]),
                ("/api/tags", [:]),
            ] as [(String, JSONValue)] {
                let answer = try await harness.send(.POST, path, body)
                #expect(answer.json["error"] == answer.json["detail"], "\(answer.text)")
            }
            #expect(try await harness.send(.POST, "/api/v1/search", [:]).json["error"] == nil)
            let found = try await harness.send(.GET, "/v1/models/\(model)")
            #expect(found.json["id"] == .string(model))
            #expect(try await harness.send(.GET, "/v1/models/other").status == 404)
        }
    }

    @Test(
        arguments: [
            ([], "body.input needs at least 1 element"),
            (.array(Array(repeating: "x", count: 2_049)), "body.input has more than 2048 elements"),
            (["x", [1]], "body.input[1] must be a string"), ([[1], "x"], "body.input[1] must be an array"),
            ([[]], "body.input[0] needs at least 1 element"),
            (true, "body.input has none of the permitted forms: body.input must be a string; or "),
        ] as [(JSONValue, String)])
    func `the fault of an input is that of its most similar form`(
        input: JSONValue, expected: String
    ) async throws {
        try await HTTPHarness.run { harness in
            let model = JSONValue.string(harness.store.embedder.space.model)
            let answer = try await harness.send(
                .POST, "/v1/embeddings", ["model": model, "input": input])
            #expect(answer.status == 400)
            #expect(answer.json["detail"]?.asString?.hasPrefix(expected) == true, "\(answer.text)")
        }
    }

    @Test func `the document describes every route once`() async throws {
        let routes = APIServer.routes
        #expect(Set(routes.map(\.operation)).count == routes.count)
        try await HTTPHarness.run { harness in
            let document = try await harness.send(.GET, "/openapi.json").json
            #expect(document["openapi"] == "3.1.0")
            var described = 0
            for operations in (document["paths"]?.members ?? [:]).values {
                described += operations.members?.count ?? 0
            }
            #expect(described == routes.count)
            for route in routes {
                let names = Set(route.path.split(separator: "/").filter { $0.hasPrefix("{") })
                let parameters = route.parameters.filter { $0.location == .path }.map { "{\($0.name)}" }
                #expect(names == Set(parameters.map { $0[...] }), "\(route.path)")
            }
        }
    }

    @Test func `the documentation page loads nothing`() async throws {
        try await HTTPHarness.run { harness in
            let page = try await harness.send(.GET, "/docs")
            #expect(page.headers["Content-Security-Policy"].first?.hasPrefix("default-src 'none'") == true)
            for text in ["src=", "@import", "url(", "<script", "http://", "https://"] {
                #expect(!page.text.contains(text), "\(text)")
            }
            #expect(page.text.contains("/api/v1/search/batch"))
        }
    }

    @Test func `metrics count requests by route, without texts of clients`() async throws {
        try await HTTPHarness.run { harness in
            _ = try await harness.send(.GET, "/api/v1/entries/secret-text")
            _ = try await harness.send(.GET, "/secret-path")
            let metrics = try await harness.send(.GET, "/metrics").text
            #expect(
                metrics.contains(
                    "roost_http_requests_total{method=\"GET\",route=\"/api/v1/entries/{id}\",status=\"404\"} 1"
                ))
            #expect(metrics.contains("# TYPE roost_http_request_duration_seconds histogram"))
            #expect(metrics.contains("roost_store_entries 0"))
            #expect(!metrics.contains("secret"))
        }
    }

    @Test(arguments: [
        ("/v1/models/BAAI/bge-small", "BAAI/bge-small"), ("/v1/models/BAAI%2Fbge-small", "BAAI/bge-small"),
        ("/v1/models/lexical", "lexical"), ("/v1/models/", nil), ("/v1/models/%FF/x", nil),
        ("/api/v1/entries/one/two", nil),
    ]) func `the name of a model can have a slash`(path: String, id: String?) {
        guard case .route(_, let values) = RouteTable(APIServer.routes).match(.get, path) else {
            #expect(id == nil)
            return
        }
        #expect(values["id"] == id)
    }

    @Test func `status and readiness describe the store`() async throws {
        try await HTTPHarness.run { harness in
            try await harness.store.add("one")
            let status = try await harness.send(.GET, "/api/v1/status")
            #expect(status.json["entries"] == 1)
            #expect(status.json["version"] == "test")
            #expect(try await harness.send(.GET, "/readyz").status == 200)
            try await harness.store.close()
            #expect(try await harness.send(.GET, "/readyz").status == 503)
            #expect(try await harness.send(.GET, "/livez").status == 200)
        }
    }

    // MARK: Values

    @Test(arguments: [
        JSONValue.string("quote \" backslash \\ line \n tab \t bell \u{7} ü 🐦"), .number(0.1), .integer(.max),
        .number(1e300), .number(-2.5e-9), ["a": [1, nil, true], "b": [:]],
    ])
    func `written JSON reads as the same value`(value: JSONValue) throws {
        let bytes = JSONWriter.bytes(of: value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) == value)
    }

    @Test func `a 32-bit number is written with its own digits`() {
        #expect(String(decoding: JSONWriter.bytes(of: .float(0.1)), as: UTF8.self) == "0.1")
    }
}
