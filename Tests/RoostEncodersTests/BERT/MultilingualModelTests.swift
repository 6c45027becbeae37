import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostEncoders

/// A model with the architecture of XLM-R and a SentencePiece vocabulary. `Scripts/tiny-multilingual-model`
/// creates it, with tokens of Hugging Face's tokenizers and vectors of an implementation in NumPy.
@Suite(.temporaryFolders) struct MultilingualModelTests {
    struct Line: Decodable {
        var text: String
        var ids: [Int32]
        var vector: [Float]
    }

    static let folder = Fixtures.folder.appendingPathComponent("Models/tiny-xlm-roberta")

    static func lines() throws -> [Line] {
        try Data(contentsOf: folder.appendingPathComponent("expected.jsonl")).split(separator: 10)
            .map { try JSONDecoder().decode(Line.self, from: $0) }
    }

    @Test func `tokens and vectors match the reference`() async throws {
        let model = try BERTEmbedder(folder: Self.folder)
        let lines = try Self.lines()
        #expect(lines.count > 10 && model.maximumTokens == 46)
        let vectors = try await model.embed(lines.map(\.text), as: .document).vectors
        for (row, line) in lines.enumerated() {
            #expect(model.tokenIDs(of: line.text) == line.ids, "\(line.text)")
            #expect(zip(vectors.row(row), line.vector).allSatisfy { abs($0 - $1) < 2e-5 }, "\(line.text)")
        }
    }

    @Test func `layers of 8 bits give similar vectors`() async throws {
        let exact = try await BERTEmbedder(folder: Self.folder).embed(["Mauersegler"], as: .query)
        let model = try BERTEmbedder(folder: Self.folder, precision: .int8)
        let vector = try await model.embed(["Mauersegler"], as: .query)
        #expect(innerProduct(Array(vector.vectors.row(0)), Array(exact.vectors.row(0))) > 0.98)
    }

    static func copy(_ file: String, _ change: (String) -> String) throws -> URL {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Self.folder, to: folder)
        // The record of the original, if another test has created it, does not apply to the copy.
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(ModelRecord.fileName))
        let url = folder.appendingPathComponent(file)
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        try Data(change(text).utf8).write(to: url)
        return folder
    }

    @Test func `the space at the end of a prefix belongs to the first word of the text`() throws {
        let prompts = #"{"prompts": {"query": "query: "}}"#
        let folder = try Self.copy("config_sentence_transformers.json") { _ in prompts }
        // Without the division at white space, a space at the end would be a token.
        let url = folder.appendingPathComponent("tokenizer.json")
        var file = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        file["pre_tokenizer"] = ["type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"]
        try JSONSerialization.data(withJSONObject: file).write(to: url)
        let model = try BERTEmbedder(folder: folder)
        let text = "Die Mauersegler"
        #expect(model.space.queryPrefix == "query: ")
        #expect(model.tokenIDs(of: text, as: .query) == model.tokenIDs(of: "query: \(text)"))
    }

    @Test func `a missing tokenizer is an error that names the file`() throws {
        let folder = try Self.copy("tokenizer.json") { $0 }
        try FileManager.default.removeItem(at: folder.appendingPathComponent("tokenizer.json"))
        let error = #expect(throws: EmbedderError.self) { try BERTEmbedder(folder: folder) }
        #expect(error?.code == .modelNotFound && error?.message.contains("tokenizer.json is missing") == true)
    }

    @Test(arguments: [-1, 49, Int.max]) func `a row of padding outside the table is refused`(row: Int) throws
    {
        let folder = try Self.copy("config.json") {
            $0.replacingOccurrences(of: "\"pad_token_id\": 1", with: "\"pad_token_id\": \(row)")
        }
        let error = #expect(throws: EmbedderError.self) { try BERTEmbedder(folder: folder) }
        #expect(error?.message.contains("pad_token_id") == true)
    }
}
