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
        let texts = passages.map { MetadataValue.string($0) }
        var scores: [Float]
        do {
            let response = try await post(
                ["model": .string(model.name), "query": .string(query), "documents": .array(texts)])
            scores = try Self.scores(in: response, count: texts.count)
        } catch is RemoteTransport.TooLarge {
            scores = try await inferenceScores(of: texts, for: query)
        }
        guard scores.contains(where: { !(0...1).contains($0) }) else { return scores }
        return scores.map { 1 / (1 + exp(-$0)) }
    }

    /// The number of passages in a request that Text Embeddings Inference accepts by default.
    private static let inferenceBatch = 32

    /// Returns the scores of Text Embeddings Inference, which has other names for the same things.
    private func inferenceScores(of texts: [MetadataValue], for query: String) async throws -> [Float] {
        var scores: [Float] = []
        for start in stride(from: 0, to: texts.count, by: Self.inferenceBatch) {
            let batch = Array(texts[start...].prefix(Self.inferenceBatch))
            do {
                let response = try await post(
                    ["query": .string(query), "texts": .array(batch), "truncate": true])
                scores += try Self.scores(in: response, count: batch.count)
            } catch let error as RemoteTransport.TooLarge {
                throw EmbedderError(
                    .refused,
                    "the remote model rejected the passages: status \(error.status)\(error.hint); check that it is a "
                        + "re-ranker")
            }
        }
        return scores
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
