public import RoostModel
import RoostText
import RoostVectors

/// An embedder that needs no model. It maps words and parts of words to the components of a vector by hashing
/// ("feature hashing", Weinberger et al. 2009), with weights that grow logarithmically with their frequency
/// in the text.
///
/// Texts are similar if they share words or spellings, not if they have the same meaning. The embedder is
/// deterministic: the same text gives the same vector on every machine. A store uses it if no model is
/// installed.
public struct LexicalEmbedder: Embedder {
    /// The embedding space, which depends only on the dimension.
    public let space: EmbeddingSpace

    /// The minimum number of components of a vector. With fewer components, nearly all words collide.
    package static let minimumDimension = 16

    /// Creates an embedder.
    ///
    /// - Parameter dimension: The number of components of a vector. More components make hash collisions
    ///   rarer.
    /// - Precondition: `dimension >= 16`.
    public init(dimension: Int = 512) {
        precondition(
            dimension >= Self.minimumDimension,
            "the dimension must be at least "
                + "\(Self.minimumDimension), not \(dimension)")
        space = EmbeddingSpace(
            model: "lexical", revision: "lexical-1", dimension: dimension, pooling: "hashed n-grams")
    }

    /// The maximum number of words in a passage; the vector of a longer passage would mix too many subjects.
    public var maximumTokens: Int? { 254 }

    /// Returns the UTF-8 ranges of the words of a text.
    public func tokenRanges(in text: String) -> [Range<Int>] { Words(text).map(\.utf8Range) }

    /// Embeds texts one after another on a single thread.
    ///
    /// - Throws: `CancellationError`.
    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        var vectors = Matrix(rows: texts.count, columns: space.dimension)
        var counts: [Int] = []
        var omitted: [Int] = []
        let dimension = space.dimension
        for (row, text) in texts.enumerated() {
            if row % 256 == 0 { try Task.checkCancellation() }
            let words = Array(Words(text))
            let used = words.prefix(maximumTokens ?? words.count)
            counts.append(used.count)
            omitted.append(words.count - used.count)
            vectors.withUnsafeMutableElements { elements in
                guard let base = elements.baseAddress else { return }
                accumulate(
                    used.map(\.folded),
                    UnsafeMutableBufferPointer(start: base + row * dimension, count: dimension))
            }
        }
        return Embeddings(vectors: vectors, tokenCounts: counts, omittedTokens: omitted)
    }

    /// The weights of the different kinds of features. Pairs of words and parts of words overlap with single
    /// words, so they have lower weights.
    private enum Weight {
        static let word: Float = 1
        /// The weight of stop words is above 0, so that the vector of a text without other words has a
        /// direction.
        static let stopWord: Float = 0.1
        static let pair: Float = 0.5
        static let characters: Float = 0.25
    }

    /// Computes the vector of a text, scaled to unit length. `vector` must be filled with zeros.
    private func accumulate(_ words: [String], _ vector: UnsafeMutableBufferPointer<Float>) {
        var counts: [UInt64: (count: Int, weight: Float)] = [:]
        func add(_ feature: some Sequence<UInt8>, kind: UInt8, weight: Float) {
            let hash = FNV1a.hash(of: feature, from: FNV1a.offsetBasis ^ UInt64(kind))
            counts[hash, default: (0, weight)].count += 1
        }
        for (index, word) in words.enumerated() {
            let weight = StopWords.english.contains(word) ? Weight.stopWord : Weight.word
            add(word.utf8, kind: 1, weight: weight)
            if index > 0 { add((words[index - 1] + " " + word).utf8, kind: 2, weight: Weight.pair * weight) }
            let marked = Array("<\(word)>".utf8)
            for size in 3...4 where marked.count > size {
                for start in 0...(marked.count - size) {
                    add(marked[start..<start + size], kind: 3, weight: Weight.characters * weight)
                }
            }
        }
        // Floating-point sums depend on their order; sorting by hash makes it deterministic.
        for (hash, feature) in counts.sorted(by: { $0.key < $1.key }) {
            let mixed = (hash ^ (hash >> 29)) &* 0xBF58_476D_1CE4_E5B9
            let sign: Float = mixed & 1 == 0 ? 1 : -1
            let component = Int((mixed >> 8) % UInt64(vector.count))
            vector[component] += sign * feature.weight * (1 + Float(naturalLogarithm(Double(feature.count))))
        }
        if counts.isEmpty { vector[0] = 1 }
        normalize(vector)
    }
}
