import Foundation
import RoostModel
import RoostVectors
import Testing

@testable import RoostEncoders

@Suite struct StaticEmbedderTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("static-\(UUID().uuidString)")

    func withFolder(_ body: (URL) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// Writes a model of three words in the layout of Model2Vec.
    func write(
        _ configuration: String, _ tensors: [Safetensors.Named],
        vocabulary: String = "[UNK]\nswift\nroof\nnest\n"
    )
        throws
    {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("config.json"))
        try Data(vocabulary.utf8).write(to: folder.appendingPathComponent("vocab.txt"))
        try Safetensors.file(of: tensors).write(to: folder.appendingPathComponent("model.safetensors"))
    }

    func floats(_ name: String, _ shape: [Int], _ numbers: [Float]) -> Safetensors.Named {
        .init(name, .float32, shape, numbers.withUnsafeBytes { Data($0) })
    }

    @Test func `the vector of a text is the weighted mean of its known tokens`() async throws {
        try await withFolder { folder in
            try write(
                #"{"model_type": "model2vec", "normalize": false, "seq_length": 4}"#,
                [
                    floats("embeddings", [4, 2], [9, 9, 1, 0, 0, 1, 3, 4]),
                    floats("weights", [4], [1, 2, 1, 0.5]),
                ])
            let model = try #require(try LocalModel.open(folder) as? StaticEmbedder)
            #expect(model.space.dimension == 2 && !model.space.isNormalized && model.maximumTokens == 4)
            let result = try await model.embed(
                ["Swift roof", "swift unheard", "", "nest", "roof roof roof roof swift"], as: .query)
            #expect(result.vectors.elements == [1, 0.5, 2, 0, 0, 0, 1.5, 2, 0, 1])
            #expect(result.tokenCounts == [2, 2, 0, 1, 4] && result.omittedTokens == [0, 0, 0, 0, 1])
        }
    }

    @Test(arguments: [
        (#"{"model_type": "bert"}"#, "model_type"), (#"{"model_type": "model2vec"}"#, "embeddings"),
    ]) func `a folder without a static model is an error`(configuration: String, words: String) async throws {
        try await withFolder { folder in
            try write(configuration, [floats("other", [1], [1])])
            let error = #expect(throws: EmbedderError.self) { try StaticEmbedder(folder: folder) }
            #expect(error?.message.contains(words) == true)
        }
    }

    @Test(arguments: [
        ("[UNK]\na\nb\na\n", "lines 2 and 4"), ("[UNK]\n\nb\n", "line 2"),
        ("[UNK]\na\nb\nc\nd\n", "5 tokens"),
    ])
    func `a vocabulary with duplicate, empty or surplus tokens is an error`(vocabulary: String, words: String)
        async throws
    {
        try await withFolder { folder in
            try write(
                #"{"model_type": "model2vec"}"#, [floats("embeddings", [4, 1], [1, 2, 3, 4])],
                vocabulary: vocabulary)
            let error = #expect(throws: EmbedderError.self) { try StaticEmbedder(folder: folder) }
            #expect(
                error?.code == .damagedModel && error?.message.contains(words) == true,
                "\(error?.message ?? "")")
        }
    }

    @Test func `a static model is distilled from a contextual one`() async throws {
        try await withFolder { folder in
            let parent = try BERTEmbedder(folder: TinyBERT.folder)
            let (full, small) = (
                folder.appendingPathComponent("full"), folder.appendingPathComponent("small")
            )
            try await StaticEmbedder.distill(parent, into: full, dimension: 24)
            try await StaticEmbedder.distill(parent, into: small, dimension: 24, precision: .int8)
            let (exact, rough) = (try StaticEmbedder(folder: full), try StaticEmbedder(folder: small))
            #expect(exact.space.dimension == 24 && !exact.space.isCompatible(with: rough.space))
            let texts = try TinyBERT.lines().map(\.text).filter { !$0.isEmpty }
            let (a, b) = (
                try await exact.embed(texts, as: .document).vectors,
                try await rough.embed(texts, as: .document).vectors
            )
            for row in texts.indices {
                #expect(innerProduct(a.row(row), b.row(row)) > 0.999)
                #expect(abs(length(of: a.row(row)) - 1) < 1e-5)
            }
            // If a text has only one distinct token, its vector has the direction of the token's vector,
            // regardless of the token's weight.
            let words = try await exact.embed(["swift", "roof"], as: .document).vectors
            let alone = try await exact.embed(["swift swift swift"], as: .document).vectors
            #expect(innerProduct(words.row(0), alone.row(0)) > 0.9999)
            #expect(innerProduct(words.row(0), words.row(1)) < 0.99)
            let error = await #expect(throws: EmbedderError.self) {
                try await StaticEmbedder.distill(parent, into: full, dimension: 8)
            }
            #expect(error?.code == .badOutput)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "full", "small",
                ])
        }
    }
}
