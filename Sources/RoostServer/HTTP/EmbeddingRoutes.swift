import Foundation
import HTTPTypes
import Roost
import RoostModel

/// The routes that embed texts in the form of OpenAI's API, so that its clients can use the store's embedding
/// model.
enum EmbeddingRoutes {
    private static let tag = "Embeddings"
    private static let text = Schema.string("A text.", minimum: 1, maximum: 1 << 20)
    private static let maximumTexts = 2_048
    private static let numbers = Schema.array(of: Schema.number("A number."), "A vector.")
    private static let texts = Schema.array(of: text, "Texts.", minimum: 1, maximum: maximumTexts)
    private static let dimensions = Schema.integer(
        "The number of dimensions, which must be that of the model.", 1...EmbeddingSpace.maximumDimension)

    static let all = [embeddings, models]

    private static let embeddings = Route(
        method: .post, path: "/v1/embeddings", operation: "createEmbeddings", tag: tag,
        summary: "Embed texts; compatible with OpenAI.",
        details: "Texts must not exceed the maximum length of the model. Arrays of tokens are not supported.",
        body: .json(
            Schema.object(
                named: "EmbeddingsRequest",
                [
                    "input": ["anyOf": [text, texts]],
                    "model": Schema.string("The model; see /v1/models.", maximum: 1_000),
                    "dimensions": Schema.nullable(dimensions),
                    "encoding_format": Schema.nullable(
                        Schema.choice(["float", "base64"], "The form of the vectors.")),
                    "user": Schema.nullable(Schema.string("Ignored.", maximum: 1_000)),
                ], required: ["input", "model"])),
        answers: [
            Route.Answer(
                200, "The vectors.",
                .json(
                    Schema.object(
                        named: "EmbeddingsResponse",
                        [
                            "object": Schema.string("`list`."), "model": Schema.string("The model."),
                            "data": Schema.array(
                                of: Schema.object(
                                    named: "Embedding",
                                    [
                                        "object": Schema.string("`embedding`."),
                                        "index": Schema.integer("The index of the text."),
                                        "embedding": [
                                            "anyOf": [
                                                numbers,
                                                Schema.string("The vector as 32-bit numbers in base64."),
                                            ]
                                        ],
                                    ], required: ["object", "index", "embedding"], isOpen: true),
                                "The vectors."),
                            "usage": Schema.map("The numbers of tokens."),
                        ], required: ["object", "model", "data", "usage"], isOpen: true)))
        ]
    ) { call in
        let input = call.body["input"]
        let texts = (input?.elements ?? [input ?? .null]).compactMap(\.string)
        return try await call.context.operations.handle.use { store in
            let space = store.embedder.space
            try check(call.body["model"]?.string, of: space)
            let dimensions = call.body["dimensions"]?.integer ?? space.dimension
            guard dimensions == space.dimension else {
                throw Problem.invalid("body.dimensions must be \(space.dimension), that of the model")
            }
            let result = try await store.embedder.checkedEmbeddings(texts, as: .document)
            if let long = result.omittedTokens.firstIndex(where: { $0 > 0 }) {
                throw Problem.invalid(
                    "body.input[\(long)] is longer than the model can read by "
                        + Count.text(result.omittedTokens[long], "token"))
            }
            let isBase64 = call.body["encoding_format"] == "base64"
            let tokens = result.tokenCounts.reduce(0, +)
            return .json([
                "object": "list", "model": .string(space.model),
                "data": .array(
                    (0..<result.vectors.rows).map { index in
                        let vector = result.vectors.row(index)
                        return [
                            "object": "embedding", "index": .count(index),
                            "embedding": isBase64 ? base64(vector) : .array(vector.map { .float($0) }),
                        ]
                    }), "usage": ["prompt_tokens": .count(tokens), "total_tokens": .count(tokens)],
            ])
        }
    }

    private static func base64(_ vector: [Float]) -> JSONValue {
        var data = Data(capacity: 4 * vector.count)
        for number in vector { withUnsafeBytes(of: number.bitPattern.littleEndian) { data += $0 } }
        return .string(data.base64EncodedString())
    }

    private static let models = Route(
        method: .get, path: "/v1/models", operation: "listModels", tag: tag,
        summary: "List the embedding model; compatible with OpenAI.",
        answers: [
            Route.Answer(
                200, "The model.",
                .json(
                    Schema.object(
                        named: "ModelList",
                        [
                            "object": Schema.string("`list`."),
                            "data": Schema.array(
                                of: Schema.map("A model, whose `id` is its name."), "The models."),
                        ], required: ["object", "data"], isOpen: true)))
        ]
    ) { call in
        let space = try await call.context.operations.handle.use { $0.embedder.space }
        return .json([
            "object": "list",
            "data": [["id": .string(space.model), "object": "model", "created": 0, "owned_by": "roost"]],
        ])
    }

    /// Checks the model that a request names.
    private static func check(_ model: String?, of space: EmbeddingSpace) throws(Problem) {
        guard model == space.model || model == space.model.split(separator: "/").last.map(String.init) else {
            throw Problem.notFound("the server has no model of this name; it serves \(space.model)")
        }
    }

    /// Returns the member `error` of a problem, from which clients of OpenAI's API read their message.
    static func error(_ problem: [String: JSONValue]) -> JSONValue {
        let texts = [problem["detail"], problem["advice"]].compactMap { $0?.string }
        return [
            "message": .string(texts.joined(separator: "; ")), "type": problem["code"] ?? .null,
            "code": problem["code"] ?? .null,
        ]
    }
}

extension MetadataValue {
    /// Creates a number with the digits of a 32-bit number, without those that a conversion to 64 bits adds.
    static func float(_ value: Float) -> JSONValue {
        value.isFinite ? .number(Double("\(value)") ?? Double(value)) : .null
    }
}
