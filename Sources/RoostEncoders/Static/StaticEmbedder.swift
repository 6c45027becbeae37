public import Foundation
import RoostFiles
public import RoostModel
import RoostVectors

/// Embeds text by one vector for each token, whatever stands beside it: the mean of the tokens' vectors, at
/// unit length. Some hundred times as fast as the model that the vectors come from, and coarser.
///
/// Reads folders in the layout of Model2Vec (https://github.com/MinishLab/model2vec): `config.json`,
/// `model.safetensors` with `embeddings` (tokens, d) and perhaps `weights` (tokens), and a WordPiece
/// vocabulary. ``distill(_:into:dimension:precision:progress:)`` makes one.
///
/// Unchecked because the compiler cannot see that the mapped numbers are never written and live as long as
/// `file`, which is kept with them.
public struct StaticEmbedder: Embedder, @unchecked Sendable {
    public let space: EmbeddingSpace
    /// The folder that the model was opened from.
    public let folder: ModelFolder
    public let maximumTokens: Int?
    private let tokenizer: WordPieceTokenizer
    private let file: Safetensors
    /// (tokens, d)
    private let vectors: UnsafePointer<Float>
    /// (tokens), or `nil` where all weigh the same.
    private let weights: UnsafePointer<Float>?
    private let normalizes: Bool

    struct Configuration: Codable {
        var model_type: String?
        var normalize: Bool?
        var seq_length: Int?
        var tokenizer_name: String?
        var apply_pca: Int?
        var sif_coefficient: Double?
        var hidden_dim: Int?
    }

    /// A passage of more tokens says too many things to be one vector.
    private static let longestPassage = 512

    private static let numbers: Set<Safetensors.Number> = [.float32, .float16, .bfloat16, .float64, .int8]

    /// Whether a folder has a model of this kind.
    static func describes(_ folder: ModelFolder) throws -> Bool {
        try folder.decode(Configuration.self, "config.json").model_type == "model2vec"
    }

    /// Opens a model folder.
    ///
    /// - Throws: ``EmbedderError`` naming the file and what is wrong with it.
    public init(folder url: URL) throws {
        folder = try ModelFolder(url)
        let configuration = try folder.decode(Configuration.self, "config.json")
        guard configuration.model_type == "model2vec" else {
            throw EmbedderError(
                .unsupportedModel,
                "the model in \(url.path) has model_type '\(configuration.model_type ?? "")', "
                    + "which is no static one"
            )
        }
        file = try folder.weights()
        tokenizer = try WordPieceTokenizer(folder, marks: false)
        guard let shape = file.tensors["embeddings"]?.shape, shape.count == 2, shape[0] > 0, shape[1] > 0
        else {
            throw EmbedderError(
                .damagedModel, "the model in \(url.path) has no table 'embeddings'; fetch it again")
        }
        guard shape[0] >= tokenizer.vocabulary.count else {
            throw EmbedderError(
                .damagedModel,
                "the vocabulary of \(url.path) has \(tokenizer.vocabulary.count) tokens, "
                    + "its table \(shape[0])"
            )
        }
        if file.tensors["mapping"] != nil {
            throw EmbedderError(
                .unsupportedModel, "the model in \(url.path) has a table 'mapping', which is not supported")
        }
        vectors = try file.floats("embeddings", shape: shape, allowing: Self.numbers)
        weights =
            file.tensors["weights"] == nil
            ? nil : try file.floats("weights", shape: [shape[0]], allowing: Self.numbers)
        normalizes = configuration.normalize ?? true
        maximumTokens = min(Self.longestPassage, max(1, configuration.seq_length ?? Self.longestPassage))
        space = EmbeddingSpace(
            model: folder.name, revision: "sha256:\(try folder.weightsHash(of: file))", dimension: shape[1],
            pooling: "mean of static vectors", isNormalized: normalizes)
    }

    public func tokenRanges(in text: String) -> [Range<Int>] { tokenizer.tokenize(text).ranges }

    /// - Complexity: O(tokens · d), on all cores. A text without a known token gets zeros.
    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        let limit = maximumTokens ?? Self.longestPassage
        let (d, block) = (space.dimension, 64)
        var matrix = Matrix(rows: texts.count, columns: d)
        var counts = [Int](repeating: 0, count: texts.count)
        // Some thousand texts between looks at whether the task was cancelled.
        for start in stride(from: 0, to: texts.count, by: 256 * block) {
            try Task.checkCancellation()
            let part = texts[start..<min(texts.count, start + 256 * block)]
            matrix.withUnsafeMutableElements { elements in
                counts.withUnsafeMutableBufferPointer { counts in
                    guard let base = elements.baseAddress, let counted = counts.baseAddress else { return }
                    let (output, numbers) = (DisjointWrites(base), DisjointWrites(counted))
                    Parallel.forEachBlock(of: part.count, size: block) { rows in
                        for row in rows {
                            let ids = tokenizer.tokenize(part[start + row]).ids
                            numbers[start + row] = ids.count
                            sum(ids.prefix(limit), into: output.pointer + (start + row) * d)
                        }
                    }
                }
            }
        }
        if normalizes { matrix.normalizeRows() }
        return Embeddings(
            vectors: matrix, tokenCounts: counts.map { min($0, limit) },
            omittedTokens: counts.map { max(0, $0 - limit) })
    }

    /// output (d), zeros before, = the mean of the tokens' weighted vectors; unknown tokens do not count.
    private func sum(_ ids: ArraySlice<Int32>, into output: UnsafeMutablePointer<Float>) {
        let d = space.dimension
        var known: Float = 0
        for id in ids where id != tokenizer.unknown {
            let vector = vectors + Int(id) * d
            let weight = weights?[Int(id)] ?? 1
            for column in 0..<d { output[column] += weight * vector[column] }
            known += 1
        }
        if known > 0 { for column in 0..<d { output[column] /= known } }
    }
}
