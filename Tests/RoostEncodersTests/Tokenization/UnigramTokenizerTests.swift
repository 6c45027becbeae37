import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostEncoders

/// Tokens of unigram models. The expected tokens come from Hugging Face's tokenizers.
@Suite(.temporaryFolders) struct UnigramTokenizerTests {
    static let pieces = """
        [["<unk>", 0], ["▁", -2], ["▁a", -3], ["a", -4], ["b", -4.5], ["▁ab", -3.5], ["ab▁b", -5], ["c", -5],
        [".", -3], ["▁.", -3.2], ["▁▁", -2.5]]
        """
    static let model = #"{"type": "Unigram", "unk_id": 0, "vocab": \#(pieces)}"#
    static let metaspace = #"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}"#

    /// Returns the tokenizer of a model folder whose `tokenizer.json` has the given members.
    func tokenizer(_ members: [String: String], addsSpecialTokens: Bool = false) throws -> any ModelTokenizer
    {
        let folder = try TinyBERT.copy("tokenizer.json") { _ in }
        try FileManager.default.removeItem(at: folder.appendingPathComponent("vocab.txt"))
        let all = ["model": Self.model, "pre_tokenizer": Self.metaspace].merging(members) { $1 }
        let text = all.map { #""\#($0)": \#($1)"# }.joined(separator: ", ")
        try Data("{\(text)}".utf8).write(to: folder.appendingPathComponent("tokenizer.json"))
        return try ModelFolder(folder).tokenizer(addsSpecialTokens: addsSpecialTokens)
    }

    static let whitespaceFirst = [
        "pre_tokenizer":
            #"{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, \#(metaspace)]}"#
    ]
    static let undivided = [
        "normalizer": """
        {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": false, "strip_right": true},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]}
        """,
        "pre_tokenizer": #"{"type": "Metaspace", "prepend_scheme": "first", "split": false}"#,
    ]
    static let replacing = [
        "normalizer": #"""
        {"type": "Sequence", "normalizers": [{"type": "Lowercase"},
        {"type": "Replace", "pattern": {"String": "."}, "content": " . "},
        {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Strip"}]}
        """#,
        "pre_tokenizer": #"{"type": "Metaspace", "add_prefix_space": false}"#,
    ]
    static let texts = ["ab b", " ab  b ", "a▁b", "AB.c", "xyab", "ab\u{A0}b\n", ""]

    @Test(arguments: [
        ("whitespace", [[5, 1, 4], [5, 1, 4], [2, 1, 4], [1, 0, 8, 7], [1, 0, 3, 4], [5, 1, 4], []]),
        (
            "spaces",
            [[5, 1, 4], [5, 1, 1, 4, 1], [2, 1, 4], [1, 0, 8, 7], [1, 0, 3, 4], [5, 0, 4, 0], []]
        ),
        ("undivided", [[1, 6], [1, 6], [2, 1, 4], [1, 0, 8, 7], [1, 0, 3, 4], [5, 0, 4], []]),
        (
            "replacing",
            [[3, 4, 1, 4], [3, 4, 1, 4], [3, 1, 4], [3, 4, 9, 1, 7], [0, 3, 4], [3, 4, 1, 4], []]
        ),
    ]) func `texts are normalized and divided as the file states`(name: String, expected: [[Int32]]) throws {
        let changes = [
            "whitespace": Self.whitespaceFirst, "undivided": Self.undivided, "replacing": Self.replacing,
        ]
        let tokenizer = try tokenizer(changes[name] ?? [:])
        for (text, ids) in zip(Self.texts, expected) {
            #expect(tokenizer.tokenize(text).ids == ids, "\(name): '\(text)'")
        }
    }

    @Test func `the range of a token is its text without the space before it`() throws {
        let ranges = try tokenizer([:]).tokenize(" ab  b ").ranges
        #expect(ranges == [1..<3, 4..<4, 5..<5, 5..<6, 7..<7])
        let long = String(repeating: "ab b\n", count: 40_000)
        let tokens = try tokenizer(Self.whitespaceFirst).tokenize(long)
        #expect(tokens.ids == Array(repeatElement([5, 1, 4], count: 40_000).joined()))
        #expect(tokens.ranges.last == long.utf8.count - 2..<long.utf8.count - 1)
    }

    @Test func `added tokens are recognized with the white space that belongs to them`() throws {
        let added =
            #"[{"id": 11, "content": "<m>", "lstrip": true}, {"id": 12, "content": "<m>n", "rstrip": true}]"#
        let tokenizer = try tokenizer(["added_tokens": added])
        let tokens = tokenizer.tokenize("a <m>b<m>n\u{2003}a<m")
        #expect(tokens.ids == [2, 11, 1, 4, 12, 2, 0])
        #expect(tokens.ranges == [0..<1, 1..<5, 5..<5, 5..<6, 6..<13, 13..<14, 14..<16])
        #expect(tokenizer.count == 13)
    }

    @Test func `single tokens and known characters are recognized`() throws {
        let tokenizer = try tokenizer([:])
        #expect(tokenizer.isSingleToken("ab") && !tokenizer.isSingleToken("abb"))
        #expect(tokenizer.knownCharacters(in: "ab xyz") == (2, 5))
    }

    @Test(arguments: [
        ("pre_tokenizer", #"{"type": "ByteLevel"}"#, "ByteLevel"),
        ("pre_tokenizer", #"{"type": "Metaspace", "replacement": "_"}"#, "replacement"),
        ("normalizer", #"{"type": "NFKC"}"#, "NFKC"),
        ("normalizer", #"{"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}"#, "a+"),
        ("added_tokens", #"[{"id": 11, "content": "x", "single_word": true}]"#, "single_word"),
        ("post_processor", #"{"type": "ByteLevel"}"#, "ByteLevel"),
        ("post_processor", "null", "post_processor"),
    ]) func `an unsupported setting is an error that names the setting`(
        member: String, value: String, name: String
    ) {
        let error = #expect(throws: EmbedderError.self) {
            try tokenizer([member: value], addsSpecialTokens: member == "post_processor")
        }
        #expect(error?.code == .unsupportedModel && error?.message.contains(name) == true, "\(error as Any)")
    }

    @Test(arguments: [
        #"{"type": "Unigram", "unk_id": 0, "vocab": []}"#, #"{"type": "Unigram", "unk_id": 0}"#,
        #"{"type": "Unigram", "unk_id": 5, "vocab": [["a", 1]]}"#,
        #"{"type": "Unigram", "unk_id": 0, "vocab": [["a", 1e999]]}"#,
        #"{"type": "Unigram", "unk_id": 0, "vocab": [["a", 1], ["b"]]}"#,
        #"{"type": "Unigram", "unk_id": "x", "vocab": [["a", 1]]}"#,
    ]) func `a damaged vocabulary is refused`(model: String) throws {
        let error = #expect(throws: EmbedderError.self) { try tokenizer(["model": model]) }
        #expect(error?.code == .damagedModel)
    }

    /// A double array in the layout of Darts-clone that has one text, "a", and its value, which is the offset
    /// of the replacement.
    static func table(replacement: [UInt8], offset: UInt32 = 0) -> String {
        var units = [UInt32](repeating: 0, count: 256)
        units[0] = 1 << 10
        units[1 ^ 0x61] = 0x61 | 0x100 | 2 << 10
        units[1 ^ 0x61 ^ 2] = 0x8000_0000 | offset
        let numbers = ([UInt32(4 * units.count)] + units).flatMap { unit in
            (0..<4).map { UInt8(truncatingIfNeeded: unit >> UInt32(8 * $0)) }
        }
        return Data(numbers + replacement + [0]).base64EncodedString()
    }

    @Test func `a table whose replacements are not valid UTF-8 does not damage texts`() throws {
        func tokens(_ table: String) throws -> TokenSequence {
            let map = #"{"type": "Precompiled", "precompiled_charsmap": "\#(table)"}"#
            let steps = #"{"type": "Sequence", "normalizers": [\#(map), {"type": "Lowercase"}]}"#
            return try tokenizer(["normalizer": steps]).tokenize("abc")
        }
        #expect(try tokens(Self.table(replacement: Array("C".utf8))).ids == [1, 7, 4, 7])
        let error = #expect(throws: EmbedderError.self) { try tokens(Self.table(replacement: [0xFF, 0xFE])) }
        #expect(error?.code == .damagedModel)
        // The replacement would begin inside the character.
        let inside = try tokens(Self.table(replacement: Array("é".utf8), offset: 1))
        #expect(try inside.ids == tokenizer([:]).tokenize("abc").ids)
    }

    @Test func `long texts in other alphabets are divided at line ends`() throws {
        let long = String(repeating: "ж ab b\u{301}\n", count: 20_000)
        let tokenizer = try tokenizer(Self.whitespaceFirst)
        let line = tokenizer.tokenize("ж ab b\u{301}\n").ids
        let tokens = tokenizer.tokenize(long)
        #expect(tokens.ids == Array(repeatElement(line, count: 20_000).joined()))
        #expect(tokens.ranges.last?.upperBound == long.utf8.count - 1)
    }

    @Test func `a vocabulary with escapes and white space is read`() throws {
        let model = #"""
            { "vocab" : [ [ "<unk>" , 0 ] , ["\u2581\"", -1.5e0], ["\ud83d\udc26\\",-2 ] ] , "unk_id":0,
              "type": "Unigram" }
            """#
        #expect(try tokenizer(["model": model]).tokenize(#""🐦\"#).ids == [1, 2])
    }
}
