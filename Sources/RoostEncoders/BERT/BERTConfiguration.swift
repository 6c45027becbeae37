import Foundation
import RoostModel

/// What a BERT model's folder says of it. A setting that is not supported is refused by name.
struct BERTConfiguration: Sendable, Hashable {
    enum Pooling: String, Sendable {
        case mean, cls
    }

    var hiddenSize: Int
    var layers: Int
    var heads: Int
    var intermediateSize: Int
    var vocabularySize: Int
    var positions: Int
    var types: Int
    var layerNormEpsilon: Float
    var pooling: Pooling
    /// The most tokens of a sequence, special ones among them.
    var maximumLength: Int
    /// What the model was trained to see before questions and before documents.
    var queryPrefix: String
    var documentPrefix: String
    /// Whether vectors are scaled to unit length.
    var normalizes: Bool

    private struct Model: Decodable {
        var model_type: String?
        var hidden_act: String?
        var position_embedding_type: String?
        var hidden_size: Int
        var num_hidden_layers: Int
        var num_attention_heads: Int
        var intermediate_size: Int
        var vocab_size: Int
        var max_position_embeddings: Int
        var type_vocab_size: Int?
        var layer_norm_eps: Float?
        var is_decoder: Bool?
    }

    private struct SentenceBERT: Decodable {
        var max_seq_length: Int?
        var do_lower_case: Bool?
    }

    /// `config_sentence_transformers.json`: what sentence-transformers puts before texts.
    private struct Prompts: Decodable {
        var prompts: [String: String]?
        var default_prompt_name: String?
    }

    private struct Module: Decodable {
        var type: String
    }

    private struct PoolingModes: Decodable {
        var modes: [String]
        var includesPrompt = true

        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys where key.stringValue == "include_prompt" {
                includesPrompt = try container.decode(Bool.self, forKey: key)
            }
            modes = try container.allKeys.filter {
                try $0.stringValue.hasPrefix("pooling_mode_") && container.decode(Bool.self, forKey: $0)
            }.map(\.stringValue).sorted()
        }
    }

    init(_ folder: ModelFolder) throws {
        let model = try folder.decode(Model.self, "config.json")
        func require(_ condition: Bool, _ setting: String) throws {
            guard condition else {
                throw EmbedderError(
                    .unsupportedModel,
                    "the model in \(folder.url.path) has \(setting), which is not supported")
            }
        }
        try require(model.model_type ?? "bert" == "bert", "model_type '\(model.model_type ?? "")'")
        try require(model.hidden_act ?? "gelu" == "gelu", "hidden_act '\(model.hidden_act ?? "")'")
        let positionType = model.position_embedding_type ?? "absolute"
        try require(positionType == "absolute", "position_embedding_type '\(positionType)'")
        let counts = [
            model.hidden_size, model.num_hidden_layers, model.num_attention_heads, model.intermediate_size,
            model.vocab_size, model.max_position_embeddings, model.type_vocab_size ?? 2,
        ]
        try require(
            counts.allSatisfy { $0 > 0 && $0 < 1 << 24 }, "a size that is not between 1 and 16 million")
        try require(model.hidden_size % model.num_attention_heads == 0, "heads that do not divide its width")
        try require(model.is_decoder != true, "is_decoder")
        var kinds: Set<String> = []
        for module in try folder.decodeIfPresent([Module].self, "modules.json") ?? [] {
            let kind = module.type.split(separator: ".").last.map(String.init) ?? module.type
            try require(["Transformer", "Pooling", "Normalize"].contains(kind), "a module '\(kind)'")
            kinds.insert(kind)
        }
        // A bare transformer's folder has no list of modules; its vectors are scaled as most models' are.
        normalizes = kinds.isEmpty || kinds.contains("Normalize")
        let poolingModes = try folder.decodeIfPresent(PoolingModes.self, "1_Pooling/config.json")
        try require(poolingModes?.includesPrompt != false, "include_prompt false")
        let modes = poolingModes?.modes
        switch modes ?? ["pooling_mode_mean_tokens"] {
        case ["pooling_mode_mean_tokens"]: pooling = .mean
        case ["pooling_mode_cls_token"]: pooling = .cls
        default:
            throw EmbedderError(
                .unsupportedModel,
                "the model in \(folder.url.path) has "
                    + "\(modes?.joined(separator: " and ") ?? "no pooling"), which is not supported"
            )
        }
        hiddenSize = model.hidden_size
        layers = model.num_hidden_layers
        heads = model.num_attention_heads
        intermediateSize = model.intermediate_size
        vocabularySize = model.vocab_size
        positions = model.max_position_embeddings
        types = model.type_vocab_size ?? 2
        layerNormEpsilon = model.layer_norm_eps ?? 1e-12
        try require((0...1).contains(layerNormEpsilon), "layer_norm_eps \(layerNormEpsilon)")
        let sentence = try folder.decodeIfPresent(SentenceBERT.self, "sentence_bert_config.json")
        try require(sentence?.do_lower_case != true, "do_lower_case in sentence_bert_config.json")
        let stated = sentence?.max_seq_length
        let texts = try folder.decodeIfPresent(Prompts.self, "config_sentence_transformers.json")
        func prompt(_ names: String...) -> String {
            let named = names.lazy.compactMap { texts?.prompts?[$0] }.first
            return named ?? texts?.default_prompt_name.flatMap { texts?.prompts?[$0] } ?? ""
        }
        queryPrefix = prompt("query")
        documentPrefix = prompt("document", "passage", "corpus")
        maximumLength = min(stated ?? model.max_position_embeddings, model.max_position_embeddings)
        try require(maximumLength > 2, "a max_seq_length of \(maximumLength)")
    }
}
