import Foundation
import NIOHTTP1
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

struct ProgramTests {
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
            let text = try #require(encoded.json["data"]?.elements?[1]["embedding"]?.string)
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

    // MARK: Documentation

    @Test func `errors have the form that clients of other servers read`() async throws {
        try await HTTPHarness.run { harness in
            let model = harness.store.embedder.space.model
            for (path, body) in [
                ("/v1/embeddings", ["model": "other", "input": "x"]),
                ("/v1/embeddings", ["model": .string(model), "input": []]), ("/v1/chat/completions", [:]),
            ] as [(String, JSONValue)] {
                let answer = try await harness.send(.POST, path, body)
                let error = answer.json["error"]
                #expect(error?["message"] == answer.json["detail"], "\(answer.text)")
                #expect(error?["code"] == answer.json["code"])
            }
            #expect(try await harness.send(.POST, "/api/v1/search", [:]).json["error"] == nil)
            let models = try await harness.send(.GET, "/v1/models")
            #expect(models.json["data"]?.elements?.first?["id"] == .string(model))
        }
    }

    @Test(
        arguments: [
            ([], "body.input must be a string, not an array; or body.input needs at least 1 element"),
            (
                .array(Array(repeating: "x", count: 2_049)),
                "body.input must be a string, not an array; or body.input has more than 2048 elements"
            ),
            (["x", [1]], "body.input must be a string, not an array; or body.input[1] must be a string"),
            (true, "body.input must be a string, not a Boolean; or body.input must be an array"),
        ] as [(JSONValue, String)])
    func `the fault of an input is that of its most similar form`(
        input: JSONValue, expected: String
    ) async throws {
        try await HTTPHarness.run { harness in
            let model = JSONValue.string(harness.store.embedder.space.model)
            let answer = try await harness.send(.POST, "/v1/embeddings", ["model": model, "input": input])
            #expect(answer.status == 400)
            #expect(answer.json["detail"]?.string?.hasPrefix(expected) == true, "\(answer.text)")
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
            #expect(page.text.contains("/api/v1/search"))
        }
    }

    // MARK: Values
}
