import Foundation
import HTTPTypes
import Roost
import RoostMCP
import RoostModel

/// The routes in the form of Ollama (https://github.com/ollama/ollama/blob/main/docs/api.md): embeddings, and
/// the list of models, which some clients read first.
enum OllamaRoutes {
    private static let modelName = Schema.string("The model; see /api/tags.", maximum: 1_000)
    private static let options = Schema.nullable(Schema.map("Ignored."))
    private static let ignored: JSONValue = ["description": "Ignored."]
    private static let model = Schema.object(
        named: "OllamaModel",
        [
            "name": Schema.string("The name."), "model": Schema.string("The same name."),
            "digest": Schema.string("The revision of the model."),
        ], required: ["name", "model", "digest"], isOpen: true)

    static let all = [embed, legacyEmbed, tags, version]

    private static let embed = Route(
        method: .post, path: "/api/embed", operation: "embedTexts", tag: EmbeddingRoutes.tag,
        summary: "Embed texts; compatible with Ollama.",
        body: .json(
            Schema.object(
                named: "OllamaRequest",
                [
                    "model": modelName,
                    "input": [
                        "anyOf": [
                            Schema.string("A text, or empty for no vector.", maximum: 1 << 20),
                            Schema.array(
                                of: EmbeddingRoutes.text, "Texts.", maximum: EmbeddingRoutes.maximumTexts),
                        ]
                    ],
                    "truncate": Schema.nullable(
                        Schema.flag("Whether to truncate texts that are too long; true by default.")),
                    "dimensions": Schema.nullable(EmbeddingRoutes.dimensions),
                    "options": options,
                    "keep_alive": ignored,
                ], required: ["model", "input"])),
        embedsBody: true,
        answers: [
            Route.Answer(
                200, "The vectors.",
                .json(
                    Schema.object(
                        named: "OllamaResponse",
                        [
                            "model": Schema.string("The model."),
                            "embeddings": Schema.array(of: EmbeddingRoutes.numbers, "The vectors."),
                            "total_duration": Schema.integer("The duration in nanoseconds."),
                            "load_duration": Schema.integer("Always 0: the model stays in memory."),
                            "prompt_eval_count": Schema.integer("The number of tokens."),
                        ], required: ["model", "embeddings"], isOpen: true)))
        ]
    ) { call in
        let start = ContinuousClock.now
        // Clients load a model by a request without texts.
        let input = call.body["input"] == "" ? [] : call.body["input"]
        let result = try await EmbeddingRoutes.embed(
            input, call, model: call.body["model"]?.asString,
            dimensions: call.body["dimensions"]?.integer)
        guard call.body["truncate"] != false || !result.embeddings.omittedTokens.contains(where: { $0 > 0 })
        else { throw Problem.invalid("body.input contains a text that is longer than the model can read") }
        let duration = Int64((ContinuousClock.now - start) / .nanoseconds(1))
        return .json([
            "model": .string(result.model), "total_duration": .integer(duration), "load_duration": 0,
            "embeddings": .array(result.vectors.map { .array($0.map { .float($0) }) }),
            "prompt_eval_count": .count(result.embeddings.tokenCounts.reduce(0, +)),
        ])
    }

    private static let legacyEmbed = Route(
        method: .post, path: "/api/embeddings", operation: "embedPrompt", tag: EmbeddingRoutes.tag,
        summary: "Embed one text; compatible with earlier clients of Ollama.",
        details: "A text that exceeds the maximum length of the model is truncated.",
        body: .json(
            Schema.object(
                named: "OllamaPromptRequest",
                [
                    "model": modelName,
                    "prompt": Schema.string("The text, or empty for no vector.", maximum: 1 << 20),
                    "options": options,
                    "keep_alive": ignored,
                ], required: ["model", "prompt"])),
        embedsBody: true,
        answers: [
            Route.Answer(
                200, "The vector.",
                .json(
                    Schema.object(
                        named: "OllamaPromptResponse", ["embedding": EmbeddingRoutes.numbers],
                        required: ["embedding"], isOpen: true)))
        ]
    ) { call in
        let input = call.body["prompt"] == "" ? [] : call.body["prompt"]
        let result = try await EmbeddingRoutes.embed(
            input, call, model: call.body["model"]?.asString, dimensions: nil)
        return .json(["embedding": .array((result.vectors.first ?? []).map { .float($0) })])
    }

    private static let tags = Route(
        method: .get, path: "/api/tags", operation: "listOllamaModels", tag: EmbeddingRoutes.tag,
        summary: "List the embedding model; compatible with Ollama.",
        answers: [
            Route.Answer(
                200, "The model.",
                .json(
                    Schema.object(
                        named: "OllamaModelList", ["models": Schema.array(of: model, "The models.")],
                        required: ["models"], isOpen: true)))
        ]
    ) { call in
        let space = try await call.context.handle.use { $0.embedder.space }
        let name = JSONValue.string(space.model)
        return .json(["models": [["name": name, "model": name, "digest": .string(space.revision)]]])
    }

    private static let version = Route(
        method: .get, path: "/api/version", operation: "getOllamaVersion", tag: EmbeddingRoutes.tag,
        summary: "Return the version of Roost; compatible with Ollama.",
        answers: [
            Route.Answer(
                200, "The version.",
                .json(
                    Schema.object(
                        named: "OllamaVersion", ["version": Schema.string("The version of Roost.")],
                        required: ["version"], isOpen: true)))
        ]
    ) { call in .json(["version": .string(call.context.settings.version)]) }
}
