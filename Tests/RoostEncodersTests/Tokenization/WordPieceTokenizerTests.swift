import Foundation
import RoostModel
import Testing

@testable import RoostEncoders

/// What Hugging Face's tokenizers do with characters that are read in more than one way;
/// `Scripts/compare-tokens`
/// compares whole collections of texts.
@Suite struct WordPieceTokenizerTests {
    let pieces = [
        "[UNK]", "[CLS]", "[SEP]", "a", "##b", "##\u{93E}", "\u{93E}", "ab", "\u{61D}", "\u{166D}", "b",
    ]

    func tokens(_ text: String) throws -> [String] {
        let tokenizer = try WordPieceTokenizer(
            vocabulary: WordPieceVocabulary(pieces.map { $0[...] }), options: BERTNormalizer.Options())
        return tokenizer.tokenize(text).ids.map { pieces[Int($0)] }
    }

    @Test(arguments: [
        // A sign that joins the mark of a continuing piece in Swift's idea of a character.
        ("a\u{93E}b", ["a", "##\u{93E}", "##b"]),
        // A control character first, white space second.
        ("a\u{85}b", ["ab"]), ("a\u{A0}b", ["a", "b"]), ("a\u{200B}b", ["ab"]), ("a\u{FFFD}b", ["ab"]),
        // Punctuation since Unicode 14, a letter to the tables that models were trained with.
        ("a\u{61D}b", ["[UNK]"]),
        // Punctuation in Unicode 8, a symbol today.
        ("a\u{166D}b", ["a", "\u{166D}", "b"]),
        ("\u{E1}B", ["ab"]),
    ]) func `characters`(text: String, expected: [String]) throws {
        #expect(try tokens(text) == expected)
    }

    /// As transformers has it: what `tokenizer_config.json` does not say, `tokenizer.json` does.
    @Test(arguments: [
        (nil, #"{"type": "BertNormalizer", "lowercase": false}"#, false),
        (#"{"do_lower_case": true}"#, #"{"type": "BertNormalizer", "lowercase": false}"#, true),
        (#"{"do_lower_case": false}"#, nil, false), (nil, nil, true),
    ]) func `whether case counts is read from the model's files`(
        settings: String?, normalizer: String?, lowercases: Bool
    ) throws {
        let folder = try TinyBERT.copy("config.json") { _ in }
        defer { try? FileManager.default.removeItem(at: folder) }
        let settingsURL = folder.appendingPathComponent("tokenizer_config.json")
        try FileManager.default.removeItem(at: settingsURL)
        if let settings { try Data(settings.utf8).write(to: settingsURL) }
        if let normalizer {
            try Data(#"{"model": {"type": "WordPiece", "vocab": {}}, "normalizer": \#(normalizer)}"#.utf8)
                .write(to: folder.appendingPathComponent("tokenizer.json"))
        }
        let tokenizer = try WordPieceTokenizer(try ModelFolder(folder))
        let isSame = tokenizer.tokenize("ROOF").ids == tokenizer.tokenize("roof").ids
        #expect(isSame == lowercases)
    }

    @Test(arguments: [
        (#""normalizer": null"#, "no normalizer"), (#""normalizer": {"type": "NFC"}"#, "type 'NFC'"),
    ]) func `a normalizer that is not BERT's is refused`(normalizer: String, words: String) throws {
        let folder = try TinyBERT.copy("tokenizer_config.json") { $0 = [:] }
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("{\"model\": {\"vocab\": {}}, \(normalizer)}".utf8)
            .write(to: folder.appendingPathComponent("tokenizer.json"))
        let error = #expect(throws: EmbedderError.self) { try WordPieceTokenizer(try ModelFolder(folder)) }
        #expect(error?.code == .unsupportedModel && error?.message.contains(words) == true)
    }

    @Test func `a word of megabytes is one unknown token`() throws {
        #expect(try tokens(String(repeating: "a", count: 10 << 20)) == ["[UNK]"])
        #expect(try tokens(String(repeating: "\u{301}", count: 1 << 20)) == [])
    }
}
