import FakeServer
import Foundation
import HTTPTypes
import NIOCore
import RoostModel
import RoostVectors
import Testing

@testable import RoostRemote

/// Tests of the embedder with a server that behaves like that of OpenAI.
@Suite struct RemoteEmbedderTests {
    static func vector(_ text: String, dimension: Int = 8) -> [Float] {
        let seed = text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        var generator = SeededGenerator(seed: seed)
        return normalized((0..<dimension).map { _ in Float(generator.nextNormal()) })
    }

    static func body(_ inputs: [String], tokens: Int? = nil, scale: Float = 1) -> FakeServer.Answer {
        let data = inputs.enumerated().map { index, text in
            ["index": index, "embedding": vector(text).map { Double(scale * $0) }] as [String: Any]
        }
        let words = inputs.reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
        return .json(
            200, ["data": data, "usage": ["prompt_tokens": tokens ?? words + inputs.count]] as [String: Any])
    }

    func model(_ server: FakeServer, _ change: (inout RemoteModel) -> Void = { _ in }) throws -> RemoteModel {
        var model = try RemoteModel(endpoint: server.address + "/v1", name: "tiny", key: Secret("sk-hush"))
        model.maximumDelay = .milliseconds(50)
        change(&model)
        return model
    }

    func check(
        _ texts: [String], _ change: (inout RemoteModel) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation,
        respond: @escaping FakeServer.Respond
    ) async throws -> (Embeddings, RemoteEmbedder, FakeServer) {
        let server = try await FakeServer(respond)
        let embedder = try await RemoteEmbedder.connect(try model(server, change))
        let result = try await embedder.embed(texts, as: .document)
        await server.close()
        #expect(result.vectors.rows == texts.count, sourceLocation: sourceLocation)
        return (result, embedder, server)
    }

    func expectExact(
        _ result: Embeddings, _ texts: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (row, text) in texts.enumerated() {
            #expect(
                zip(result.vectors.row(row), Self.vector(text)).allSatisfy { abs($0 - $1) < 1e-6 }, "\(text)",
                sourceLocation: sourceLocation)
        }
    }

    let texts = (0..<150).map { "text number \($0)" }

    @Test(arguments: [Int.min, 0, Int.max]) func `settings out of range are replaced`(
        number: Int
    ) async throws {
        let texts = Array(texts.prefix(5))
        let (result, _, server) = try await check(
            texts,
            { model in
                (model.batchSize, model.concurrency, model.attempts) = (number, number, number)
                model.timeout = number == 0 ? .seconds(60) : .seconds(Int64.max)
            }, respond: { request, _ in Self.body(request.inputs) })
        expectExact(result, texts)
        #expect(server.requests.allSatisfy { !$0.inputs.isEmpty })
    }

    @Test func `connecting measures the space, and requests carry the key and at most 64 texts`() async throws
    {
        let (result, embedder, server) = try await check(texts) { request, _ in Self.body(request.inputs) }
        expectExact(result, texts)
        #expect(
            embedder.space.dimension == 8 && embedder.space.isNormalized
                && embedder.space.model == "remote:tiny")
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.path == "/v1/embeddings" && $0.inputs.count <= 64 })
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer sk-hush" })
        let (_, free, _) = try await check(["a"]) { request, _ in Self.body(request.inputs, scale: 3) }
        #expect(!free.space.isNormalized)
    }

    @Test func `vectors are ordered by their index`() async throws {
        let (result, _, _) = try await check(texts) { request, _ in
            let data = request.inputs.enumerated().reversed().map { index, text in
                ["index": index, "embedding": Self.vector(text).map { Double($0) }] as [String: Any]
            }
            return .json(200, ["data": data])
        }
        expectExact(result, texts)
    }

    @Test func `transient failures are retried`() async throws {
        let (result, _, server) = try await check(texts) { request, number in
            switch number {
            case 2: .json(429, ["error": ["message": "slow down"]], ["Retry-After": "0.01"])
            case 3: .json(503, [:] as [String: Any])
            case 4: FakeServer.Answer(hangsUp: true)
            case 5: .json(502, [:] as [String: Any])
            default: Self.body(request.inputs)
            }
        }
        expectExact(result, texts)
        #expect(server.requests.count == 8)
    }

    @Test func `a requested delay is limited to the maximum delay`() async throws {
        let start = ContinuousClock.now
        _ = try await check(["a"]) { request, number in
            number == 2
                ? .json(429, [:] as [String: Any], ["Retry-After": "3000"]) : Self.body(request.inputs)
        }
        #expect(ContinuousClock.now - start < .seconds(1500))
        #expect(RemoteTransport.retryAfter([.retryAfter: "soon"]) == nil)
    }

    @Test(arguments: [400, 413, 422])
    func `a request that is too large is split into two`(status: Int) async throws {
        let (result, _, server) = try await check(texts) { request, _ in
            request.inputs.count > 10
                ? .json(status, ["error": ["message": "too large"]]) : Self.body(request.inputs)
        }
        expectExact(result, texts)
        #expect(server.requests.count > 15)
    }

    @Test func `a text that is too long is an error with the next step`() async throws {
        let server = try await FakeServer { request, _ in
            request.inputs.contains { $0.utf8.count > 1_000 }
                ? .json(400, ["error": ["message": "secret", "code": "context_length_exceeded"]])
                : Self.body(request.inputs)
        }
        let embedder = try await RemoteEmbedder.connect(try model(server))
        let long = String(repeating: "word ", count: 400)
        let error = await #expect(throws: EmbedderError.self) {
            try await embedder.embed(["short", long], as: .document)
        }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("(context_length_exceeded)") == true)
        #expect(error?.message.contains("lower the maximum number of words") == true)
        await server.close()
    }

    @Test func `the delay that a server requests is respected`() async throws {
        let start = ContinuousClock.now
        _ = try await check(
            ["a"], { $0.maximumDelay = .seconds(5) },
            respond: { request, number in
                number == 2
                    ? .json(429, [:] as [String: Any], ["Retry-After": "0.7"]) : Self.body(request.inputs)
            })
        // If the server had not requested a delay, the client would have waited for at most a quarter of a second.
        #expect(ContinuousClock.now - start >= .milliseconds(700))
    }

    @Test(arguments: [
        (
            401, #"{"error": {"message": "Incorrect API key provided: sk-hush", "code": "invalid_api_key"}}"#,
            "refused", "key"
        ),
        (404, #"{"error": {"message": "model secret text not found"}}"#, "refused", "does not provide"),
        (400, #"{"error": {"message": "secret text is no input"}}"#, "refused", "rejected"),
        (302, "", "refused", "another address"), (500, "secret text", "unavailable", "500"),
        (
            500, #"{"error": {"message": "you exceed something secret", "code": "busy"}}"#, "unavailable",
            "(busy)"
        ),
        (200, "secret text", "badAnswer", "not the JSON"),
        (200, #"{"data": []}"#, "badAnswer", "0 vectors for 1 text"),
        (200, #"{"data": [{"index": 7, "embedding": [1]}]}"#, "badAnswer", "number"),
        (200, #"{"data": [{"index": 0, "embedding": []}]}"#, "badAnswer", "empty"),
        (200, #"{"data": [{"index": 0, "embedding": "AAA"}]}"#, "badAnswer", "not the JSON"),
    ]) func `an invalid response or a rejection is an error without secrets`(
        status: Int, body: String, code: String, words: String
    ) async throws {
        let server = try await FakeServer { _, _ in
            FakeServer.Answer(
                status: status, headers: ["Location": "http://127.0.0.1:1/"], body: Data(body.utf8))
        }
        let model = try model(server)
        let error = await #expect(throws: EmbedderError.self) { try await RemoteEmbedder.connect(model) }
        await server.close()
        #expect(
            error?.code.rawValue == code && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("hush") == false && error?.message.contains("secret") == false)
        #expect(server.requests.count == 1)
        #expect("\(model)".contains("hush") == false && String(reflecting: model).contains("hush") == false)
    }

    @Test func `an unreachable server is an error after the maximum number of attempts`() async throws {
        let server = try await FakeServer { _, _ in FakeServer.Answer() }
        let model = try model(server) { $0.attempts = 2 }
        await server.close()
        let error = await #expect(throws: EmbedderError.self) { try await RemoteEmbedder.connect(model) }
        #expect(error?.code == .unavailable && error?.isRetryable == true)
        #expect(error?.message.contains("cannot reach") == true)
    }

    @Test func `a timeout is an error`() async throws {
        let server = try await FakeServer { request, _ in
            var answer = Self.body(request.inputs)
            answer.delay = .hours(1)
            return answer
        }
        let model = try model(server) {
            $0.attempts = 2
            $0.timeout = .seconds(3)
        }
        let error = await #expect(throws: EmbedderError.self) { try await RemoteEmbedder.connect(model) }
        #expect(error?.code == .unavailable && error?.message.contains("did not respond") == true)
        await server.close()
    }

    @Test func `a different model with the same name is detected`() async throws {
        let server = try await FakeServer { request, number in
            number <= 2
                ? Self.body(request.inputs) : Self.body(request.inputs.map { "other " + $0 })
        }
        let space = try await RemoteEmbedder.connect(try model(server)).space
        let same = RemoteEmbedder(try model(server), space: space)
        // The second request is the client's check. A different model answers the third and all later requests.
        _ = try await same.embed(["a"], as: .query)
        let other = RemoteEmbedder(try model(server), space: space)
        let error = await #expect(throws: EmbedderError.self) { try await other.embed(["a"], as: .query) }
        #expect(error?.code == .configuration && error?.message.contains("is not the one") == true)
        await server.close()
    }

    @Test func `prefixes are sent and are part of the space`() async throws {
        let (_, embedder, server) = try await check(
            [""], { $0.documentPrefix = "passage: " },
            respond: { request, _ in
                Self.body(request.inputs)
            })
        #expect(embedder.space.documentPrefix == "passage: ")
        #expect(server.requests.allSatisfy { $0.inputs.allSatisfy { $0.hasPrefix("passage: ") } })
    }

    @Test func `the proxy in the environment is used`() async throws {
        let proxy = try await FakeServer { _, _ in FakeServer.Answer(status: 502) }
        var model = try RemoteModel(endpoint: "http://models.example/v1", name: "tiny")
        model.environment = ["http_proxy": proxy.address]
        model.attempts = 1
        model.timeout = .seconds(60)
        await #expect(throws: EmbedderError.self) { try await RemoteEmbedder.connect(model) }
        #expect(proxy.requests.first?.path.hasPrefix("http://models.example/v1/") == true)
        await proxy.close()
        let far = try #require(URL(string: "https://models.example/v1"))
        #expect(HTTPProxy(for: far, ["HTTPS_PROXY": "proxy.example:3128"]) != nil)
        #expect(HTTPProxy(for: far, ["https_proxy": "p:1", "no_proxy": "other, example"]) == nil)
        let near = try #require(URL(string: "http://127.0.0.1:8080/v1"))
        #expect(HTTPProxy(for: near, ["http_proxy": "p:1"]) == nil)
    }

    @Test(arguments: [
        ("models.example", "not an http"), ("ftp://models.example", "not an http"),
        ("http://u:p@127.0.0.1/v1", "a user"),
        ("http://models.example/v1", "https"), ("http://127.evil.example/v1", "https"),
        ("https://models.example/v1?key=1", "query"),
    ]) func `an invalid endpoint is an error`(endpoint: String, words: String) {
        let error = #expect(throws: EmbedderError.self) {
            try RemoteModel(endpoint: endpoint, name: "m", key: Secret("sk-hush"))
        }
        #expect(
            error?.code == .configuration && error?.message.contains(words) == true, "\(error?.message ?? "")"
        )
    }

    @Test func `cancellation ends the delay before a retry`() async throws {
        let server = try await FakeServer { _, _ in .json(503, [:] as [String: Any], ["Retry-After": "60"]) }
        let model = try model(server) { $0.maximumDelay = .seconds(60) }
        let task = Task { try await RemoteEmbedder.connect(model) }
        // Once the server has received the request, its response makes the client wait for 60 seconds.
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await server.close()
    }
}
