import Foundation
import RoostModel

/// The response to a request for `/v1/embeddings`.
struct EmbeddingsResponse {
    /// The vectors, in the order of the texts in the request.
    var vectors: [[Float]]
    /// The number of tokens that the server reports having read; `nil` if it reports no number.
    var promptTokens: Int?

    private struct Body: Decodable {
        struct Item: Decodable {
            var index: Int?
            var embedding: [Float]
        }
        struct Usage: Decodable {
            var promptTokens: Int?

            private enum CodingKeys: String, CodingKey { case promptTokens = "prompt_tokens" }
        }
        var data: [Item]
        var usage: Usage?
    }

    /// Decodes and validates a response.
    init(_ data: Data, count: Int) throws {
        func bad(_ fault: String) -> EmbedderError {
            EmbedderError(.badAnswer, "invalid response from the remote model: it \(fault)")
        }
        let body: Body
        do {
            body = try JSONDecoder().decode(Body.self, from: data)
        } catch {
            throw bad("is not the JSON that /v1/embeddings returns")
        }
        guard body.data.count == count else {
            throw bad("has \(Count.text(body.data.count, "vector")) for \(Count.text(count, "text"))")
        }
        var slots = [[Float]?](repeating: nil, count: count)
        let isNumbered = body.data.contains { $0.index != nil }
        for (position, item) in body.data.enumerated() {
            guard let index = isNumbered ? item.index : position, slots.indices.contains(index),
                slots[index] == nil
            else { throw bad("does not number its vectors from 0 to \(count - 1)") }
            guard !item.embedding.isEmpty, item.embedding.allSatisfy(\.isFinite) else {
                throw bad("has a vector that is empty or not finite")
            }
            slots[index] = item.embedding
        }
        vectors = slots.compactMap { $0 }
        // Ignores counts that are negative or implausibly large.
        promptTokens = body.usage?.promptTokens.flatMap { (0...1 << 31).contains($0) ? $0 : nil }
    }
}
