import Foundation
import RoostModel

extension WordPieceTokenizer {
    /// The parts of `tokenizer_config.json` that describe a WordPiece tokenizer.
    private struct Settings: Decodable {
        var doLowerCase: Bool?
        var stripAccents: Bool?
        var tokenizeChineseChars: Bool?
        var tokenizerClass: String?

        private enum CodingKeys: String, CodingKey {
            case doLowerCase = "do_lower_case"
            case stripAccents = "strip_accents"
            case tokenizeChineseChars = "tokenize_chinese_chars"
            case tokenizerClass = "tokenizer_class"
        }
    }

    /// The parts of `tokenizer.json` that describe a WordPiece tokenizer.
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

            private enum CodingKeys: String, CodingKey {
                case type, lowercase
                case stripAccents = "strip_accents"
                case handleChineseChars = "handle_chinese_chars"
            }
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
    ///
    /// - Parameter addsSpecialTokens: Whether `[CLS]` and `[SEP]` must be in the vocabulary.
    /// - Throws: `EmbedderError` that names the file or the unsupported setting.
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
        let vocabulary = WordPieceVocabulary(try Self.pieces(of: folder))
        if let (first, second) = vocabulary.duplicate {
            throw EmbedderError(
                .damagedModel,
                "\(folder.url("vocab.txt").path) has duplicate tokens in lines \(first + 1) and \(second + 1)"
            )
        }
        try self.init(vocabulary: vocabulary, options: options, addsSpecialTokens: addsSpecialTokens)
    }

    /// Returns the pieces of the vocabulary in the order of their ids, starting at 0.
    static func pieces(of folder: ModelFolder) throws -> [Substring] {
        guard folder.has("vocab.txt") else { return try piecesOfTokenizerFile(folder) }
        let url = folder.url("vocab.txt")
        guard let text = String(data: try folder.contents(of: "vocab.txt"), encoding: .utf8) else {
            throw EmbedderError(.damagedModel, "\(url.path) is not valid UTF-8")
        }
        // Splits the UTF-8 bytes, because Swift treats a carriage return and a line feed as one character.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        let pieces = lines.map { Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }
        // Skipping an empty line would shift the ids of the following tokens.
        if let index = pieces.firstIndex(where: \.isEmpty) {
            throw EmbedderError(.damagedModel, "\(url.path) has an empty line \(index + 1)")
        }
        return pieces
    }

    private static func piecesOfTokenizerFile(_ folder: ModelFolder) throws -> [Substring] {
        let url = folder.url("tokenizer.json")
        guard let vocabulary = try folder.decode(TokenizerFile.self, "tokenizer.json").model.vocab else {
            throw EmbedderError(.damagedModel, "\(url.path) lacks a vocabulary")
        }
        var pieces = [Substring?](repeating: nil, count: vocabulary.count)
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
            pieces[id] = piece[...]
        }
        return pieces.compactMap { $0 }
    }
}
