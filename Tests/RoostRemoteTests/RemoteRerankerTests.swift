import FakeServer
import Foundation
import RoostModel
import Testing

@testable import RoostRemote

struct RemoteRerankerTests {
    static func scores(_ path: String = "/v2/rerank", _ respond: @escaping FakeServer.Respond) async throws
        -> (scores: [Float], server: FakeServer)
    {
        let server = try await FakeServer(respond)
        var model = try RemoteModel(endpoint: server.address + path, name: "r", key: Secret("sk-hush"))
        (model.maximumDelay, model.attempts) = (.milliseconds(20), 2)
        let scores = try await RemoteReranker(model).scores(of: ["a", "b"], for: "q")
        await server.close()
        return (scores, server)
    }

    static func items(_ name: String, _ scores: Any...) -> [[String: Any]] {
        zip([1, 0], scores).map { ["index": $0, name: $1] }
    }

    @Test func `a request is in the form of Cohere, or else in that of Text Embeddings Inference`()
        async throws
    {
        let (scores, server) = try await Self.scores { _, _ in
            .json(200, ["results": Self.items("relevance_score", 0.25, 1)])
        }
        #expect(scores == [1, 0.25] && server.requests.map(\.path) == ["/v2/rerank"])
        #expect(server.requests[0].headers["authorization"] == "Bearer sk-hush")
        let body = try MetadataValue(json: server.requests[0].body)
        #expect(body == ["model": "r", "query": "q", "documents": ["a", "b"]])
        let (others, second) = try await Self.scores { request, number in
            number == 1 ? .json(422, [:]) : .json(200, Self.items("score", 2, -1.5))
        }
        // Outputs outside the range from 0 to 1 are converted, and keep their order.
        #expect(others[0] < others[1] && others.allSatisfy { (0...1).contains($0) })
        let retried = try MetadataValue(json: second.requests[1].body)
        #expect(retried == ["query": "q", "texts": ["a", "b"], "truncate": true])
    }

    @Test func `requests to Text Embeddings Inference have at most 32 passages`() async throws {
        let server = try await FakeServer { request, number in
            let body = try? MetadataValue(json: request.body)
            guard case .array(let texts)? = body?["texts"] else { return .json(422, [:]) }
            guard texts.count <= 32 else { return .json(413, [:]) }
            return .json(200, texts.indices.map { ["index": $0, "score": Double($0) / Double(8 * number)] })
        }
        let model = try RemoteModel(endpoint: server.address, name: "r")
        let scores = try await RemoteReranker(model).scores(of: (0..<34).map { "p\($0)" }, for: "q")
        await server.close()
        // The conversion applies to all requests, so that scores can be compared.
        #expect(scores.count == 34 && scores[0] == 0.5 && scores[32] == 0.5 && scores[33] > 0.5)
    }

    @Test func `a refusal or an invalid response is an error without the key`() async throws {
        let answers: [(FakeServer.Answer, EmbedderError.Code)] = [
            (.json(400, [:]), .refused), (.json(401, [:]), .refused), (.json(404, [:]), .refused),
            (.json(200, ["results": Self.items("relevance_score", 0.25)]), .badAnswer),
            (.json(200, ["results": Self.items("relevance_score", 0.25, "1")]), .badAnswer),
            (FakeServer.Answer(body: Data("<html>".utf8)), .badAnswer), (.json(503, [:]), .unavailable),
        ]
        for (answer, code) in answers {
            let error = await #expect(throws: EmbedderError.self) { try await Self.scores { _, _ in answer } }
            #expect(
                error?.code == code && error?.message.contains("hush") == false, "\(error?.message ?? "")")
        }
    }
}
