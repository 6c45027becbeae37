import Foundation
import RoostModel
import RoostVectors
import Synchronization
import TestSupport
import Testing

@testable import RoostEncoders

/// The installed model all-MiniLM-L6-v2, and texts with the token ids and vectors of reference implementations.
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

    @Test func `tokens beyond the limit are counted as omitted`() async throws {
        let long = String(repeating: "word ", count: 300)
        let result = try await model.embed(["short", long, ""], as: .document)
        #expect(result.tokenCounts == [1, 254, 0])
        #expect(result.omittedTokens == [0, 46, 0])
        #expect((0..<3).allSatisfy { abs(length(of: result.vectors.row($0)) - 1) < 1e-5 })
    }
}

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

    static func copy(_ file: String, _ change: (inout [String: Any]) -> Void) throws -> URL {
        let target = TemporaryFolder.unusedURL()
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

    @Test func `cancellation stops embedding between groups`() async throws {
        let model = try Self.model.get()
        let texts = Array(
            repeating: String(repeating: "the swift flew over the roof ", count: 6), count: 20_000)
        let task = Task { try await model.embed(texts, as: .document).vectors.rows }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite(
    .enabled(
        if: Reference.model != nil, "the model all-MiniLM-L6-v2 is not installed; Scripts/model installs it"))
struct BERTBatchesTests {
    let model: BERTEmbedder

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func increment() { value.withLock { $0 += 1 } }
    }

    init() throws { model = try #require(Reference.model) }

    @Test(arguments: 1...3) func `every number of cores computes all groups`(cores: Int) async throws {
        let texts = (0..<12).map { "note \($0) about the swifts above the roof" }
        let expected = try await model.embed(texts, as: .document).vectors
        var batches = BERTBatches(
            pass: model.pass, sequences: texts.map { model.tokenIDs(of: $0) },
            groups: stride(from: 0, to: 12, by: 4).map { $0..<$0 + 4 })
        batches.cores = cores
        var vectors = try await batches.vectors()
        vectors.normalizeRows()
        for row in 0..<texts.count {
            let difference = zip(vectors.row(row), expected.row(row)).map { abs($0 - $1) }.max() ?? 1
            #expect(difference < 1e-4, "row \(row)")
        }
    }

    @Test func `other tasks run while long texts are embedded`() async throws {
        // Without separate threads, as many computations as cores would occupy all threads of tasks. The
        // computations take much longer than the test, which cancels them.
        let sequence = model.tokenIDs(of: String(repeating: "swifts above the roof ", count: 30))
        let batches = BERTBatches(
            pass: model.pass, sequences: Array(repeating: sequence, count: 20_000),
            groups: stride(from: 0, to: 20_000, by: 2).map { $0..<$0 + 2 })
        let finished = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0...batches.cores {
                group.addTask {
                    _ = try? await batches.vectors()
                    finished.increment()
                }
            }
            for _ in 0..<10 { try? await Task.sleep(for: .milliseconds(5)) }
            let count = await Task.detached { finished.count }.value
            #expect(count == 0)
            group.cancelAll()
        }
        #expect(finished.count == batches.cores + 1)
    }
}

extension BERTEmbedder {
    fileprivate func using(_ kernels: PanelKernels) -> BERTEmbedder {
        var model = self
        model.pass.kernels = kernels
        return model
    }
}
