import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostEncoders

@Suite(.temporaryFolders) struct BERTConfigurationTests {
    func open(_ file: String, _ settings: [String: Any]) throws -> BERTEmbedder {
        let folder = try TinyBERT.copy(file) { $0.merge(settings) { $1 } }
        return try BERTEmbedder(folder: folder)
    }

    @Test func `the prefixes of the model are embedded, but not counted as tokens of the text`() async throws
    {
        let model = try open(
            "config_sentence_transformers.json",
            ["prompts": ["query": "a query: ", "passage": "note: "], "default_prompt_name": NSNull()])
        let plain = try BERTEmbedder(folder: TinyBERT.folder)
        #expect(model.space.queryPrefix == "a query: " && model.space.documentPrefix == "note: ")
        #expect(!model.space.isCompatible(with: plain.space))
        #expect(model.tokenIDs(of: "swift", as: .query) == plain.tokenIDs(of: "a query: swift"))
        let asQuery = try await model.embed(["swift"], as: .query)
        let asDocument = try await model.embed(["swift"], as: .document)
        // The batch of the first text has the text of the check, too, so its sums differ in the last bits.
        func isNear(_ first: [Float], _ second: [Float]) -> Bool {
            zip(first, second).allSatisfy { abs($0 - $1) < 1e-5 }
        }
        #expect(isNear(asQuery.vectors.row(0), try await plain.embed("a query: swift", as: .query)))
        #expect(isNear(asDocument.vectors.row(0), try await plain.embed("note: swift", as: .document)))
        #expect(asQuery.tokenCounts == [1] && asQuery.omittedTokens == [0])
        let longer = plain.tokenIDs(of: "a query: ").count - 2
        #expect(model.maximumTokens == 38 - longer)
        let cut = try await model.embed([String(repeating: "roof ", count: 50)], as: .query)
        #expect(cut.tokenCounts == [38 - longer] && cut.omittedTokens == [12 + longer])
        let both = try open(
            "config_sentence_transformers.json", ["prompts": ["web": "the "], "default_prompt_name": "web"])
        #expect(both.space.queryPrefix == "the " && both.space.documentPrefix == "the ")
    }

    @Test func `pooling and normalization follow the configuration of the model`() async throws {
        let first = try open(
            "1_Pooling/config.json", ["pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false])
        #expect(first.space.pooling == "cls")
        let line = try #require(try TinyBERT.lines().first)
        let state = try #require(line.layers.last)
        let vector = try await first.embed(line.text, as: .document)
        #expect(zip(vector, normalized(Array(state.prefix(32)))).allSatisfy { abs($0 - $1) < 1e-4 })

        let folder = try TinyBERT.copy("config.json") { _ in }
        try Data(
            """
            [{"type": "sentence_transformers.models.Transformer"},
            {"type": "sentence_transformers.models.Pooling"}]
            """.utf8
        ).write(to: folder.appendingPathComponent("modules.json"))
        let free = try BERTEmbedder(folder: folder)
        #expect(!free.space.isNormalized)
        // The function for a single text would scale the vector to unit length.
        let pooled = Array(try await free.embed([line.text], as: .document).vectors.row(0))
        let mean = free.reference.pooled(state)
        #expect(zip(pooled, mean).allSatisfy { abs($0 - $1) < 1e-4 })
        #expect(abs(length(of: pooled) - 1) > 0.1)
    }

    @Test(arguments: [
        ("config.json", "model_type", "distilbert"), ("config.json", "hidden_act", "gelu_new"),
        ("config.json", "position_embedding_type", "relative_key"),
        ("1_Pooling/config.json", "pooling_mode_max_tokens", "true"),
        ("1_Pooling/config.json", "include_prompt", "false"),
        ("sentence_bert_config.json", "do_lower_case", "true"),
    ]) func `an unsupported setting is an error that names the setting`(
        file: String, key: String, value: String
    ) {
        let setting: Any = ["true": true, "false": false][value] ?? value
        let error = #expect(throws: EmbedderError.self) { try open(file, [key: setting]) }
        #expect(error?.code == .unsupportedModel)
        #expect(error?.message.contains(key) == true, "\(error?.message ?? "")")
    }

    /// Returns a copy of the tiny model with its weights converted to another type.
    func rewritten(as type: String, _ convert: (Float) -> [UInt8]) throws -> URL {
        let folder = try TinyBERT.copy("config.json") { _ in }
        let url = folder.appendingPathComponent("model.safetensors")
        let file = try Safetensors(url)
        var header: [String: Any] = [:]
        var data = Data()
        for (name, tensor) in file.tensors {
            let start = data.count
            for index in 0..<tensor.bytes.count / 4 {
                data += convert(try file.floats(name, shape: tensor.shape)[index])
            }
            header[name] =
                ["dtype": type, "shape": tensor.shape, "data_offsets": [start, data.count]] as [String: Any]
        }
        var json = try JSONSerialization.data(withJSONObject: header)
        while json.count % 8 != 0 { json.append(32) }
        var bytes = withUnsafeBytes(of: UInt64(json.count).littleEndian) { Data($0) }
        bytes += json + data
        try bytes.write(to: url)
        return folder
    }

    @Test func `16-bit weights are supported`() async throws {
        let folder = try rewritten(as: "BF16") { number in
            let bits = UInt16(truncatingIfNeeded: (number.bitPattern &+ 0x8000) >> 16)
            return [UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)]
        }
        let (half, full) = (try BERTEmbedder(folder: folder), try BERTEmbedder(folder: TinyBERT.folder))
        for line in try TinyBERT.lines() {
            let (a, b) = (
                try await half.embed(line.text, as: .query), try await full.embed(line.text, as: .query)
            )
            #expect(innerProduct(a, b) > 0.99)
        }
        // Examples of binary16 encodings and their values.
        for (bits, value) in [
            (0x0000, 0), (0x8000, -0.0), (0x3C00, 1), (0xC000, -2), (0x7BFF, 65504), (0x0001, 0x1p-24),
            (0x3555, 0.333251953125),
        ] as [(UInt16, Float)] {
            #expect(Conversions.halfPrecision(bits) == value)
        }
        #expect(Conversions.halfPrecision(0x7C00) == .infinity && Conversions.halfPrecision(0x7E00).isNaN)
    }

    @Test func `a weight type that BERT models do not support is an error that names the type`() throws {
        let folder = try rewritten(as: "I8") { [UInt8(bitPattern: Int8(max(-127, min(127, $0 * 50))))] }
        let error = #expect(throws: EmbedderError.self) { try BERTEmbedder(folder: folder) }
        #expect(error?.code == .unsupportedModel && error?.message.contains("I8") == true)
    }

    @Test func `finite weights whose sums overflow are an error of embedding`() async throws {
        let folder = try rewritten(as: "F32") { _ in
            withUnsafeBytes(of: Float.greatestFiniteMagnitude) { Array($0) }
        }
        let model = try BERTEmbedder(folder: folder)
        let error = await #expect(throws: EmbedderError.self) {
            try await model.embed(["swift"], as: .document)
        }
        #expect(error?.code == .damagedModel && error?.message.contains("not finite") == true)
    }

    @Test func `weights that are not finite are an error`() throws {
        var count = 0
        let folder = try rewritten(as: "F32") { number in
            count += 1
            return withUnsafeBytes(of: count == 1000 ? Float.nan : number) { Array($0) }
        }
        let error = #expect(throws: EmbedderError.self) { try BERTEmbedder(folder: folder) }
        #expect(error?.code == .damagedModel && error?.message.contains("not finite") == true)
    }
}
