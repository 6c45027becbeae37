import Foundation
import RoostModel

extension WordPieceTokenizer {
    private struct Settings: Decodable {
        var do_lower_case: Bool?
        var strip_accents: Bool?
        var tokenize_chinese_chars: Bool?
        var tokenizer_class: String?
    }

    /// `tokenizer.json` of Hugging Face's tokenizers, as far as it is WordPiece.
    private struct TokenizerFile: Decodable {
        struct Model: Decodable {
            var type: String?
            var vocab: [String: Int]?
        }
        struct Normalizer: Decodable {
            var type: String
            var lowercase: Bool?
            var strip_accents: Bool?
            var handle_chinese_chars: Bool?
        }
        var model: Model
        var normalizer: Normalizer?
        /// Whether it says that text is taken as it is.
        var hasNoNormalizer = false

        private enum CodingKeys: String, CodingKey { case model, normalizer }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            model = try container.decode(Model.self, forKey: .model)
            normalizer = try container.decodeIfPresent(Normalizer.self, forKey: .normalizer)
            hasNoNormalizer = container.contains(.normalizer) && normalizer == nil
        }
    }

    /// Reads the vocabulary from `vocab.txt`, else `tokenizer.json`, and how text is normalised from
    /// `tokenizer_config.json`, else `tokenizer.json`: the order of transformers.
    ///
    /// - Parameter marks: whether a text is to stand between `[CLS]` and `[SEP]`, which must be there then.
    init(_ folder: ModelFolder, marks: Bool = true) throws {
        func unsupported(_ what: String) -> EmbedderError {
            EmbedderError(
                .unsupportedModel, "the model in \(folder.url.path) has \(what), which is not supported")
        }
        let settings = try folder.decodeIfPresent(Settings.self, "tokenizer_config.json")
        let kinds = ["BertTokenizer", "BertTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"]
        if let kind = settings?.tokenizer_class, !kinds.contains(kind) {
            throw unsupported("tokenizer_class '\(kind)'")
        }
        var file: TokenizerFile?
        // It is large, and not read where everything is said without it.
        if !folder.has("vocab.txt") || settings?.do_lower_case == nil {
            file = try folder.decodeIfPresent(TokenizerFile.self, "tokenizer.json")
        }
        if let kind = file?.model.type, kind != "WordPiece" {
            throw unsupported("a tokenizer of type '\(kind)'")
        }
        if let kind = file?.normalizer?.type, kind != "BertNormalizer" {
            throw unsupported("a normalizer of type '\(kind)'")
        }
        if file?.hasNoNormalizer == true { throw unsupported("no normalizer") }
        guard folder.has("vocab.txt") || file != nil else {
            throw folder.missing("vocab.txt or tokenizer.json")
        }
        let lowercases = settings?.do_lower_case ?? file?.normalizer?.lowercase ?? true
        let options = BERTNormalizer.Options(
            lowercases: lowercases,
            stripsAccents: settings?.strip_accents ?? file?.normalizer?.strip_accents ?? lowercases,
            separatesChinese: settings?.tokenize_chinese_chars ?? file?.normalizer?.handle_chinese_chars
                ?? true)
        let vocabulary = WordPieceVocabulary(try Self.pieces(of: folder))
        if let (first, second) = vocabulary.duplicate {
            throw EmbedderError(
                .damagedModel,
                "\(folder.url("vocab.txt").path) has the same token in lines \(first + 1) and \(second + 1)")
        }
        try self.init(vocabulary: vocabulary, options: options, marks: marks)
    }

    /// The piece of each id, from 0.
    static func pieces(of folder: ModelFolder) throws -> [Substring] {
        guard folder.has("vocab.txt") else { return try piecesOfTokenizerFile(folder) }
        let url = folder.url("vocab.txt")
        guard let text = String(data: try folder.contents(of: "vocab.txt"), encoding: .utf8) else {
            throw EmbedderError(.damagedModel, "\(url.path) is not UTF-8")
        }
        // By bytes: to Swift a carriage return and the line feed after it are one character.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        let pieces = lines.map { Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }
        // A line without a token would give texts other ids than the model's.
        if let index = pieces.firstIndex(where: \.isEmpty) {
            throw EmbedderError(.damagedModel, "\(url.path) has no token in line \(index + 1)")
        }
        return pieces
    }

    private static func piecesOfTokenizerFile(_ folder: ModelFolder) throws -> [Substring] {
        let url = folder.url("tokenizer.json")
        guard let vocabulary = try folder.decode(TokenizerFile.self, "tokenizer.json").model.vocab else {
            throw EmbedderError(.damagedModel, "\(url.path) has no vocabulary")
        }
        var pieces = [Substring?](repeating: nil, count: vocabulary.count)
        for (piece, id) in vocabulary {
            guard pieces.indices.contains(id), pieces[id] == nil else {
                // Also where two pieces are equal but for their composition, of which JSON's reader keeps
                // one.
                throw EmbedderError(
                    .damagedModel, "\(url.path) gives id \(id) twice, or leaves one out before it")
            }
            guard !piece.isEmpty else {
                throw EmbedderError(.damagedModel, "\(url.path) has no token for id \(id)")
            }
            pieces[id] = piece[...]
        }
        return pieces.compactMap { $0 }
    }
}
