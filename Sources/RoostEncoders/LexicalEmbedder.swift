public import RoostModel
import RoostText
import RoostVectors

/// Embeds text without a model: words and parts of words are hashed to places of a vector, weighted
/// sublinearly by how often they occur ("feature hashing", Weinberger et al. 2009). Texts are near when
/// they share words or spellings, not when they mean the same.
///
/// Deterministic: the same text gives the same vector on every machine. What a store uses when no model is
/// installed.
public struct LexicalEmbedder: Embedder {
    public let space: EmbeddingSpace

    /// - Parameter dimension: the numbers of a vector; more make collisions rarer.
    public init(dimension: Int = 512) {
        precondition(dimension >= 16, "a dimension of \(dimension)")
        space = EmbeddingSpace(
            model: "lexical", revision: "lexical-1", dimension: dimension, pooling: "hashed n-grams")
    }

    /// A passage of more words says too many things to be one vector.
    public var maximumTokens: Int? { 254 }

    public func tokenRanges(in text: String) -> [Range<Int>] { Words(text).map(\.utf8Range) }

    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        var vectors = Matrix(rows: texts.count, columns: space.dimension)
        var counts: [Int] = []
        var omitted: [Int] = []
        let dimension = space.dimension
        for (row, text) in texts.enumerated() {
            if row % 256 == 0 { try Task.checkCancellation() }
            let words = Array(Words(text))
            let taken = words.prefix(maximumTokens ?? words.count)
            counts.append(taken.count)
            omitted.append(words.count - taken.count)
            vectors.withUnsafeMutableElements { elements in
                guard let base = elements.baseAddress else { return }
                accumulate(
                    taken.map(\.folded),
                    UnsafeMutableBufferPointer(start: base + row * dimension, count: dimension))
            }
        }
        return Embeddings(vectors: vectors, tokenCounts: counts, omittedTokens: omitted)
    }

    private func accumulate(_ words: [String], _ vector: UnsafeMutableBufferPointer<Float>) {
        var counts: [UInt64: (count: Int, weight: Float)] = [:]
        func add(_ feature: some Sequence<UInt8>, kind: UInt8, weight: Float) {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(kind)
            for byte in feature { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            counts[hash, default: (0, weight)].count += 1
        }
        for (index, word) in words.enumerated() {
            // Words that every text has tell little; they count, so that a text of nothing else has a
            // direction.
            let weight: Float = StopWords.english.contains(word) ? 0.1 : 1
            add(word.utf8, kind: 1, weight: weight)
            if index > 0 {
                add((words[index - 1] + " " + word).utf8, kind: 2, weight: 0.5 * weight)
            }
            let marked = Array("<\(word)>".utf8)
            for size in 3...4 where marked.count > size {
                for start in 0...(marked.count - size) {
                    add(marked[start..<start + size], kind: 3, weight: 0.25 * weight)
                }
            }
        }
        // Floating-point sums depend on their order: that of the hashes is the same on every run.
        for (hash, feature) in counts.sorted(by: { $0.key < $1.key }) {
            let mixed = (hash ^ (hash >> 29)) &* 0xBF58_476D_1CE4_E5B9
            let sign: Float = mixed & 1 == 0 ? 1 : -1
            let place = Int((mixed >> 8) % UInt64(vector.count))
            vector[place] += sign * feature.weight * (1 + Float(naturalLogarithm(Double(feature.count))))
        }
        if counts.isEmpty { vector[0] = 1 }
        normalize(vector)
    }
}
