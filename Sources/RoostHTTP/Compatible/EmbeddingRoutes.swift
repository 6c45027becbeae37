import Foundation
import HTTPTypes
import Roost
import RoostMCP
import RoostModel

/// The routes that embed texts in the forms of other servers, so that programs for these can use the store's
/// embedding model.
enum EmbeddingRoutes {
    static let tag = "Embeddings"
    static let text = Schema.string("A text.", minimum: 1, maximum: 1 << 20)
    static let maximumTexts = 2_048
    static let numbers = Schema.array(of: Schema.number("A number."), "A vector.")
    private static let texts = Schema.array(of: text, "Texts.", minimum: 1, maximum: maximumTexts)
    static let dimensions = Schema.integer(
        "The number of dimensions, which must be that of the model.", 1...EmbeddingSpace.maximumDimension)

    private static let usage = Schema.object(
        named: "Usage",
        [
            "prompt_tokens": Schema.integer("The number of tokens of the texts."),
            "total_tokens": Schema.integer("The same number."),
        ], required: ["prompt_tokens", "total_tokens"], isOpen: true)
    private static let modelSchema = Schema.object(
        named: "Model",
        [
            "id": Schema.string("The name."), "object": Schema.string("`model`."),
            "created": Schema.integer("Always 0."), "owned_by": Schema.string("`roost`."),
        ], required: ["id", "object", "created", "owned_by"], isOpen: true)

    private static let tokens = Schema.array(
        of: Schema.integer("The id of a token.", 0...Int(Int32.max)),
        "The ids of the tokens of a text in the vocabulary of the model.", minimum: 1, maximum: 1 << 16)
    /// A text or several texts, each as a string or as an array of tokens.
    private static let textsOrTokens: JSONValue = [
        "anyOf": [
            text, texts, tokens,
            Schema.array(of: tokens, "Arrays of tokens.", minimum: 1, maximum: maximumTexts),
        ]
    ]

    static let all = [openAI, models, model, inference, information] + OllamaRoutes.all

    // MARK: The form of OpenAI

    private static let openAI = Route(
        method: .post, path: "/v1/embeddings", operation: "createEmbeddings", tag: tag,
        summary: "Embed texts; compatible with OpenAI.",
        details: "Texts must not exceed the maximum length of the model. Arrays of tokens must consist of "
            + "the tokens that the tokenizer of this model produces; those of another model are refused.",
        body: .json(
            Schema.object(
                named: "EmbeddingsRequest",
                [
                    "input": textsOrTokens,
                    "model": Schema.string("The model; see /v1/models.", maximum: 1_000),
                    "dimensions": Schema.nullable(dimensions),
                    "encoding_format": Schema.nullable(
                        Schema.choice(["float", "base64"], "The form of the vectors.")),
                    "user": Schema.nullable(Schema.string("Ignored.", maximum: 1_000)),
                ], required: ["input", "model"])),
        embedsBody: true,
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
                            "usage": usage,
                        ], required: ["object", "model", "data", "usage"], isOpen: true)))
        ]
    ) { call in
        let result = try await embed(
            call.body["input"], call, model: call.body["model"]?.asString,
            dimensions: call.body["dimensions"]?.integer)
        guard let long = result.embeddings.omittedTokens.firstIndex(where: { $0 > 0 }) else {
            let isBase64 = call.body["encoding_format"] == "base64"
            let tokens = result.embeddings.tokenCounts.reduce(0, +)
            return .json([
                "object": "list", "model": .string(result.model),
                "data": .array(
                    result.vectors.enumerated().map { index, vector in
                        [
                            "object": "embedding", "index": .count(index),
                            "embedding": isBase64 ? base64(vector) : .array(vector.map { .float($0) }),
                        ]
                    }), "usage": ["prompt_tokens": .count(tokens), "total_tokens": .count(tokens)],
            ])
        }
        throw Problem.invalid(
            "body.input[\(long)] is longer than the model can read by "
                + Count.text(result.embeddings.omittedTokens[long], "token"))
    }

    /// Returns the texts of an input, which can consist of strings or of arrays of tokens.
    ///
    /// - Throws: ``Problem`` if an array contains other tokens than those of the embedder.
    private static func inputs(
        _ value: JSONValue?, of embedder: any Embedder
    ) throws(Problem) -> [String] {
        var elements = value?.elements ?? [value ?? .null]
        // An array of numbers is one text.
        if elements.first?.integer != nil { elements = [.array(elements)] }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            let tokens = (element.elements ?? []).compactMap(\.integer)
            guard let text = element.asString ?? embedder.text(ofTokens: tokens) else {
                throw .invalid(
                    "the array of tokens with the index \(index) does not consist of tokens of the model "
                        + "\(embedder.space.model); send texts instead of tokens")
            }
            texts.append(text)
        }
        return texts
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
                            "data": Schema.array(of: modelSchema, "The models."),
                        ], required: ["object", "data"], isOpen: true)))
        ]
    ) { call in
        let space = try await call.context.handle.use { $0.embedder.space }
        return .json(["object": "list", "data": [description(of: space)]])
    }

    private static let model = Route(
        method: .get, path: "/v1/models/{id}", takesRest: true, operation: "getModel", tag: tag,
        summary: "Describe the embedding model; compatible with OpenAI.",
        details: "A `/` in the name of the model need not be encoded.",
        parameters: [.path("id", Schema.string("The name of the model.", maximum: 1_000))],
        answers: [Route.Answer(200, "The model.", .json(modelSchema))]
    ) { call in
        let space = try await call.context.handle.use { $0.embedder.space }
        try check(call.string("id"), of: space)
        return .json(description(of: space))
    }

    private static func description(of space: EmbeddingSpace) -> JSONValue {
        ["id": .string(space.model), "object": "model", "created": 0, "owned_by": "roost"]
    }

    // MARK: The form of Text Embeddings Inference

    private static let inference = Route(
        method: .post, path: "/embed", operation: "embed", tag: tag,
        summary: "Embed texts; compatible with Text Embeddings Inference.",
        body: .json(
            Schema.object(
                named: "InferenceRequest",
                [
                    "inputs": textsOrTokens,
                    "normalize": Schema.nullable(
                        Schema.flag("Must be true or absent: the vectors have unit length.")),
                    "truncate": Schema.nullable(
                        Schema.flag("Whether to truncate texts that are too long; false by default.")),
                    "truncation_direction": Schema.nullable(
                        Schema.choice(["Right", "right"], "Where to truncate texts: only at the end.")),
                    "prompt_name": Schema.nullable(
                        Schema.choice(
                            ["query", "document", "passage"],
                            "Whether the texts are queries or documents; documents by default.")),
                    "dimensions": Schema.nullable(dimensions),
                ], required: ["inputs"])),
        embedsBody: true,
        answers: [
            Route.Answer(
                200, "The vectors.", .json(Schema.array(of: numbers, "The vectors in the order of texts.")))
        ]
    ) { call in
        guard call.body["normalize"] != false else {
            throw Problem.invalid("body.normalize must be true: the vectors of the store have unit length")
        }
        let result = try await embed(
            call.body["inputs"], call, model: nil, dimensions: call.body["dimensions"]?.integer,
            role: call.body["prompt_name"] == "query" ? .query : .document)
        let isTooLong = result.embeddings.omittedTokens.contains { $0 > 0 }
        guard call.body["truncate"]?.flag == true || !isTooLong else {
            throw Problem(.contentTooLarge, "textTooLong", "a text is longer than the model can read")
        }
        return .json(.array(result.vectors.map { .array($0.map { .float($0) }) }))
    }

    private static let information = Route(
        method: .get, path: "/info", operation: "getModelInformation", tag: tag,
        summary: "Describe the embedding model; compatible with Text Embeddings Inference.",
        answers: [
            Route.Answer(
                200, "The model.",
                .json(
                    Schema.object(
                        named: "InferenceModel",
                        [
                            "model_id": Schema.string("The model."),
                            "model_sha": Schema.string("The revision of the model."),
                            "model_dtype": Schema.string("The type of numbers."),
                            "model_type": Schema.object(
                                [
                                    "embedding": Schema.object(
                                        ["pooling": Schema.string("How the vectors of tokens are combined.")],
                                        required: ["pooling"], isOpen: true)
                                ], required: ["embedding"], isOpen: true),
                            "max_client_batch_size": Schema.integer("The maximum number of texts."),
                            "max_input_length": Schema.integer("The maximum number of tokens of a text."),
                            "version": Schema.string("The version of Roost."),
                        ],
                        required: [
                            "model_id", "model_sha", "model_dtype", "model_type", "max_client_batch_size",
                            "version",
                        ], isOpen: true)))
        ]
    ) { call in
        try await call.context.handle.use { store in
            let space = store.embedder.space
            var members: [String: JSONValue] = [
                "model_id": .string(space.model), "model_sha": .string(space.revision),
                "model_dtype": "float32", "model_type": ["embedding": ["pooling": .string(space.pooling)]],
                "max_client_batch_size": .count(maximumTexts),
                "version": .string(call.context.settings.version),
            ]
            members["max_input_length"] = store.embedder.maximumTokens.map { .count($0) }
            return .json(.object(members))
        }
    }

    // MARK: Embedding

    /// Checks the model that a request names.
    ///
    /// - Throws: ``Problem`` if it is not the model of the store.
    static func check(_ model: String?, of space: EmbeddingSpace) throws(Problem) {
        let names = [space.model, space.model.split(separator: "/").last.map(String.init) ?? space.model]
        // Ollama's clients add a tag to names.
        let name = model.map { $0.hasSuffix(":latest") ? String($0.dropLast(7)) : $0 }
        if let name, !names.contains(name) {
            throw Problem.notFound("the server has no model of this name; it serves \(space.model)")
        }
    }

    /// Vectors, and the model that computed them.
    struct Result: Sendable {
        var model: String
        var embeddings: Embeddings

        var vectors: [[Float]] { (0..<embeddings.vectors.rows).map { embeddings.vectors.row($0) } }
    }

    /// Embeds texts with the model of the store.
    ///
    /// - Throws: ``Problem`` if another model or number of dimensions is requested, or tokens of another
    ///   model are given.
    static func embed(
        _ input: JSONValue?, _ call: Call, model: String?, dimensions: Int?, role: TextRole = .document
    ) async throws -> Result {
        try await call.context.handle.use { store in
            let space = store.embedder.space
            try check(model, of: space)
            guard dimensions == nil || dimensions == space.dimension else {
                throw Problem.invalid("body.dimensions must be \(space.dimension), that of the model")
            }
            let texts = try inputs(input, of: store.embedder)
            let embeddings = try await store.embedder.checkedEmbeddings(texts, as: role)
            return Result(model: space.model, embeddings: embeddings)
        }
    }
}
