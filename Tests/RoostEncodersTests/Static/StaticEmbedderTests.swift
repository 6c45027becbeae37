import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostEncoders

@Suite(.temporaryFolders) struct StaticEmbedderTests {
    let folder = TemporaryFolder.unusedURL()

    /// Writes a model of three words in the layout of Model2Vec.
    func write(
        _ configuration: String, _ tensors: [Tensor], vocabulary: String = "[UNK]\nswift\nroof\nnest\n"
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("config.json"))
        try Data(vocabulary.utf8).write(to: folder.appendingPathComponent("vocab.txt"))
        var (header, data) = ([String](), Data())
        for tensor in tensors {
            let start = data.count
            data += tensor.numbers.withUnsafeBytes { Data($0) }
            header.append(
                "\"\(tensor.name)\": {\"dtype\": \"F32\", \"shape\": \(tensor.shape), "
                    + "\"data_offsets\": [\(start), \(data.count)]}")
        }
        var json = Data("{\(header.joined(separator: ", "))}".utf8)
        while json.count % 8 != 0 { json.append(0x20) }
        let size = withUnsafeBytes(of: UInt64(json.count).littleEndian) { Data($0) }
        try (size + json + data).write(to: folder.appendingPathComponent("model.safetensors"))
    }

    typealias Tensor = (name: String, shape: [Int], numbers: [Float])

    @Test func `the vector of a text is the weighted mean of its known tokens`() async throws {
        try write(
            #"{"model_type": "model2vec", "normalize": false, "seq_length": 4}"#,
            [
                ("embeddings", [4, 2], [9, 9, 1, 0, 0, 1, 3, 4]),
                ("weights", [4], [1, 2, 1, 0.5]),
            ])
        let model = try #require(try LocalModel.open(folder) as? StaticEmbedder)
        #expect(model.space.dimension == 2 && !model.space.isNormalized && model.maximumTokens == 4)
        let result = try await model.embed(
            ["Swift roof", "swift unheard", "", "nest", "roof roof roof roof swift"], as: .query)
        #expect(result.vectors.elements == [1, 0.5, 2, 0, 0, 0, 1.5, 2, 0, 1])
        #expect(result.tokenCounts == [2, 2, 0, 1, 4] && result.omittedTokens == [0, 0, 0, 0, 1])
    }

    @Test(arguments: [
        (#"{"model_type": "bert"}"#, "model_type"), (#"{"model_type": "model2vec"}"#, "embeddings"),
    ]) func `a folder without a static model is an error`(configuration: String, words: String) async throws {
        try write(configuration, [("other", [1], [1])])
        let error = #expect(throws: EmbedderError.self) { try StaticEmbedder(folder: folder) }
        #expect(error?.message.contains(words) == true)
    }

    @Test(arguments: [
        ("[UNK]\na\nb\na\n", "lines 2 and 4"), ("[UNK]\n\nb\n", "line 2"),
        ("[UNK]\na\nb\nc\nd\n", "5 tokens"),
    ])
    func `a vocabulary with duplicate, empty or surplus tokens is an error`(vocabulary: String, words: String)
        async throws
    {
        try write(
            #"{"model_type": "model2vec"}"#, [("embeddings", [4, 1], [1, 2, 3, 4])],
            vocabulary: vocabulary)
        let error = #expect(throws: EmbedderError.self) { try StaticEmbedder(folder: folder) }
        #expect(
            error?.code == .damagedModel && error?.message.contains(words) == true,
            "\(error?.message ?? "")")
    }
}
