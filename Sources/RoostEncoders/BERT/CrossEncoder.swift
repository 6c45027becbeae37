public import Foundation
public import RoostModel
import RoostVectors

/// A re-ranker that runs a BERT model with a classifier of one class (a cross-encoder) from a folder, such as
/// ms-marco-MiniLM-L6-v2.
///
/// The model reads `[CLS] query [SEP] passage [SEP]`, and the score is the sigmoid of its output. The model is
/// immutable, and any number of tasks may use it at the same time.
public struct CrossEncoder: Reranker {
    let space: EmbeddingSpace
    let maximumTokens: Int
    private let folder: ModelFolder
    private let tokenizer: any ModelTokenizer
    private let check: ModelCheck
    private var pass: BERTForwardPass
    /// The hidden layer and the output of the classifier: (d, d) and (1, d), and their biases.
    private let pooler: Matrix
    private let poolerBias: [Float]
    private let classifier: [Float]
    private let classifierBias: Float

    private struct Architecture: Decodable {
        var architectures: [String]?
    }

    /// Returns whether the configuration in a folder describes a classifier of texts.
    static func describes(_ folder: ModelFolder) throws -> Bool {
        let names = try folder.decode(Architecture.self, "config.json").architectures ?? []
        return names.contains { $0.hasSuffix("ForSequenceClassification") }
    }

    /// Opens the model in a folder.
    ///
    /// - Throws: `EmbedderError` that names the file and the problem, such as a model that embeds texts.
    public init(folder url: URL) throws {
        let folder = try ModelFolder(url)
        guard try Self.describes(folder) else {
            throw EmbedderError(
                .unsupportedModel,
                "cannot re-rank with the model in \(url.path): it is not a cross-encoder, because config.json "
                    + "names no architecture for sequence classification")
        }
        var configuration = try BERTConfiguration(folder)
        configuration.pooling = .cls
        try folder.require(
            configuration.firstPosition == 0 && configuration.types >= 2,
            "a cross-encoder other than BERT with two token types")
        let (file, d) = (try folder.weights(), configuration.hiddenSize)
        if let shape = file.tensors["classifier.weight"]?.shape {
            try folder.require(shape.first == 1, "a classifier of \(shape.first ?? 0) classes")
        }
        tokenizer = try configuration.tokenizer(folder)
        maximumTokens = configuration.maximumLength - Self.specialTokens
        try folder.require(maximumTokens >= 2, "a max_seq_length of \(configuration.maximumLength)")
        let record = try folder.record(of: file)
        check = ModelCheck(folder, file, record, precision: BERTEmbedder.Precision.float32.rawValue)
        func numbers(_ name: String, _ shape: Int...) throws -> [Float] {
            let count = shape.reduce(1, *)
            return Array(UnsafeBufferPointer(start: try file.floats(name, shape: shape), count: count))
        }
        pooler = Matrix(rows: d, columns: d, elements: try numbers("bert.pooler.dense.weight", d, d))
        poolerBias = try numbers("bert.pooler.dense.bias", d)
        classifier = try numbers("classifier.weight", 1, d)
        classifierBias = try numbers("classifier.bias", 1)[0]
        pass = BERTForwardPass(
            configuration: configuration, weights: try BERTWeights(file, configuration), kernels: .best)
        pass.separator = tokenizer.end
        space = EmbeddingSpace(
            model: folder.name, revision: "sha256:\(record.sha256)", dimension: 1, pooling: "cross-encoder",
            isNormalized: false)
        self.folder = folder
    }

    /// `[CLS]` and two `[SEP]`.
    private static let specialTokens = 3

    /// Returns the scores of passages, computed on all cores.
    ///
    /// The first call checks the model, as that of a ``BERTEmbedder`` does.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` if the model is damaged or computes a number that is not
    ///   finite; `CancellationError`.
    @concurrent
    public func scores(of passages: [String], for query: String) async throws -> [Float] {
        guard !passages.isEmpty else { return [] }
        try await check.beforeUse(as: .query) {
            try await vectors(of: [sequence(EmbeddingProbe.text, EmbeddingProbe.text)]).row(0)
        }
        return try await logits(of: passages, for: query).map { 1 / (1 + exp(-$0)) }
    }

    func logits(of passages: [String], for query: String) async throws -> [Float] {
        let vectors = try await vectors(of: passages.map { sequence(query, $0) })
        let d = pooler.rows
        let products = vectors.products(of: 0..<vectors.rows, with: pooler)
        let logits = (0..<vectors.rows).map { row in
            let hidden = (0..<d).map { tanh(products[row * d + $0] + poolerBias[$0]) }
            return innerProduct(hidden, classifier) + classifierBias
        }
        guard logits.allSatisfy(\.isFinite) else { throw folder.overflow }
        return logits
    }

    /// Returns the vectors of the first token: (sequences, d).
    private func vectors(of sequences: [[Int32]]) async throws -> Matrix {
        let groups = BERTEmbedder.groups(of: sequences.map(\.count))
        return try await BERTBatches(pass: pass, sequences: sequences, groups: groups).vectors()
    }

    /// Returns the token ids of a pair. If it is too long, the passage is truncated, and the query only if it has
    /// more than half of the tokens.
    func sequence(_ query: String, _ passage: String) -> [Int32] {
        // A separator in the query would begin the passage.
        let query = tokenizer.tokenize(query).ids.filter { $0 != tokenizer.end }.prefix(maximumTokens / 2)
        let passage = tokenizer.tokenize(passage).ids.prefix(maximumTokens - query.count)
        return [tokenizer.start] + query + [tokenizer.end] + passage + [tokenizer.end]
    }
}
