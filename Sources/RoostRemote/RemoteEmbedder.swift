import Foundation
import RoostFiles
public import RoostModel
import RoostVectors
import Synchronization

/// An embedder that sends texts to a server (``RemoteModel``).
///
/// The embedder measures the properties of the model: the vector of a fixed text shows the dimension and
/// whether vectors have unit length. A sketch of that vector becomes part of the embedding space, so a
/// different model with the same name is detected. A request that the server rejects as too large is split
/// into two. Servers that truncate long texts without reporting it cannot be detected, so the passages
/// (``RemoteModel/maximumWords``) must fit into the window of the model.
public struct RemoteEmbedder: Embedder {
    /// The embedding space, including the sketch of the vector of the fixed text.
    public let space: EmbeddingSpace
    private let model: RemoteModel
    /// Copies of the embedder share it.
    private let transport: RemoteTransport

    /// Creates an embedder for an existing embedding space.
    ///
    /// The first call of ``embed(_:as:)`` checks that the server still uses the model of that space.
    ///
    /// - Parameters:
    ///   - model: The model and its server.
    ///   - space: The embedding space of the existing vectors.
    public init(_ model: RemoteModel, space: EmbeddingSpace) {
        self.init(model, space, RemoteTransport(model))
    }

    private init(_ model: RemoteModel, _ space: EmbeddingSpace, _ transport: RemoteTransport) {
        (self.model, self.space, self.transport) = (model, space, transport)
    }

    /// Connects to a server and determines the embedding space of its model.
    ///
    /// - Throws: `EmbedderError`; `CancellationError`.
    public static func connect(_ model: RemoteModel) async throws -> RemoteEmbedder {
        let transport = RemoteTransport(model)
        let unknown = EmbeddingSpace(model: "", revision: "", dimension: 0, pooling: "")
        let vector = try await RemoteEmbedder(model, unknown, transport).probe(model.documentPrefix)
        transport.isVerified.store(true, ordering: .relaxed)
        let space = EmbeddingSpace(
            model: "remote:\(model.name)", revision: "remote", dimension: vector.count, pooling: "remote",
            queryPrefix: model.queryPrefix, documentPrefix: model.documentPrefix,
            isNormalized: abs(length(of: vector) - 1) < Self.unitLengthTolerance,
            probe: EmbeddingProbe.sketch(of: vector))
        return RemoteEmbedder(model, space, transport)
    }

    /// The maximum deviation from length 1 for a vector to be treated as a unit vector. Vectors in JSON are
    /// often rounded to a few digits.
    private static let unitLengthTolerance: Float = 1e-3

    /// The maximum number of words in a passage.
    public var maximumTokens: Int? { model.maximumWords }

    // MARK: Embedding

    /// Embeds texts, in several concurrent requests.
    ///
    /// - Throws: `EmbedderError`, for example with `.configuration` if the server uses a different model from
    ///   that of ``space``; `CancellationError`.
    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        guard !texts.isEmpty else {
            return Embeddings(
                vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
        }
        guard (1...EmbeddingSpace.maximumDimension).contains(space.dimension) else {
            throw EmbedderError(
                .configuration, "cannot embed: the dimension \(space.dimension) of the model is out of range")
        }
        try await verify()
        let prefix = role == .query ? space.queryPrefix : space.documentPrefix
        let size = min(max(1, model.batchSize), texts.count)
        let batches = stride(from: 0, to: texts.count, by: size).map { start in
            Array(texts[start..<min(texts.count, start + size)])
        }
        let results = try await batches.concurrentMap(limit: max(1, model.concurrency)) { batch in
            try await embed(batch, prefix)
        }.flatMap { $0 }
        return Embeddings(
            vectors: Matrix(results.map(\.vector), columns: space.dimension),
            tokenCounts: results.map(\.tokens), omittedTokens: results.map { _ in 0 })
    }

    private struct Embedding {
        var vector: [Float]
        var tokens: Int
    }

    private func probe(_ prefix: String) async throws -> [Float] {
        try await embed([EmbeddingProbe.text], prefix)[0].vector
    }

    private func verify() async throws {
        guard let probe = space.probe, !transport.isVerified.load(ordering: .relaxed) else { return }
        let vector = try await self.probe(space.documentPrefix)
        guard vector.count == space.dimension, EmbeddingProbe.agree(EmbeddingProbe.sketch(of: vector), probe)
        else {
            throw EmbedderError(
                .configuration,
                "cannot embed: the model '\(model.name)' at "
                    + "\(model.endpoint.host ?? "") is not the one that computed the existing vectors")
        }
        transport.isVerified.store(true, ordering: .relaxed)
    }

    /// Returns the vectors of texts. A request that is too large is repeated with half of the texts.
    private func embed(_ texts: [String], _ prefix: String) async throws -> [Embedding] {
        let response: EmbeddingsResponse
        do {
            response = try await self.response(texts, prefix)
        } catch let error as RemoteTransport.TooLarge {
            guard texts.count > 1 else {
                throw EmbedderError(
                    .refused,
                    "the remote model rejected a text: status \(error.status)\(error.hint); if it is too long, "
                        + "lower the maximum number of words of a passage")
            }
            let middle = texts.count / 2
            let first = try await embed(Array(texts[..<middle]), prefix)
            return first + (try await embed(Array(texts[middle...]), prefix))
        }
        // The server reports the tokens of all texts, which are divided by length.
        let bytes = max(1, texts.reduce(0) { $0 + $1.utf8.count })
        let total = response.promptTokens ?? bytes / Self.bytesPerToken
        return zip(response.vectors, texts).map { vector, text in
            Embedding(vector: vector, tokens: total * text.utf8.count / bytes)
        }
    }

    /// The typical number of bytes of a token, for servers that report no number of tokens.
    private static let bytesPerToken = 4

    private struct Request: Encodable {
        var model: String
        var input: [String]
        var encodingFormat = "float"
    }

    private func response(_ texts: [String], _ prefix: String) async throws -> EmbeddingsResponse {
        // Most servers reject an empty input.
        let inputs = texts.map { $0.isEmpty ? prefix + " " : prefix + $0 }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let body = try encoder.encode(Request(model: model.name, input: inputs))
        let response = try EmbeddingsResponse(
            try await transport.post(body, to: "/embeddings"), count: texts.count)
        for vector in response.vectors where space.dimension > 0 && vector.count != space.dimension {
            throw EmbedderError(
                .badAnswer,
                "dimension mismatch: the remote model returned \(vector.count) components instead of "
                    + "\(space.dimension)")
        }
        return response
    }
}

struct EmbeddingsResponse {
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
        }
        var data: [Item]
        var usage: Usage?
    }

    init(_ data: Data, count: Int) throws {
        func bad(_ fault: String) -> EmbedderError {
            EmbedderError(.badAnswer, "invalid response from the remote model: it \(fault)")
        }
        let body: Body
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            body = try decoder.decode(Body.self, from: data)
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
