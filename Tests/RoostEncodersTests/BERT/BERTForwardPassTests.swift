import Foundation
import RoostModel
import RoostVectors
import Testing

@testable import RoostEncoders

/// A BERT model of two small layers with random weights, and the output of the transformers library for it.
/// Both are created by `Scripts/tiny-model`.
enum TinyBERT {
    struct Line: Decodable, Sendable {
        var text: String
        var ids: [Int32]
        var layers: [[Float]]
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Fixtures/Models/tiny-bert").standardizedFileURL

    static func lines() throws -> [Line] {
        try Data(contentsOf: folder.appendingPathComponent("expected.jsonl")).split(separator: 10)
            .map { try JSONDecoder().decode(Line.self, from: $0) }
    }

    /// Returns a copy of the folder in which the settings in one JSON file are changed.
    static func copy(_ file: String, _ change: (inout [String: Any]) -> Void) throws -> URL {
        let target = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tiny-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: folder, to: target)
        // The copy is another model, so the record of the original's checksums does not apply.
        try? FileManager.default.removeItem(at: target.appendingPathComponent(ModelRecord.fileName))
        let url = target.appendingPathComponent(file)
        let data = (try? Data(contentsOf: url)) ?? Data("{}".utf8)
        var settings = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        change(&settings)
        try JSONSerialization.data(withJSONObject: settings).write(to: url)
        return target
    }
}

@Suite struct BERTForwardPassTests {
    static let model = Result { try BERTEmbedder(folder: TinyBERT.folder) }
    static let quantized = Result { try BERTEmbedder(folder: TinyBERT.folder, precision: .int8) }

    func difference(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).map { abs($0 - $1) }.max() ?? 0 }

    @Test func `token ids and the output of every layer match the transformers library`() throws {
        let model = try Self.model.get()
        for line in try TinyBERT.lines() {
            #expect(model.tokenIDs(of: line.text) == line.ids, "\(line.text)")
            let states = model.reference.hiddenStates(of: line.ids)
            #expect(states.count == line.layers.count)
            for (layer, (state, expected)) in zip(states, line.layers).enumerated() {
                #expect(state.count == expected.count)
                #expect(difference(state, expected) < 5e-5, "layer \(layer) of \(line.text)")
            }
        }
    }

    @Test(arguments: PanelKernelTests.kernels)
    func `the forward pass matches the straightforward implementation`(kernels: String) async throws {
        let model = try Self.model.get().using(try #require(PanelKernels(named: kernels)))
        let quantized = try Self.quantized.get().using(try #require(PanelKernels(named: kernels)))
        let lines = try TinyBERT.lines()
        let texts = (0..<60).map {
            lines[($0 * 7) % lines.count].text + String(repeating: " roof", count: $0 % 9)
        }
        for batch in [texts, Array(texts.prefix(1)), ["a"], []] {
            let vectors = try await model.embed(batch, as: .document).vectors
            let rough = try await quantized.embed(batch, as: .document).vectors
            for (row, text) in batch.enumerated() {
                let states = try #require(model.reference.hiddenStates(of: model.tokenIDs(of: text)).last)
                let expected = normalized(model.reference.pooled(states))
                #expect(difference(vectors.row(row), expected) < 1e-5, "\(text)")
                #expect(innerProduct(rough.row(row), expected) > 0.99, "\(text)")
            }
        }
    }

    @Test func `the vector of a text does not depend on the other texts`() async throws {
        let model = try Self.model.get()
        let texts = (0..<200).map {
            String(repeating: "the swift flew over the roof ", count: $0 % 6) + "\($0)"
        }
        let together = try await model.embed(texts, as: .document).vectors
        let reversed = try await model.embed(texts.reversed(), as: .document).vectors
        for (row, text) in texts.enumerated() {
            let alone = try await model.embed(text, as: .document)
            #expect(difference(alone, together.row(row)) <= 1e-5)
            #expect(together.row(row) == reversed.row(texts.count - 1 - row))
        }
    }

    @Test func `cancellation stops embedding between groups`() async throws {
        let model = try Self.model.get()
        let texts = Array(
            repeating: String(repeating: "the swift flew over the roof ", count: 6), count: 20_000)
        let task = Task { try await model.embed(texts, as: .document).vectors.rows }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
