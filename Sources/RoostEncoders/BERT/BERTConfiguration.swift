import Foundation
import RoostModel

/// The configuration of a model with the architecture of BERT, read from the JSON files in its folder. An
/// unsupported setting causes an error that names the setting.
struct BERTConfiguration: Sendable, Hashable {
    enum Pooling: String, Sendable {
        case mean, cls
    }

    var hiddenSize: Int
    var layers: Int
    var heads: Int
    var intermediateSize: Int
    var vocabularySize: Int
    /// The number of rows in the table of positions.
    var positions: Int
    /// The row for the first token of a sequence. In RoBERTa and the models that follow it, such as XLM-R,
    /// the rows up to that of padding are not used.
    var firstPosition: Int
    var types: Int
    var layerNormEpsilon: Float
    var pooling: Pooling
    var maximumLength: Int
    var queryPrefix: String
    var documentPrefix: String
    var normalizes: Bool

    private struct Model: Decodable {
        var modelType: String?
        var hiddenAct: String?
        var positionEmbeddingType: String?
        var hiddenSize: Int
        var numHiddenLayers: Int
        var numAttentionHeads: Int
        var intermediateSize: Int
        var vocabSize: Int
        var maxPositionEmbeddings: Int
        var typeVocabSize: Int?
        var layerNormEps: Float?
        var isDecoder: Bool?
        var padTokenId: Int?
    }

    private struct SentenceBERT: Decodable {
        var maxSeqLength: Int?
        var doLowerCase: Bool?
    }

    /// The contents of `config_sentence_transformers.json`: the prompts that sentence-transformers prepends
    /// to texts.
    private struct Prompts: Decodable {
        var prompts: [String: String]?
        var defaultPromptName: String?
    }

    private struct Module: Decodable {
        var type: String
    }

    /// The types of models that differ from BERT only in their vocabulary and the rows of their positions
    /// (Liu et al. 2019, Conneau et al. 2020).
    private static let typesLikeRoBERTa: Set = ["roberta", "xlm-roberta", "camembert"]
    private static let paddingOfRoBERTa = 1

    /// Sizes must be below this limit, so that products of two of them do not overflow.
    private static let sizeLimit = 1 << 24

    init(_ folder: ModelFolder) throws {
        let model = try folder.decode(Model.self, "config.json")
        let require = folder.require
        let type = model.modelType ?? "bert"
        try require(type == "bert" || Self.typesLikeRoBERTa.contains(type), "model_type '\(type)'")
        try require(model.hiddenAct ?? "gelu" == "gelu", "hidden_act '\(model.hiddenAct ?? "")'")
        let positionType = model.positionEmbeddingType ?? "absolute"
        try require(positionType == "absolute", "position_embedding_type '\(positionType)'")
        let counts = [
            model.hiddenSize, model.numHiddenLayers, model.numAttentionHeads, model.intermediateSize,
            model.vocabSize, model.maxPositionEmbeddings, model.typeVocabSize ?? 2,
        ]
        try require(
            counts.allSatisfy { $0 > 0 && $0 < Self.sizeLimit }, "a size outside the range 1 to 16 million")
        try require(
            model.hiddenSize % model.numAttentionHeads == 0,
            "a hidden_size that is not a multiple of num_attention_heads")
        try require(model.isDecoder != true, "is_decoder true")
        var kinds: Set<String> = []
        for module in try folder.decodeIfPresent([Module].self, "modules.json") ?? [] {
            let kind = module.type.split(separator: ".").last.map(String.init) ?? module.type
            try require(["Transformer", "Pooling", "Normalize"].contains(kind), "the module '\(kind)'")
            kinds.insert(kind)
        }
        // The folder of a plain transformer has no modules.json. Its vectors are normalized, as they are for
        // most models.
        normalizes = kinds.isEmpty || kinds.contains("Normalize")
        pooling = try Self.pooling(folder)
        hiddenSize = model.hiddenSize
        layers = model.numHiddenLayers
        heads = model.numAttentionHeads
        intermediateSize = model.intermediateSize
        vocabularySize = model.vocabSize
        positions = model.maxPositionEmbeddings
        let padding = model.padTokenId ?? Self.paddingOfRoBERTa
        try require(type == "bert" || 0..<positions - 1 ~= padding, "pad_token_id \(padding)")
        firstPosition = type == "bert" ? 0 : padding + 1
        types = model.typeVocabSize ?? 2
        layerNormEpsilon = model.layerNormEps ?? 1e-12
        try require((0...1).contains(layerNormEpsilon), "layer_norm_eps \(layerNormEpsilon)")
        let sentence = try folder.decodeIfPresent(SentenceBERT.self, "sentence_bert_config.json")
        try require(sentence?.doLowerCase != true, "do_lower_case true in sentence_bert_config.json")
        let stated = sentence?.maxSeqLength
        let texts = try folder.decodeIfPresent(Prompts.self, "config_sentence_transformers.json")
        func prompt(_ names: String...) -> String {
            let named = names.lazy.compactMap { texts?.prompts?[$0] }.first
            return named ?? texts?.defaultPromptName.flatMap { texts?.prompts?[$0] } ?? ""
        }
        queryPrefix = prompt("query")
        documentPrefix = prompt("document", "passage", "corpus")
        maximumLength = min(stated ?? positions, positions - firstPosition)
        try require(maximumLength > 2, "a max_seq_length of \(maximumLength)")
    }

    /// Creates the tokenizer of the model, whose ids must be rows of the table of words.
    func tokenizer(_ folder: ModelFolder) throws -> any ModelTokenizer {
        let tokenizer = try folder.tokenizer()
        guard tokenizer.count <= vocabularySize else {
            throw folder.damaged(
                "the vocabulary has \(tokenizer.count) tokens, but config.json states a vocab_size of "
                    + "\(vocabularySize)")
        }
        return tokenizer
    }

    /// Reads the pooling from `1_Pooling/config.json`; the default is the mean.
    private static func pooling(_ folder: ModelFolder) throws -> Pooling {
        typealias Settings = [String: MetadataValue]
        guard let settings = try folder.decodeIfPresent(Settings.self, "1_Pooling/config.json") else {
            return .mean
        }
        try folder.require(settings["include_prompt"] != false, "include_prompt false")
        let modes = settings.filter { $0.key.hasPrefix("pooling_mode_") && $0.value == true }.keys.sorted()
        switch modes {
        case ["pooling_mode_mean_tokens"]: return .mean
        case ["pooling_mode_cls_token"]: return .cls
        default:
            let names = modes.joined(separator: " and ")
            throw folder.unsupported(names.isEmpty ? "a model without pooling" : names)
        }
    }
}
