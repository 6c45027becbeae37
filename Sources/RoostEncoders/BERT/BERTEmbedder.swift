public import Foundation
import RoostFiles
public import RoostModel
import RoostVectors
import Synchronization

/// Embeds text with a BERT model in the layout of sentence-transformers, such as all-MiniLM-L6-v2.
///
/// Opening maps the weights and reads the vocabulary; the numbers come from disk as they are used. The
/// model is immutable and may be used by any number of tasks.
public struct BERTEmbedder: Embedder {
    public let space: EmbeddingSpace
    /// The folder that the model was opened from.
    public let folder: ModelFolder
    private let configuration: BERTConfiguration
    private let tokenizer: WordPieceTokenizer
    /// The tokens of what is put before a text.
    private let prefixes: [TextRole: [Int32]]
    private var pass: BERTForwardPass

    /// About as many tokens go through the layers at once: enough that a block of weights is used often while
    /// it is in the cache, few enough that the tokens' own numbers stay there.
    private static let tokensPerBatch = 256

    /// How exactly the layers compute.
    public enum Precision: String, Sendable, Hashable, CaseIterable, Codable {
        /// As the weights are kept.
        case float32
        /// Weights and activations of the linear layers rounded to 8 bits: about three times as fast, with
        /// vectors whose cosine with the exact ones is 0.99 or more. A space of its own.
        case int8
    }

    /// Opens a model folder.
    ///
    /// - Throws: ``EmbedderError`` naming the file and what is wrong with it.
    public init(folder url: URL, precision: Precision = .float32) throws {
        do {
            try self.init(opening: url, precision)
        } catch let error as EmbedderError where error.code == .damagedModel {
            let place = error.message.contains(url.path) ? "" : "\(url.path): "
            throw EmbedderError(.damagedModel, "\(place)\(error.message); fetch the model again")
        }
    }

    private init(opening url: URL, _ precision: Precision) throws {
        let folder = try ModelFolder(url)
        let configuration = try BERTConfiguration(folder)
        let file = try folder.weights()
        let tokenizer = try WordPieceTokenizer(folder)
        guard tokenizer.vocabulary.count <= configuration.vocabularySize else {
            throw EmbedderError(
                .damagedModel,
                "the vocabulary of \(url.path) has \(tokenizer.vocabulary.count) tokens, "
                    + "its configuration \(configuration.vocabularySize)")
        }
        self.folder = folder
        self.configuration = configuration
        self.tokenizer = tokenizer
        // The numbers are looked at before anything is made of them.
        let hash = try folder.weightsHash(of: file)
        var weights = try BERTWeights(file, configuration)
        if precision == .int8 {
            guard configuration.hiddenSize % 4 == 0, configuration.intermediateSize % 4 == 0,
                // Beyond, a sum of products might not fit 32 bits.
                max(configuration.hiddenSize, configuration.intermediateSize) <= 65_536
            else {
                throw EmbedderError(
                    .unsupportedModel,
                    "the model in \(url.path) has widths that are no multiples of 4 "
                        + "up to 65,536, which int8 needs"
                )
            }
            weights = weights.quantized()
        }
        pass = BERTForwardPass(configuration: configuration, weights: weights, kernels: .best)
        space = EmbeddingSpace(
            model: folder.name, revision: "sha256:\(hash)" + (precision == .int8 ? "+int8" : ""),
            dimension: configuration.hiddenSize, pooling: configuration.pooling.rawValue,
            queryPrefix: configuration.queryPrefix, documentPrefix: configuration.documentPrefix,
            isNormalized: configuration.normalizes)
        prefixes = [
            .query: tokenizer.tokenize(configuration.queryPrefix).ids,
            .document: tokenizer.tokenize(configuration.documentPrefix).ids,
        ]
        let longest = prefixes.values.map(\.count).max() ?? 0
        guard longest + 2 < configuration.maximumLength else {
            throw EmbedderError(
                .unsupportedModel,
                "the model in \(url.path) takes \(configuration.maximumLength) tokens, "
                    + "and its prefix has \(longest)"
            )
        }
        maximumTokens = configuration.maximumLength - 2 - longest
    }

    /// The tokens of a text that one vector takes in, beside the special ones and the longer prefix.
    public let maximumTokens: Int?

    /// Multiplications and additions of the layers for one token.
    public var operationsPerToken: Int {
        let (d, f) = (configuration.hiddenSize, configuration.intermediateSize)
        return 2 * configuration.layers * (4 * d * d + 2 * d * f)
    }

    public func tokenRanges(in text: String) -> [Range<Int>] { tokenizer.tokenize(text).ranges }

    /// The ids that a text is embedded from, `[CLS]` and `[SEP]` around them, cut at the model's limit.
    public func tokenIDs(of text: String, as role: TextRole = .document) -> [Int32] {
        sequence(of: tokenizer.tokenize(text).ids, role)
    }

    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        let counts = Mutex([Int](repeating: 0, count: texts.count))
        let tokenized = Mutex([[Int32]](repeating: [], count: texts.count))
        Parallel.forEachBlock(of: texts.count, size: 64) { block in
            let ids = texts[block].map { tokenizer.tokenize($0).ids }
            counts.withLock { $0.replaceSubrange(block, with: ids.map(\.count)) }
            let sequences = ids.map { sequence(of: $0, role) }
            tokenized.withLock { $0.replaceSubrange(block, with: sequences) }
        }
        let sequences = tokenized.withLock(\.self)
        let used = sequences.map { $0.count - 2 - (prefixes[role]?.count ?? 0) }
        let batches = BERTBatches(
            pass: pass, sequences: sequences, groups: Self.groups(of: sequences.map(\.count)))
        var vectors = try await batches.vectors()
        // A model whose weights are finite may still run over.
        guard vectors.elements.allSatisfy(\.isFinite) else {
            throw EmbedderError(
                .damagedModel,
                "the model in \(folder.url.path) gives numbers that are not finite; fetch it again")
        }
        if configuration.normalizes { vectors.normalizeRows() }
        return Embeddings(
            vectors: vectors, tokenCounts: used,
            omittedTokens: zip(counts.withLock(\.self), used).map { $0 - $1 })
    }

    /// The pooled vectors of tokens, each alone between the marks: (tokens, d).
    func vectors(ofTokens ids: [Int32]) async throws -> Matrix {
        let sequences = ids.map { [tokenizer.start, $0, tokenizer.end] }
        return try await BERTBatches(
            pass: pass, sequences: sequences, groups: Self.groups(of: sequences.map(\.count))
        ).vectors()
    }

    /// The same model in plain steps: the oracle.
    var reference: BERTReference { BERTReference(configuration: configuration, weights: pass.weights) }

    /// The same with the kernels of another instruction set.
    func using(_ kernels: PanelKernels) -> BERTEmbedder {
        var model = self
        model.pass.kernels = kernels
        return model
    }

    private func sequence(of ids: [Int32], _ role: TextRole) -> [Int32] {
        let prefix = prefixes[role] ?? []
        let room = configuration.maximumLength - 2 - prefix.count
        return [tokenizer.start] + prefix + ids.prefix(room) + [tokenizer.end]
    }

    /// Ranges of sequences with about `tokensPerBatch` tokens.
    private static func groups(of lengths: [Int]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var tokens = 0
        for (index, length) in lengths.enumerated() {
            if let last = groups.last, tokens + length <= tokensPerBatch {
                groups[groups.count - 1] = last.lowerBound..<index + 1
                tokens += length
            } else {
                groups.append(index..<index + 1)
                tokens = length
            }
        }
        return groups
    }
}
