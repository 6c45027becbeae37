import Foundation
import RoostModel

extension WordPieceTokenizer {
    private struct Settings: Decodable {
        var doLowerCase: Bool?
        var stripAccents: Bool?
        var tokenizeChineseChars: Bool?
        var tokenizerClass: String?
    }

    private struct Normalizer: Decodable {
        var type: String
        var lowercase: Bool?
        var stripAccents: Bool?
        var handleChineseChars: Bool?
    }

    /// Creates the tokenizer of a model.
    ///
    /// Like the transformers library, reads the vocabulary from `vocab.txt` or, if that file is missing, from
    /// `tokenizer.json`, and the normalization settings from `tokenizer_config.json` or, if they are missing
    /// there, from `tokenizer.json`.
    init(_ folder: ModelFolder, addsSpecialTokens: Bool = true) throws {
        let settings = try folder.decodeIfPresent(Settings.self, "tokenizer_config.json")
        let kinds = ["BertTokenizer", "BertTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"]
        if let kind = settings?.tokenizerClass, !kinds.contains(kind) {
            throw folder.unsupported("tokenizer_class '\(kind)'")
        }
        let hasVocabulary = folder.has("vocab.txt")
        // `tokenizer.json` is large, so it is read only if the other files are incomplete.
        let isNeeded = folder.has("tokenizer.json") && (!hasVocabulary || settings?.doLowerCase == nil)
        let file = isNeeded ? try TokenizerFile(folder) : nil
        if let kind = try file?.decodeFromModel(String.self, "type"), kind != "WordPiece" {
            throw folder.unsupported("a tokenizer of type '\(kind)'")
        }
        let normalizer = try file?.decode(Normalizer.self, "normalizer")
        if let kind = normalizer?.type, kind != "BertNormalizer" {
            throw folder.unsupported("a normalizer of type '\(kind)'")
        }
        if file?.has("normalizer") == true, normalizer == nil {
            throw folder.unsupported("a tokenizer without normalizer")
        }
        let lowercases = settings?.doLowerCase ?? normalizer?.lowercase ?? true
        let options = BERTNormalizer.Options(
            lowercases: lowercases,
            stripsAccents: settings?.stripAccents ?? normalizer?.stripAccents ?? lowercases,
            separatesChinese: settings?.tokenizeChineseChars ?? normalizer?.handleChineseChars
                ?? true)
        let vocabulary =
            hasVocabulary
            ? try Self.vocabulary(of: folder) : WordPieceVocabulary(try file?.wordPieces() ?? [])
        if let (first, second) = vocabulary.duplicate {
            throw folder.damaged(
                "vocab.txt has duplicate tokens in lines \(first + 1) and \(second + 1)")
        }
        try self.init(vocabulary: vocabulary, options: options, addsSpecialTokens: addsSpecialTokens)
    }

    private static func vocabulary(of folder: ModelFolder) throws -> WordPieceVocabulary {
        let bytes = Array(try folder.contents(of: "vocab.txt"))
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw folder.damaged("vocab.txt is not valid UTF-8")
        }
        // Splits bytes, because Swift treats a carriage return and a line feed as one character.
        var lines: [Range<Int>] = []
        lines.reserveCapacity(bytes.count / 7)
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
                let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
                lines.append(start..<(hasReturn ? end - 1 : end))
                start = end + 1
            }
        }
        // Skipping an empty line would shift the ids of the following tokens.
        if let index = lines.firstIndex(where: { $0.isEmpty }) {
            throw folder.damaged("vocab.txt has an empty line \(index + 1)")
        }
        return WordPieceVocabulary(bytes, lines)
    }
}
