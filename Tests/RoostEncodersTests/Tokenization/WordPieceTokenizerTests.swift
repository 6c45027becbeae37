import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostEncoders

/// Characters whose treatment is ambiguous, with the results of Hugging Face's tokenizers.
/// `Scripts/compare-tokens` compares large collections of texts.
@Suite(.temporaryFolders) struct WordPieceTokenizerTests {
    let pieces = [
        "[UNK]", "[CLS]", "[SEP]", "a", "##b", "##\u{93E}", "\u{93E}", "ab", "\u{61D}", "\u{166D}", "b",
    ]

    func tokens(_ text: String) throws -> [String] {
        let tokenizer = try WordPieceTokenizer(
            vocabulary: WordPieceVocabulary(pieces), options: BERTNormalizer.Options())
        return tokenizer.tokenize(text).ids.map { pieces[Int($0)] }
    }

    @Test(arguments: [
        // Swift merges this combining character and the # before it into one character.
        ("a\u{93E}b", ["a", "##\u{93E}", "##b"]),
        // Control characters are removed before white space is recognized.
        ("a\u{85}b", ["ab"]), ("a\u{A0}b", ["a", "b"]), ("a\u{200B}b", ["ab"]), ("a\u{FFFD}b", ["ab"]),
        // Punctuation since Unicode 14, but a letter in the tables with which models were trained.
        ("a\u{61D}b", ["[UNK]"]),
        // Punctuation in Unicode 8, now a symbol.
        ("a\u{166D}b", ["a", "\u{166D}", "b"]), ("\u{E1}B", ["ab"]),
    ]) func `characters are normalised like in Hugging Face's tokenizers`(text: String, expected: [String])
        throws
    {
        #expect(try tokens(text) == expected)
    }

    @Test func `a word is in the vocabulary if it is a single token`() throws {
        let tokenizer = try WordPieceTokenizer(
            vocabulary: WordPieceVocabulary(pieces), options: BERTNormalizer.Options())
        for (word, isKnown) in [("ab", true), ("abb", false), ("z", false), ("", false), ("a b", false)] {
            #expect(tokenizer.isSingleToken(word) == isKnown, "\(word)")
        }
        let model = try BERTEmbedder(folder: Fixtures.tinyModel)
        #expect(model.vocabularyContains("roof") && !model.vocabularyContains("rooof"))
    }

    /// Like the transformers library, uses `tokenizer.json` for settings that `tokenizer_config.json` lacks.
    @Test(arguments: [
        (nil, #"{"type": "BertNormalizer", "lowercase": false}"#, false),
        (#"{"do_lower_case": true}"#, #"{"type": "BertNormalizer", "lowercase": false}"#, true),
        (#"{"do_lower_case": false}"#, nil, false), (nil, nil, true),
    ]) func `case sensitivity is read from the files of the model`(
        settings: String?, normalizer: String?, lowercases: Bool
    ) throws {
        let folder = try TinyBERT.copy("config.json") { _ in }
        let settingsURL = folder.appendingPathComponent("tokenizer_config.json")
        try FileManager.default.removeItem(at: settingsURL)
        if let settings { try Data(settings.utf8).write(to: settingsURL) }
        if let normalizer {
            try Data(#"{"model": {"type": "WordPiece", "vocab": {}}, "normalizer": \#(normalizer)}"#.utf8)
                .write(to: folder.appendingPathComponent("tokenizer.json"))
        }
        let tokenizer = try WordPieceTokenizer(try ModelFolder(folder))
        let isEqual = tokenizer.tokenize("ROOF").ids == tokenizer.tokenize("roof").ids
        #expect(isEqual == lowercases)
    }

    @Test(arguments: [
        (#""normalizer": null"#, "without normalizer"), (#""normalizer": {"type": "NFC"}"#, "type 'NFC'"),
    ]) func `a normalizer other than that of BERT is an error`(normalizer: String, words: String) throws {
        let folder = try TinyBERT.copy("tokenizer_config.json") { $0 = [:] }
        try Data("{\"model\": {\"vocab\": {}}, \(normalizer)}".utf8)
            .write(to: folder.appendingPathComponent("tokenizer.json"))
        let error = #expect(throws: EmbedderError.self) { try WordPieceTokenizer(try ModelFolder(folder)) }
        #expect(error?.code == .unsupportedModel && error?.message.contains(words) == true)
    }

    @Test(arguments: [
        ("ab", 2, 2), ("ab zz", 2, 4), ("ab zzzzzz b", 3, 9), ("知 ab 識", 2, 4), ("", 0, 0), ("知", 0, 1),
        ("a\u{93E}b", 3, 3), ("🎂🎂 ab", 2, 4),
    ]) func `characters of tokens in the vocabulary are known`(text: String, known: Int, total: Int) throws {
        let tokenizer = try WordPieceTokenizer(
            vocabulary: WordPieceVocabulary(pieces), options: BERTNormalizer.Options())
        #expect(tokenizer.knownCharacters(in: text) == (known, total))
        // Encoded data counts as one character, however long it is.
        let data = text + " " + String(repeating: "zab", count: 1000)
        #expect(tokenizer.knownCharacters(in: data) == (known, total + 1))
    }

    @Test(arguments: [(100, [0..<1, 1..<100]), (101, [0..<101]), (300, [0..<300])])
    func `a word of more than 100 characters is one unknown token`(length: Int, expected: [Range<Int>]) throws
    {
        let pieces = ["[UNK]", "[CLS]", "[SEP]", "a", "##" + String(repeating: "b", count: 99)]
        let tokenizer = try WordPieceTokenizer(
            vocabulary: WordPieceVocabulary(pieces), options: BERTNormalizer.Options())
        let word = "a" + String(repeating: "b", count: length - 1)
        #expect(tokenizer.tokenize(word).ranges == expected)
        let next = length + 1..<length + 2
        #expect(tokenizer.tokenize(word + " a").ranges == expected + [next])
    }

    @Test func `a word of several megabytes is one unknown token`() throws {
        #expect(try tokens(String(repeating: "a", count: 10 << 20)) == ["[UNK]"])
        #expect(try tokens(String(repeating: "\u{301}", count: 1 << 20)) == [])
    }
}
