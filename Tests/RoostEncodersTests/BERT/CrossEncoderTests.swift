import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostEncoders

/// A model that `Scripts/tiny-cross-encoder` creates, with the outputs of an implementation in NumPy.
@Suite struct CrossEncoderTests {
    struct Line: Decodable {
        var query: String
        var passage: String
        var ids: [Int32]
        var output: Float
    }

    static let folder = Fixtures.folder.appendingPathComponent("Models/tiny-cross-encoder")

    @Test func `tokens and outputs match the reference`() async throws {
        let model = try CrossEncoder(folder: Self.folder)
        let lines = try Data(contentsOf: Self.folder.appendingPathComponent("expected.jsonl"))
            .split(separator: 10).map { try JSONDecoder().decode(Line.self, from: $0) }
        #expect(lines.count == 8)
        for line in lines {
            #expect(model.sequence(line.query, line.passage) == line.ids, "\(line.passage)")
            let output = try await model.logits(of: ["rain", line.passage], for: line.query)[1]
            #expect(abs(output - line.output) < 2e-5, "\(line.passage)")
            let score = try await model.scores(of: [line.passage], for: line.query)[0]
            #expect(abs(log(score / (1 - score)) - line.output) < 1e-4)
        }
        // A separator in the query does not begin the passage, and a long query leaves half of the tokens.
        #expect(model.sequence("a [SEP] a", "a") == model.sequence("a a", "a"))
        let long = model.sequence(String(repeating: "a ", count: 60), "rain sea")
        #expect(long.count == 18 + 2 + 3 && long.suffix(4).first == 3)
    }

    @Test func `embedders and cross-encoders refuse the folders of each other`() throws {
        let library = ModelLibrary(
            directory: FileManager.default.temporaryDirectory.appendingPathComponent("models-\(UUID())"))
        defer { try? FileManager.default.removeItem(at: library.directory) }
        let name = try library.add(Self.folder)
        #expect(try library.describe(name).space.pooling == "cross-encoder")
        _ = try library.reranker(name)
        let refusals: [(String, () throws -> Any)] = [
            ("is not a cross-encoder", { try CrossEncoder(folder: TinyBERT.folder) }),
            ("only re-ranks", { try library.open(name) }),
            ("does not support prefixes", { try library.add(Self.folder, queryPrefix: "query: ") }),
            (
                "a classifier of 2 classes",
                {
                    let folder = library.directory.appendingPathComponent("two")
                    try FileManager.default.copyItem(at: Self.folder, to: folder)
                    let url = folder.appendingPathComponent("model.safetensors")
                    let text = try Data(contentsOf: url)
                    let range = try #require(text.range(of: Data("[1,16]".utf8)))
                    try (text[..<range.lowerBound] + Data("[2, 8]".utf8) + text[range.upperBound...])
                        .write(to: url)
                    return try CrossEncoder(folder: folder)
                }
            ),
        ]
        for (words, open) in refusals {
            let error = #expect(throws: EmbedderError.self) { try open() }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }
}
