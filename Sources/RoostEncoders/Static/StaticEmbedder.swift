public import Foundation
import RoostFiles
public import RoostModel
import RoostVectors

/// An embedder that averages one static vector for each token, independent of context.
///
/// It is several hundred times as fast as the model from which the vectors were distilled, but less accurate.
/// It opens folders in the layout of Model2Vec (https://github.com/MinishLab/model2vec): `config.json`,
/// `model.safetensors` with `embeddings` (tokens, d) and optionally `weights` (tokens), and a vocabulary of
/// WordPiece or SentencePiece.
///
/// Unchecked because the compiler cannot verify that the mapped numbers are never written, and that `file`
/// keeps them alive.
public struct StaticEmbedder: Embedder, @unchecked Sendable {
    /// The embedding space: the name of the folder and the hash of the weights.
    public let space: EmbeddingSpace
    package let folder: ModelFolder
    /// The maximum number of tokens in a text; further tokens are omitted.
    public let maximumTokens: Int?
    private let tokenizer: any ModelTokenizer
    private let file: Safetensors
    /// The vectors of the tokens, (tokens, d).
    private let vectors: UnsafePointer<Float>
    /// The weights of the tokens, (tokens); `nil` if all tokens have the same weight.
    private let weights: UnsafePointer<Float>?
    private let normalizes: Bool
    private let check: ModelCheck

    private struct Configuration: Decodable {
        var modelType: String?
        var normalize: Bool?
        var seqLength: Int?
    }

    /// The maximum number of tokens in a passage; the vector of a longer passage would mix too many subjects.
    private static let maximumPassageTokens = 512

    private static let numbers: Set<Safetensors.Number> = [.float32, .float16, .bfloat16, .float64, .int8]

    static func describes(_ folder: ModelFolder) throws -> Bool {
        try folder.decode(Configuration.self, "config.json").modelType == "model2vec"
    }

    /// Opens the static model in a folder.
    ///
    /// - Parameter url: The folder, in the layout of Model2Vec.
    /// - Throws: `EmbedderError` that names the file and the problem.
    public init(folder url: URL) throws {
        folder = try ModelFolder(url)
        let configuration = try folder.decode(Configuration.self, "config.json")
        guard configuration.modelType == "model2vec" else {
            throw folder.unsupported("the model_type '\(configuration.modelType ?? "")' of a static model")
        }
        file = try folder.weights()
        tokenizer = try folder.tokenizer(addsSpecialTokens: false)
        guard let shape = file.tensors["embeddings"]?.shape, shape.count == 2, shape[0] > 0, shape[1] > 0
        else {
            throw folder.damaged("it lacks the tensor 'embeddings'")
        }
        guard shape[0] >= tokenizer.count else {
            throw folder.damaged(
                "the vocabulary has \(tokenizer.count) tokens, but the tensor 'embeddings' has \(shape[0]) rows"
            )
        }
        if file.tensors["mapping"] != nil { throw folder.unsupported("the tensor 'mapping'") }
        vectors = try file.floats("embeddings", shape: shape, allowing: Self.numbers)
        weights =
            file.tensors["weights"] == nil
            ? nil : try file.floats("weights", shape: [shape[0]], allowing: Self.numbers)
        normalizes = configuration.normalize ?? true
        maximumTokens = min(
            Self.maximumPassageTokens, max(1, configuration.seqLength ?? Self.maximumPassageTokens))
        let record = try folder.record(of: file)
        check = ModelCheck(folder, file, record, precision: "static")
        space = EmbeddingSpace(
            model: folder.name, revision: "sha256:\(record.sha256)", dimension: shape[1],
            pooling: "mean of static vectors", isNormalized: normalizes)
    }

    /// Returns the UTF-8 ranges of the tokens of a text.
    public func tokenRanges(in text: String) -> [Range<Int>] { tokenizer.tokenize(text).ranges }

    /// Returns whether a word is a single token of the vocabulary.
    public func vocabularyContains(_ word: String) -> Bool { tokenizer.isSingleToken(word) }

    /// Reads all files of the model and compares them with their recorded checksums.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel`.
    @concurrent
    public func checkModel() async throws {
        try check.checkAllFiles()
        _ = try await embed([EmbeddingProbe.text], as: .document)
    }

    /// Embeds texts on all cores. The vector of a text without known tokens is zero.
    ///
    /// The first call checks the model, as ``BERTEmbedder/embed(_:as:)`` does.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel`; `CancellationError`.
    /// - Complexity: O(tokens · d).
    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        if !texts.isEmpty {
            try await check.beforeUse(as: role) {
                try await compute([EmbeddingProbe.text]).vectors.row(0)
            }
        }
        return try await compute(texts)
    }

    private func compute(_ texts: [String]) async throws -> Embeddings {
        let limit = maximumTokens ?? Self.maximumPassageTokens
        let (block, blocksPerCheck) = (64, 256)
        var found: [(vector: [Float], count: Int)] = []
        // Check for cancellation after every 16,384 texts, which take well under a second.
        for start in stride(from: 0, to: texts.count, by: blocksPerCheck * block) {
            try Task.checkCancellation()
            let span = Array(texts[start..<min(texts.count, start + blocksPerCheck * block)])
            found += Parallel.mapBlocks(of: span.count, size: block) { rows in
                rows.map { row in
                    let ids = tokenizer.tokenize(span[row]).ids
                    return (mean(of: ids.prefix(limit)), ids.count)
                }
            }.flatMap(\.self)
        }
        var matrix = Matrix(found.map { $0.vector }, columns: space.dimension)
        if normalizes { matrix.normalizeRows() }
        return Embeddings(
            vectors: matrix, tokenCounts: found.map { min($0.count, limit) },
            omittedTokens: found.map { max(0, $0.count - limit) })
    }

    /// Returns the mean of the weighted vectors of the known tokens.
    private func mean(of ids: ArraySlice<Int32>) -> [Float] {
        let d = space.dimension
        var sum = [Float](repeating: 0, count: d)
        var known: Float = 0
        sum.withUnsafeMutableBufferPointer { sum in
            for id in ids where id != tokenizer.unknown {
                let vector = vectors + Int(id) * d
                let weight = weights?[Int(id)] ?? 1
                for column in 0..<d { sum[column] += weight * vector[column] }
                known += 1
            }
            if known > 0 { for column in 0..<d { sum[column] /= known } }
        }
        return sum
    }
}
