import Foundation
import RoostModel

/// The answer of `/v1/embeddings`.
struct EmbeddingsAnswer {
    /// In the order of the texts that were asked for.
    var vectors: [[Float]]
    /// How many tokens the server says it has read, where it does.
    var promptTokens: Int?

    private struct Body: Decodable {
        struct Item: Decodable {
            var index: Int?
            var embedding: Numbers
        }
        struct Usage: Decodable {
            var prompt_tokens: Int?
        }
        var data: [Item]
        var usage: Usage?
    }

    /// An array of numbers, or little-endian Float32 in base64.
    private struct Numbers: Decodable {
        var values: [Float]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let text = try? container.decode(String.self) else {
                values = try container.decode([Float].self)
                return
            }
            guard let data = Data(base64Encoded: text), data.count % 4 == 0 else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "no base64 of Float32")
            }
            values = data.withUnsafeBytes { bytes in
                (0..<bytes.count / 4).map {
                    Float(
                        bitPattern: UInt32(
                            littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
                }
            }
        }
    }

    /// - Throws: ``EmbedderError`` with `.badAnswer`, saying what is wrong.
    init(_ data: Data, count: Int) throws {
        func bad(_ why: String) -> EmbedderError {
            EmbedderError(.badAnswer, "the remote model's answer \(why)")
        }
        let body: Body
        do {
            body = try JSONDecoder().decode(Body.self, from: data)
        } catch {
            throw bad("is not the JSON of /v1/embeddings")
        }
        guard body.data.count == count else { throw bad("has \(body.data.count) vectors for \(count) texts") }
        var places = [[Float]?](repeating: nil, count: count)
        let isNumbered = body.data.contains { $0.index != nil }
        for (position, item) in body.data.enumerated() {
            guard let index = isNumbered ? item.index : position, places.indices.contains(index),
                places[index] == nil
            else { throw bad("does not number its vectors from 0 to \(count - 1)") }
            guard !item.embedding.values.isEmpty, item.embedding.values.allSatisfy(\.isFinite) else {
                throw bad("has a vector that is empty or not finite")
            }
            places[index] = item.embedding.values
        }
        vectors = places.compactMap { $0 }
        // A count beyond what fits the answer is none.
        promptTokens = body.usage?.prompt_tokens.flatMap { (0...1 << 31).contains($0) ? $0 : nil }
    }
}
