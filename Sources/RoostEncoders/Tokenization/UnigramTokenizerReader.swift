import Foundation
import RoostModel

extension UnigramTokenizer {
    init(_ file: TokenizerFile, addsSpecialTokens: Bool) throws {
        let reader = Reader(file: file)
        let vocabulary = try file.unigramVocabulary()
        guard let unknown = try file.decodeFromModel(Int.self, "unk_id") else {
            throw reader.unsupported("a vocabulary without a piece for unknown characters")
        }
        guard (0..<vocabulary.count).contains(unknown) else {
            throw file.damaged("no piece has the id \(unknown) of unknown characters")
        }
        if try file.decodeFromModel(Bool.self, "byte_fallback") == true {
            throw reader.unsupported("byte_fallback")
        }
        let added = try reader.addedTokens()
        self.init(
            vocabulary: vocabulary, unknown: Int32(unknown),
            ends: addsSpecialTokens ? try reader.ends(added, vocabulary) : nil, added: added,
            normalization: try reader.normalization(), marks: try reader.marks())
    }
}

/// Reads the parts of a `tokenizer.json` around its model.
private struct Reader {
    let file: TokenizerFile

    func unsupported(_ setting: String) -> EmbedderError {
        // Settings contain texts of the file, which may be long.
        file.folder.unsupported(String(setting.prefix(120)))
    }

    // MARK: Tokens

    private struct Added: Decodable {
        var id: Int
        var content: String
        var singleWord: Bool?
        var lstrip: Bool?
        var rstrip: Bool?
    }

    func addedTokens() throws -> [UnigramTokenizer.AddedToken] {
        try (file.decode([Added].self, "added_tokens") ?? []).map { token in
            guard let id = Int32(exactly: token.id), id >= 0 else {
                throw file.damaged("the id \(token.id) of an added token is out of range")
            }
            guard token.singleWord != true else { throw unsupported("an added token with single_word") }
            return .init(
                utf8: Array(token.content.utf8), id: id, includesSpaceBefore: token.lstrip == true,
                includesSpaceAfter: token.rstrip == true)
        }
    }

    /// The member `post_processor`, which adds a token before and after each sequence.
    private struct PostProcessor: Decodable {
        struct Item: Decodable {
            struct Token: Decodable { var id: String }
            var special: Token?

            private enum CodingKeys: String, CodingKey { case special = "SpecialToken" }
        }
        var type: String
        var single: [Item]?
        /// The tokens of `BertProcessing` and `RobertaProcessing`.
        var cls: Pair?
        var sep: Pair?
    }

    private struct Pair: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            text = try container.decode(String.self)
        }
    }

    func ends(_ added: [UnigramTokenizer.AddedToken], _ vocabulary: UnigramVocabulary) throws
        -> (start: Int32, end: Int32)
    {
        guard let processor = try file.decode(PostProcessor.self, "post_processor") else {
            throw unsupported("a tokenizer without post_processor")
        }
        let texts: (start: String?, end: String?)
        switch processor.type {
        case "TemplateProcessing":
            let items = processor.single ?? []
            let hasThree = items.count == 3 && items[1].special == nil
            texts = hasThree ? (items[0].special?.id, items[2].special?.id) : (nil, nil)
        case "BertProcessing", "RobertaProcessing": texts = (processor.cls?.text, processor.sep?.text)
        default: throw unsupported("a post_processor of type '\(processor.type)'")
        }
        func id(_ text: String?) throws -> Int32 {
            guard let text else {
                throw unsupported("a post_processor with other than one token before and after a text")
            }
            guard let id = added.first(where: { $0.utf8 == Array(text.utf8) })?.id ?? vocabulary.id(of: text)
            else { throw file.damaged("the vocabulary lacks the token \(text)") }
            return id
        }
        return (try id(texts.start), try id(texts.end))
    }

    // MARK: Normalization

    private struct Normalizer: Decodable {
        struct Pattern: Decodable {
            var text: String?
            var regex: String?

            private enum CodingKeys: String, CodingKey {
                case text = "String"
                case regex = "Regex"
            }
        }
        var type: String
        var normalizers: [Normalizer]?
        var precompiledCharsmap: String?
        var pattern: Pattern?
        var content: String?
        var stripLeft: Bool?
        var stripRight: Bool?
    }

    func normalization() throws -> [NormalizationStep] {
        try file.decode(Normalizer.self, "normalizer").map { try steps(of: $0) } ?? []
    }

    private func steps(of normalizer: Normalizer) throws -> [NormalizationStep] {
        switch normalizer.type {
        case "Sequence": return try (normalizer.normalizers ?? []).flatMap { try steps(of: $0) }
        case "Precompiled":
            // A model whose table is empty replaces nothing.
            let text = normalizer.precompiledCharsmap ?? ""
            guard !text.isEmpty else { return [] }
            guard let data = Data(base64Encoded: text), let map = CharacterMap(data) else {
                throw file.damaged("its precompiled_charsmap is damaged")
            }
            return [.map(map)]
        case "Replace":
            let new = Array((normalizer.content ?? "").utf8)
            if let text = normalizer.pattern?.text, !text.isEmpty {
                return [.replace(Array(text.utf8), with: new)]
            }
            switch normalizer.pattern?.regex {
            case " {2,}": return [.replaceSpaces(with: new)]
            case #"\s+"#: return [.replaceWhitespace(with: new)]
            case let pattern: throw unsupported("a normalizer that replaces '\(pattern ?? "")'")
            }
        case "Strip":
            return [.strip(left: normalizer.stripLeft ?? true, right: normalizer.stripRight ?? true)]
        case "Lowercase": return [.lowercase]
        default: throw unsupported("a normalizer of type '\(normalizer.type)'")
        }
    }

    // MARK: Words

    private struct PreTokenizer: Decodable {
        var type: String
        var pretokenizers: [PreTokenizer]?
        var replacement: String?
        var prependScheme: WordMarks.Prefix?
        /// The setting of older versions in place of `prepend_scheme`.
        var addPrefixSpace: Bool?
        var split: Bool?
    }

    func marks() throws -> WordMarks {
        guard let first = try file.decode(PreTokenizer.self, "pre_tokenizer") else {
            throw unsupported("a tokenizer without pre_tokenizer")
        }
        let steps = first.type == "Sequence" ? first.pretokenizers ?? [] : [first]
        var marks = WordMarks()
        switch steps.map(\.type) {
        case ["Metaspace"]: break
        case ["WhitespaceSplit", "Metaspace"]: marks.removesWhitespace = true
        case let types:
            throw unsupported("a pre_tokenizer of the types '\(types.joined(separator: "', '"))'")
        }
        let metaspace = steps[steps.count - 1]
        if let replacement = metaspace.replacement, Array(replacement.utf8) != WordMarks.mark {
            throw unsupported("the replacement '\(replacement)' of spaces")
        }
        marks.dividesAtMarks = metaspace.split ?? true
        marks.prefix = metaspace.prependScheme ?? (metaspace.addPrefixSpace == false ? .never : .always)
        return marks
    }
}
