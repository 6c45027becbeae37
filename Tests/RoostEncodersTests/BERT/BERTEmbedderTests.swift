import Foundation
import RoostModel
import RoostVectors
import Testing

@testable import RoostEncoders

/// The installed model all-MiniLM-L6-v2, and texts with the token ids and vectors of reference
/// implementations.
enum Reference {
    struct Line: Decodable, Sendable {
        var text: String
        var ids: [Int32]
        var embedding: [Float]
    }

    static let model: BERTEmbedder? = {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        let models = environment["ROOST_MODELS"] ?? data + "/roost/models"
        return try? BERTEmbedder(folder: URL(fileURLWithPath: models + "/all-MiniLM-L6-v2"))
    }()

    /// The lines of `Fixtures/Golden/minilm.jsonl`, which `Scripts/golden` creates, and those of
    /// `minilm-golden.jsonl` in the folder that the environment variable `ROOST_EVAL` names, if it exists.
    static func golden() throws -> [Line] {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Fixtures/Golden/minilm.jsonl").standardizedFileURL
        var data = try Data(contentsOf: fixture)
        if let folder = ProcessInfo.processInfo.environment["ROOST_EVAL"],
            let more = try? Data(contentsOf: URL(fileURLWithPath: folder + "/minilm-golden.jsonl"))
        {
            data += more
        }
        return try data.split(separator: 10).map { try JSONDecoder().decode(Line.self, from: $0) }
    }
}

@Suite(
    .enabled(
        if: Reference.model != nil, "the model all-MiniLM-L6-v2 is not installed; Scripts/model installs it"))
struct BERTEmbedderTests {
    let model: BERTEmbedder

    init() throws { model = try #require(Reference.model) }

    @Test func `token ids match the reference`() throws {
        let lines = try Reference.golden()
        #expect(lines.count >= 16)
        for line in lines {
            #expect(model.tokenIDs(of: line.text) == line.ids, "\(line.text.debugDescription)")
        }
    }

    @Test func `vectors match the reference`() async throws {
        let lines = try Reference.golden()
        let embeddings = try await model.embed(lines.map(\.text), as: .document)
        for (row, line) in lines.enumerated() {
            let vector = embeddings.vectors.row(row)
            let difference = zip(vector, line.embedding).map { abs($0 - $1) }.max() ?? 1
            #expect(difference <= 1e-4, "\(line.text.debugDescription)")
            #expect(
                innerProduct(vector, normalized(line.embedding)) >= 0.99999, "\(line.text.debugDescription)")
        }
    }

    @Test func `the vector of a text does not depend on the other texts`() async throws {
        let texts = (0..<40).map {
            "Note \($0): " + String(repeating: "the swift flew over the roof ", count: $0 % 7)
        }
        let together = try await model.embed(texts, as: .document)
        for (row, text) in texts.enumerated() {
            let alone = try await model.embed(text, as: .document)
            let difference = zip(alone, together.vectors.row(row)).map { abs($0 - $1) }.max() ?? 1
            #expect(difference <= 1e-5)
        }
    }

    @Test func `tokens beyond the limit are counted as omitted`() async throws {
        let long = String(repeating: "word ", count: 300)
        let result = try await model.embed(["short", long, ""], as: .document)
        #expect(result.tokenCounts == [1, 254, 0])
        #expect(result.omittedTokens == [0, 46, 0])
        #expect((0..<3).allSatisfy { abs(length(of: result.vectors.row($0)) - 1) < 1e-5 })
    }

    @Test(arguments: [
        "plain words", "naïve café", "日本語のテキスト", "a\r\nb\0c", "ﬁ ½ ㎏", "[SEP] x[MASK]", "e\u{301}\u{302}x",
    ])
    func `token ranges are ascending, disjoint and inside the text`(text: String) {
        let ranges = model.tokenRanges(in: text)
        #expect(ranges.count == model.tokenIDs(of: text).count - 2)
        for (before, after) in zip(ranges, ranges.dropFirst()) {
            #expect(before.upperBound <= after.lowerBound)
        }
        #expect(ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= text.utf8.count })
    }

    @Test func `cancellation stops embedding`() async throws {
        let texts = Array(repeating: String(repeating: "word ", count: 250), count: 2000)
        let model = model
        let task = Task { try await model.embed(texts, as: .document) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
