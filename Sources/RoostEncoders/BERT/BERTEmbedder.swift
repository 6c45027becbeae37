public import Foundation
import RoostFiles
public import RoostModel
import RoostVectors

/// An embedder that runs a BERT or XLM-R model from a folder in the layout of sentence-transformers, such as
/// all-MiniLM-L6-v2 or multilingual-e5-small.
///
/// Opening a model maps the weights into memory and reads the vocabulary; the weights are loaded from disk
/// when they are first used. The model is immutable, and any number of tasks may use it at the same time.
public struct BERTEmbedder: Embedder {
    /// The embedding space: the name of the folder, the hash of the weights, and the precision.
    public let space: EmbeddingSpace
    package let folder: ModelFolder
    let configuration: BERTConfiguration
    private let tokenizer: any ModelTokenizer
    private let prefixes: [TextRole: [Int32]]
    var pass: BERTForwardPass
    private let check: ModelCheck

    /// The approximate number of tokens in a group. A group is large enough for a block of weights to be
    /// reused while it is in the cache, and small enough for the activations to stay in the cache too.
    private static let tokensPerBatch = 256

    /// The precision of the linear layers.
    public enum Precision: String, Sendable, Hashable, CaseIterable, Codable {
        /// 32-bit floating point.
        case float32
        /// Weights and activations are quantized to 8 bits. This is about three times as fast, and the cosine
        /// similarity between a vector and its exact counterpart is at least 0.99. The vectors form a
        /// separate embedding space.
        case int8
    }

    /// The maximum width of a layer for which a 32-bit sum of byte products cannot overflow.
    private static let maximumInt8Size = 65_536

    /// Opens the model in a folder.
    ///
    /// - Parameters:
    ///   - url: The folder, in the layout of sentence-transformers.
    ///   - precision: The precision of the linear layers.
    /// - Throws: `EmbedderError` that names the file and the problem.
    public init(folder url: URL, precision: Precision = .float32) throws {
        let folder = try ModelFolder(url)
        guard try !CrossEncoder.describes(folder) else {
            throw folder.unsupported("a cross-encoder, which computes no vectors and only re-ranks,")
        }
        let configuration = try BERTConfiguration(folder)
        let file = try folder.weights()
        let tokenizer = try configuration.tokenizer(folder)
        (self.folder, self.configuration, self.tokenizer) = (folder, configuration, tokenizer)
        // Checks that all weights are finite before they are quantized.
        let record = try folder.record(of: file)
        check = ModelCheck(folder, file, record, precision: precision.rawValue)
        var weights = try BERTWeights(file, configuration)
        if precision == .int8 {
            guard configuration.hiddenSize % 4 == 0, configuration.intermediateSize % 4 == 0,
                max(configuration.hiddenSize, configuration.intermediateSize) <= Self.maximumInt8Size
            else {
                throw folder.unsupported(
                    "int8 with a hidden_size or intermediate_size that is not a multiple of 4 up to "
                        + "\(Self.maximumInt8Size)")
            }
            weights = weights.quantized()
        }
        pass = BERTForwardPass(configuration: configuration, weights: weights, kernels: .best)
        space = EmbeddingSpace(
            model: folder.name, revision: "sha256:\(record.sha256)" + (precision == .int8 ? "+int8" : ""),
            dimension: configuration.hiddenSize, pooling: configuration.pooling.rawValue,
            queryPrefix: configuration.queryPrefix, documentPrefix: configuration.documentPrefix,
            isNormalized: configuration.normalizes)
        // The space at the end of a prefix belongs to the first word of the text after it.
        func tokens(_ prefix: String) -> [Int32] {
            tokenizer.tokenize(String(prefix.reversed().drop(while: \.isWhitespace).reversed())).ids
        }
        prefixes = [
            .query: tokens(configuration.queryPrefix), .document: tokens(configuration.documentPrefix),
        ]
        let prefixLength = prefixes.values.map(\.count).max() ?? 0
        guard prefixLength + 2 < configuration.maximumLength else {
            throw folder.unsupported(
                "a prefix of \(prefixLength) tokens in sequences of \(configuration.maximumLength) tokens")
        }
        maximumTokens = configuration.maximumLength - 2 - prefixLength
    }

    /// The maximum number of tokens in a text, not counting the special tokens and the longer of the two
    /// prefixes.
    public let maximumTokens: Int?

    /// Returns the UTF-8 ranges of the tokens of a text.
    public func tokenRanges(in text: String) -> [Range<Int>] { tokenizer.tokenize(text).ranges }

    /// Returns whether a word is a single token of the vocabulary.
    public func vocabularyContains(_ word: String) -> Bool { tokenizer.isSingleToken(word) }

    /// Returns whether more than half of the characters of a text's words are in tokens of the vocabulary;
    /// `true` for a text without tokens.
    public func understands(_ text: String) -> Bool {
        let (known, total) = tokenizer.knownCharacters(in: text)
        return total == 0 || 2 * known > total
    }

    /// Returns the token ids that the model receives for a text, including `[CLS]`, the prefix and `[SEP]`,
    /// and truncated to the limit of the model.
    package func tokenIDs(of text: String, as role: TextRole = .document) -> [Int32] {
        sequence(of: tokenizer.tokenize(text).ids, role)
    }

    /// Embeds texts on all cores.
    ///
    /// The first call checks the model: it also embeds a fixed text and compares the vector with the recorded one.
    /// Before documents are embedded, all weights are compared with their checksum.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` if the model is damaged or computes a number that is
    ///   not finite; `CancellationError`.
    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        guard !texts.isEmpty, try check.requiresProbe(as: role) else {
            return try await compute(texts, as: role).embeddings
        }
        let (probe, embeddings) = try await compute(texts, as: role, withProbe: true)
        try check.compare(probe)
        return embeddings
    }

    /// Reads all files of the model and compares them with their recorded checksums.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel`.
    @concurrent
    public func checkModel() async throws {
        try check.checkAllFiles()
        _ = try await embed([EmbeddingProbe.text], as: .document)
    }

    /// Embeds texts and, in the same batch, the fixed text of the check: a short batch takes as long as reading the
    /// weights.
    private func compute(
        _ texts: [String], as role: TextRole, withProbe: Bool = false
    ) async throws -> (probe: [Float], embeddings: Embeddings) {
        let tokenized = Parallel.mapBlocks(of: texts.count, size: 64) { block in
            texts[block].map { text in
                let ids = tokenizer.tokenize(text).ids
                return (sequence: sequence(of: ids, role), count: ids.count)
            }
        }.flatMap(\.self)
        let sequences = tokenized.map { $0.sequence }
        let used = sequences.map { $0.count - 2 - (prefixes[role]?.count ?? 0) }
        let probe = withProbe ? [tokenIDs(of: ModelCheck.shortText)] : []
        var vectors = try await pooledVectors(of: probe + sequences)
        if configuration.normalizes { vectors.normalizeRows() }
        let embeddings = Embeddings(
            vectors: withProbe ? vectors.selecting(1..<vectors.rows) : vectors, tokenCounts: used,
            omittedTokens: zip(tokenized, used).map { $0.count - $1 })
        return (withProbe ? vectors.row(0) : [], embeddings)
    }

    /// Returns the pooled vectors of sequences of token ids, (sequences, d), before normalization.
    private func pooledVectors(of sequences: [[Int32]]) async throws -> Matrix {
        let batches = BERTBatches(
            pass: pass, sequences: sequences, groups: Self.groups(of: sequences.map(\.count)))
        let vectors = try await batches.vectors()
        // Activations may overflow even if all weights are finite.
        guard vectors.elements.allSatisfy(\.isFinite) else { throw folder.overflow }
        return vectors
    }

    /// Returns the token ids with special tokens and prefix, truncated to the limit of the model.
    private func sequence(of ids: [Int32], _ role: TextRole) -> [Int32] {
        let prefix = prefixes[role] ?? []
        let room = configuration.maximumLength - 2 - prefix.count
        return [tokenizer.start] + prefix + ids.prefix(room) + [tokenizer.end]
    }

    /// Divides sequences into adjacent groups of at most `tokensPerBatch` tokens; a longer sequence forms a
    /// separate group.
    static func groups(of lengths: [Int]) -> [Range<Int>] {
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
