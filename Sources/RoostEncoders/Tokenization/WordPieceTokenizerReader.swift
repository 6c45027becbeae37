import Foundation
import RoostModel

extension WordPieceTokenizer {
    private struct Settings: Decodable {
        var doLowerCase: Bool?
        var stripAccents: Bool?
        var tokenizeChineseChars: Bool?
        var tokenizerClass: String?
    }

    private struct TokenizerFile: Decodable {
        struct Model: Decodable {
            var type: String?
            var vocab: [String: Int]?
        }
        struct Normalizer: Decodable {
            var type: String
            var lowercase: Bool?
            var stripAccents: Bool?
            var handleChineseChars: Bool?
        }
        var model: Model
        var normalizer: Normalizer?
        /// Whether the file states explicitly that text is not normalized.
        var hasNoNormalizer = false

        private enum CodingKeys: String, CodingKey { case model, normalizer }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            model = try container.decode(Model.self, forKey: .model)
            normalizer = try container.decodeIfPresent(Normalizer.self, forKey: .normalizer)
            hasNoNormalizer = container.contains(.normalizer) && normalizer == nil
        }
    }

    /// Creates the tokenizer of a model.
    ///
    /// Like the transformers library, reads the vocabulary from `vocab.txt` or, if that file is missing, from
    /// `tokenizer.json`, and the normalization settings from `tokenizer_config.json` or, if they are missing
    /// there, from `tokenizer.json`.
    init(_ folder: ModelFolder, addsSpecialTokens: Bool = true) throws {
        func unsupported(_ setting: String) -> EmbedderError {
            EmbedderError(
                .unsupportedModel, "cannot open the model in \(folder.url.path): \(setting) is not supported")
        }
        let settings = try folder.decodeIfPresent(Settings.self, "tokenizer_config.json")
        let kinds = ["BertTokenizer", "BertTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"]
        if let kind = settings?.tokenizerClass, !kinds.contains(kind) {
            throw unsupported("tokenizer_class '\(kind)'")
        }
        var file: TokenizerFile?
        // `tokenizer.json` is large, so it is read only if the other files are incomplete.
        if !folder.has("vocab.txt") || settings?.doLowerCase == nil {
            file = try folder.decodeIfPresent(TokenizerFile.self, "tokenizer.json")
        }
        if let kind = file?.model.type, kind != "WordPiece" {
            throw unsupported("a tokenizer of type '\(kind)'")
        }
        if let kind = file?.normalizer?.type, kind != "BertNormalizer" {
            throw unsupported("a normalizer of type '\(kind)'")
        }
        if file?.hasNoNormalizer == true { throw unsupported("a tokenizer without normalizer") }
        guard folder.has("vocab.txt") || file != nil else {
            throw folder.missing("vocab.txt or tokenizer.json")
        }
        let lowercases = settings?.doLowerCase ?? file?.normalizer?.lowercase ?? true
        let options = BERTNormalizer.Options(
            lowercases: lowercases,
            stripsAccents: settings?.stripAccents ?? file?.normalizer?.stripAccents ?? lowercases,
            separatesChinese: settings?.tokenizeChineseChars ?? file?.normalizer?.handleChineseChars
                ?? true)
        let vocabulary = try Self.vocabulary(of: folder)
        if let (first, second) = vocabulary.duplicate {
            throw EmbedderError(
                .damagedModel,
                "\(folder.url("vocab.txt").path) has duplicate tokens in lines \(first + 1) and \(second + 1)"
            )
        }
        try self.init(vocabulary: vocabulary, options: options, addsSpecialTokens: addsSpecialTokens)
    }

    static func vocabulary(of folder: ModelFolder) throws -> WordPieceVocabulary {
        guard folder.has("vocab.txt") else { return WordPieceVocabulary(try piecesOfTokenizerFile(folder)) }
        let url = folder.url("vocab.txt")
        let bytes = Array(try folder.contents(of: "vocab.txt"))
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw EmbedderError(.damagedModel, "\(url.path) is not valid UTF-8")
        }
        // Splits bytes, because Swift treats a carriage return and a line feed as one character.
        var lines: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            lines.append(start..<(hasReturn ? end - 1 : end))
            start = end + 1
        }
        // Skipping an empty line would shift the ids of the following tokens.
        if let index = lines.firstIndex(where: \.isEmpty) {
            throw EmbedderError(.damagedModel, "\(url.path) has an empty line \(index + 1)")
        }
        return WordPieceVocabulary(bytes, lines)
    }

    private static func piecesOfTokenizerFile(_ folder: ModelFolder) throws -> [String] {
        let url = folder.url("tokenizer.json")
        guard let vocabulary = try folder.decode(TokenizerFile.self, "tokenizer.json").model.vocab else {
            throw EmbedderError(.damagedModel, "\(url.path) lacks a vocabulary")
        }
        var pieces = [String?](repeating: nil, count: vocabulary.count)
        for (piece, id) in vocabulary {
            guard pieces.indices.contains(id), pieces[id] == nil else {
                // This error also occurs if two pieces differ only in Unicode composition: the JSON decoder
                // merges their keys, so one id is missing.
                throw EmbedderError(
                    .damagedModel, "\(url.path) has a duplicate id \(id), or an id below it is missing")
            }
            guard !piece.isEmpty else {
                throw EmbedderError(.damagedModel, "\(url.path) has an empty token for id \(id)")
            }
            pieces[id] = piece
        }
        return pieces.compactMap { $0 }
    }
}
