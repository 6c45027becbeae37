import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostEncoders

/// Tests with randomly corrupted model files and random texts. `ROOST_FUZZ_SEEDS` sets the number of rounds.
@Suite(.temporaryFolders) struct ModelFuzzTests {
    static let rounds = ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 60

    /// Returns a copy in which some of the first `limit` bytes are changed, removed, repeated or cut off.
    static func damaged(_ data: Data, _ generator: inout SeededGenerator, within limit: Int) -> Data {
        var bytes = Array(data)
        for _ in 0...Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
            let offset = Int.random(in: 0..<min(limit, bytes.count), using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[offset] = "0123456789{}[],:\"-.eE".utf8.randomElement(using: &generator)!
            case 2: bytes.remove(at: offset)
            case 3: bytes.insert(bytes[offset], at: offset)
            case 4: bytes.insert(contentsOf: Array("99999999999".utf8), at: offset)
            case 5: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            default:
                if Int.random(in: 0..<4, using: &generator) == 0 { bytes.removeSubrange(offset...) }
            }
        }
        return Data(bytes)
    }

    @Test(arguments: [
        "model.safetensors", "vocab.txt", "config.json", "tokenizer_config.json", "tokenizer.json",
        "1_Pooling/config.json", "modules.json", "sentence_bert_config.json",
        "config_sentence_transformers.json",
    ]) func `a randomly corrupted model file opens or causes an error, but never a crash`(name: String)
        async throws
    {
        let original = try TinyBERT.copy("config.json") { _ in }
        let vocabulary = try String(contentsOf: original.appendingPathComponent("vocab.txt"), encoding: .utf8)
        let ids = vocabulary.split(separator: "\n").enumerated().map { "\"\($1)\": \($0)" }
        if name == "tokenizer.json" {
            try FileManager.default.removeItem(at: original.appendingPathComponent("vocab.txt"))
            try FileManager.default.removeItem(at: original.appendingPathComponent("tokenizer_config.json"))
            try Data(
                """
                {"model": {"type": "WordPiece", "vocab": {\(ids.joined(separator: ", "))}},
                "normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null}}
                """.utf8
            ).write(to: original.appendingPathComponent(name))
        }
        if name == "config_sentence_transformers.json" {
            try Data(#"{"prompts": {"query": "a query: ", "passage": "note: "}}"#.utf8)
                .write(to: original.appendingPathComponent(name))
        }
        let url = original.appendingPathComponent(name)
        let data = try Data(contentsOf: url)
        // Only the header of the weights contains sizes and offsets.
        let limit = name == "model.safetensors" ? 6000 : data.count
        var (opened, refused) = (0, 0)
        for seed in 0..<Self.rounds {
            var generator = SeededGenerator(seed: UInt64(seed))
            try Self.damaged(data, &generator, within: limit).write(to: url)
            try? FileManager.default.removeItem(
                at: original.appendingPathComponent(".roost-fingerprint.json"))
            do {
                let model = try LocalModel.open(original)
                let result = try await model.embed(["a swift on the roof", ""], as: .query)
                #expect(result.vectors.elements.allSatisfy { $0.isFinite })
                opened += 1
            } catch let error as EmbedderError {
                #expect(error.message.count < 600 && !error.message.contains("\n"))
                refused += 1
            }
        }
        #expect(opened + refused == Self.rounds && refused > 0, "\(opened) opened")
    }

    @Test func `a randomly corrupted SentencePiece tokenizer opens or causes an error, but never a crash`()
        async throws
    {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: MultilingualModelTests.folder, to: folder)
        let url = folder.appendingPathComponent("tokenizer.json")
        let data = try Data(contentsOf: url)
        // A damaged table of characters is still Base64, so the whole table is damaged separately.
        let text = try #require(String(data: data, encoding: .utf8))
        let start = try #require(text.range(of: #""precompiled_charsmap": ""#)).upperBound
        let end = try #require(text[start...].firstIndex(of: "\""))
        let table = try #require(Data(base64Encoded: String(text[start..<end])))
        var (opened, refused) = (0, 0)
        for seed in 0..<Self.rounds {
            var generator = SeededGenerator(seed: UInt64(seed))
            if seed % 2 == 0 {
                try Self.damaged(data, &generator, within: data.count).write(to: url)
            } else {
                let damaged = Self.damaged(table, &generator, within: table.count).base64EncodedString()
                try Data("\(text[..<start])\(damaged)\(text[end...])".utf8).write(to: url)
            }
            do {
                let tokenizer = try ModelFolder(folder).tokenizer()
                let sample = "a swift on the roof \(Self.text(&generator)) ﬁ e\u{301}\r\n"
                let tokens = tokenizer.tokenize(sample)
                #expect(tokens.ranges.last.map { $0.upperBound <= sample.utf8.count } ?? true)
                #expect(
                    zip(tokens.ranges, tokens.ranges.dropFirst()).allSatisfy {
                        $0.upperBound <= $1.lowerBound
                    })
                opened += 1
            } catch let error as EmbedderError {
                #expect(error.message.count < 600 && !error.message.contains("\n"))
                refused += 1
            }
        }
        #expect(opened > 0 && refused > 0, "\(opened) opened, \(refused) refused")
    }

    /// Returns a random text of characters from many parts of Unicode.
    static func text(_ generator: inout SeededGenerator) -> String {
        let pools: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0...0x1F, 0x7F...0xA0, 0xC0...0x24F, 0x300...0x36F, 0x600...0x6FF, 0x900...0x97F,
            0x2000...0x206F, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xE000...0xE0FF, 0xFE00...0xFE0F,
            0x1F300...0x1FAFF, 0xE0100...0xE01EF, 0x10FF00...0x10FFFF,
        ]
        var text = String.UnicodeScalarView()
        let isPlain = Bool.random(using: &generator)
        for _ in 0..<Int.random(in: 0..<80, using: &generator) {
            let pool =
                isPlain && Int.random(in: 0..<4, using: &generator) > 0
                ? pools[0] : pools.randomElement(using: &generator)!
            if let scalar = Unicode.Scalar(UInt32.random(in: pool, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }

    @Test func `the tokens of any text are ascending ranges within the text`() throws {
        let tokenizer = try WordPieceTokenizer(try ModelFolder(TinyBERT.folder))
        for seed in 0..<(Self.rounds * 20) {
            var generator = SeededGenerator(seed: UInt64(seed))
            let text = Self.text(&generator)
            let tokens = tokenizer.tokenize(text)
            let (ids, ranges) = (tokens.ids, tokens.ranges)
            #expect(ids.count == ranges.count)
            #expect(ids.allSatisfy { $0 >= 0 && Int($0) < tokenizer.vocabulary.count })
            var end = 0
            for range in ranges {
                #expect(range.lowerBound >= end && range.upperBound <= text.utf8.count, "\(seed)")
                for bound in [range.lowerBound, range.upperBound] {
                    let index = text.utf8.index(text.utf8.startIndex, offsetBy: bound)
                    #expect(index.samePosition(in: text.unicodeScalars) != nil, "\(seed)")
                }
                end = max(end, range.upperBound)
            }
        }
    }
}

struct SafetensorsTests {
    /// Opens a file that consists of a header and `data` zero bytes.
    func open(_ header: String, data: Int, claimedHeader: UInt64? = nil) throws -> Safetensors {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(UUID().uuidString).safetensors")
        defer { try? FileManager.default.removeItem(at: url) }
        var padded = header
        while padded.utf8.count % 8 != 0 { padded += " " }
        var bytes = withUnsafeBytes(of: (claimedHeader ?? UInt64(padded.utf8.count)).littleEndian) {
            Data($0)
        }
        bytes += Data(padded.utf8) + Data(count: data)
        try bytes.write(to: url)
        return try Safetensors(url)
    }

    @Test func `a valid file opens`() throws {
        let header = """
            {"__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "b": {"dtype": "F32", "shape": [1], "data_offsets": [24, 28]}}
            """
        let file = try open(header, data: 28)
        #expect(Set(file.tensors.keys) == ["a", "b"])
        #expect(try file.floats("a", shape: [2, 3])[5] == 0)
        #expect(throws: EmbedderError.self) { try file.floats("a", shape: [3, 2]) }
        #expect(throws: EmbedderError.self) { try file.floats("c", shape: [1]) }
    }

    @Test(arguments: [
        ("[0, 24]", 20, "beyond the end"), ("[0, 20]", 24, "requires"), ("[-4, 20]", 24, "invalid"),
        ("[24, 0]", 24, "invalid"), ("[0]", 24, "invalid"),
        ("[0, 9223372036854775807]", 24, "beyond the end"),
    ]) func `a tensor whose offsets contradict the file is an error that names the tensor`(
        offsets: String, data: Int, words: String
    ) {
        let header = "{\"a\": {\"dtype\": \"F32\", \"shape\": [2, 3], \"data_offsets\": \(offsets)}}"
        let error = #expect(throws: EmbedderError.self) { try open(header, data: data) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("'a'") == true)
    }

    @Test func `a header above the maximum of the format is reported as such`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(UUID().uuidString).safetensors")
        defer { try? FileManager.default.removeItem(at: url) }
        try withUnsafeBytes(of: UInt64(100_000_008).littleEndian) { Data($0) }.write(to: url)
        // The rest of the file occupies no space.
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 200_000_000)
        try file.close()
        let error = #expect(throws: EmbedderError.self) { try Safetensors(url) }
        #expect(error?.message.hasSuffix("the maximum of the format is 100000000") == true)
    }

    @Test func `every other invalid header is an error`() {
        for (header, claimed) in [
            ("{}", UInt64.max), ("{}", 1 << 40), ("not json", nil), ("", nil),
            ("{\"a\": {\"dtype\": \"F8_E4M3\", \"shape\": [2], \"data_offsets\": [0, 4]}}", nil),
            ("{\"a\": {\"dtype\": \"F32\", \"shape\": [-1], \"data_offsets\": [0, 4]}}", nil),
            (
                "{\"a\": {\"dtype\": \"F32\", \"shape\": [4611686018427387904, 8], "
                    + "\"data_offsets\": [0, 4]}}", nil
            ),
            (
                "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, "
                    + "\"b\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [4, 12]}}", nil
            ),
        ] as [(String, UInt64?)] {
            #expect(throws: EmbedderError.self, "\(header)") {
                try open(header, data: 64, claimedHeader: claimed)
            }
        }
    }
}
