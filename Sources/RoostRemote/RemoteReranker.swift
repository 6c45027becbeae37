import Foundation
import RoostFiles
public import RoostModel

/// A re-ranker that sends queries and passages to a server (``RemoteModel``), with a request to `/rerank` like that
/// of Cohere's API, which vLLM, llama.cpp and others provide too, or like that of Text Embeddings Inference.
public struct RemoteReranker: Reranker {
    private let model: RemoteModel
    private let transport: RemoteTransport

    /// The maximum size of a response in bytes. A server may also return the passages.
    private static let maximumResponseSize = 16 << 20

    /// Creates a re-ranker.
    ///
    /// - Parameter model: The model and its server. A trailing `/rerank` of the address is removed.
    public init(_ model: RemoteModel) {
        self.model = model
        transport = RemoteTransport(model, maximumResponseSize: Self.maximumResponseSize)
    }

    /// Returns the scores that the server computes. The sigmoid of all of them is returned if one is outside the
    /// range from 0 to 1: llama.cpp returns the outputs of the model.
    ///
    /// - Throws: `EmbedderError`; `CancellationError`.
    public func scores(of passages: [String], for query: String) async throws -> [Float] {
        guard !passages.isEmpty else { return [] }
        let texts = MetadataValue.array(passages.map { .string($0) })
        var response: Data
        do {
            response = try await post(
                ["model": .string(model.name), "query": .string(query), "documents": texts])
        } catch is RemoteTransport.TooLarge {
            // Text Embeddings Inference has other names for the same things.
            do {
                response = try await post(["query": .string(query), "texts": texts, "truncate": true])
            } catch let error as RemoteTransport.TooLarge {
                throw EmbedderError(
                    .refused, "the remote model rejected the passages: status \(error.status)\(error.hint)")
            }
        }
        let scores = try Self.scores(in: response, count: passages.count)
        guard scores.contains(where: { !(0...1).contains($0) }) else { return scores }
        return scores.map { 1 / (1 + exp(-$0)) }
    }

    private func post(_ request: MetadataValue) async throws -> Data {
        try await transport.post(try JSONEncoder.canonical.encode(request), to: "/rerank")
    }

    private static func scores(in data: Data, count: Int) throws -> [Float] {
        let body = try? MetadataValue(json: data)
        var scores = [Float?](repeating: nil, count: count)
        if case .array(let items)? = body?["results"] ?? body {
            for item in items {
                guard let score = (item["relevance_score"] ?? item["score"])?.double,
                    case .integer(let number)? = item["index"], let index = Int(exactly: number),
                    scores.indices.contains(index)
                else { continue }
                scores[index] = Float(score)
            }
        }
        let found = scores.compactMap(\.self)
        guard found.count == count else {
            throw EmbedderError(
                .badAnswer, "invalid response from the remote model: it has no score for each of the passages"
            )
        }
        return found
    }
}
