import RoostModel
import RoostVectors

/// Finds the first of many entries of which another entry is a near-duplicate.
///
/// Vectors are compared by products of matrices, because these take a small part of the time of one inner
/// product after another.
struct NearDuplicates {
    /// The number of entries that are compared with all earlier ones in one product.
    static let block = 64
    /// An upper bound for the difference between an inner product of unit vectors that a product of matrices
    /// computes and one that `innerProduct` computes.
    private static let productTolerance: Float = 1e-4

    private let threshold: Float
    /// The number of entries that have been added.
    private var count = 0
    /// The vectors of the entries, by the number of their components.
    private var vectors: [Int: Vectors] = [:]
    /// For each text, the number of the first entry with this text, by the number of its vector's components.
    private var texts: [Text: [Int: Int]] = [:]

    /// Vectors with the same number of components.
    private struct Vectors {
        /// The components of all vectors, one after another.
        var elements: [Float] = []
        /// For each vector, the number of its entry.
        var entries: [Int] = []
    }

    /// A text that is equal to another one if their bytes are equal.
    private struct Text: Hashable {
        var content: String

        static func == (first: Text, second: Text) -> Bool {
            first.content.utf8.elementsEqual(second.content.utf8)
        }

        func hash(into hasher: inout Hasher) {
            var content = content
            content.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// - Parameter threshold: The minimum inner product of the vectors of near-duplicates. If the entries
    ///   have no vectors that can be compared, their texts must be equal.
    init(threshold: Float) { self.threshold = threshold }

    /// Adds an entry. Entries are numbered from 0 in the order in which they are added.
    mutating func add(_ entry: Entry) {
        let dimension = entry.embeddings.count
        if dimension > 0 {
            vectors[dimension, default: Vectors()].elements += entry.embeddings
            vectors[dimension, default: Vectors()].entries.append(count)
        }
        let text = Text(content: entry.content)
        if texts[text]?[dimension] == nil { texts[text, default: [:]][dimension] = count }
        count += 1
    }

    /// The entries that had been added when a block of entries was compared with them.
    struct Comparison {
        /// For each entry of the block, the number of the first entry with a similar vector.
        fileprivate var first: [Int?]
        /// The number of vectors that were compared, by the number of their components.
        fileprivate var compared: [Int: Int]
    }

    /// Compares the vectors of a block of entries with those of all entries that have been added.
    ///
    /// - Complexity: O(entries of the block · entries · dimension).
    func compare(_ block: [Entry]) -> Comparison {
        var first = [Int?](repeating: nil, count: block.count)
        for (dimension, known) in vectors {
            let members = block.indices.filter { block[$0].embeddings.count == dimension }
            guard !members.isEmpty else { continue }
            let rows = members.flatMap { block[$0].embeddings }
            let (width, minimum) = (known.entries.count, threshold - Self.productTolerance)
            var products = [Float](repeating: 0, count: members.count * width)
            products.withUnsafeMutableBufferPointer { products in
                rows.withUnsafeBufferPointer { rows in
                    known.elements.withUnsafeBufferPointer { elements in
                        BLAS.gemm(
                            .init(rows.baseAddress!, stride: dimension),
                            .init(elements.baseAddress!, stride: dimension, transposed: true),
                            into: products.baseAddress!, stride: width, m: members.count, n: width,
                            k: dimension)
                    }
                }
            }
            for (row, member) in members.enumerated() {
                let line = products[row * width..<(row + 1) * width]
                let vector = block[member].embeddings
                first[member] = line.indices.first {
                    line[$0] >= minimum && similarity(vector, known, $0 - line.startIndex) >= threshold
                }.map { known.entries[$0 - line.startIndex] }
            }
        }
        return Comparison(first: first, compared: vectors.mapValues(\.entries.count))
    }

    /// Returns the number of the first entry of which another entry is a near-duplicate.
    ///
    /// - Parameters:
    ///   - index: The index of the entry in its block.
    ///   - comparison: The comparison of the block. Entries that were added later are compared now.
    func first(of entry: Entry, at index: Int, in comparison: Comparison) -> Int? {
        let dimension = entry.embeddings.count
        let equal = texts[Text(content: entry.content)]?
            .filter { dimension == 0 || $0.key != dimension }.values.min()
        var similar = comparison.first[index]
        if similar == nil, let known = vectors[dimension] {
            let later = comparison.compared[dimension, default: 0]..<known.entries.count
            similar = later.first { self.similarity(entry.embeddings, known, $0) >= threshold }
                .map { known.entries[$0] }
        }
        return [equal, similar].compactMap(\.self).min()
    }

    private func similarity(_ vector: [Float], _ known: Vectors, _ index: Int) -> Float {
        vector.withUnsafeBufferPointer { vector in
            known.elements.withUnsafeBufferPointer { elements in
                let range = index * vector.count..<(index + 1) * vector.count
                return innerProduct(vector, UnsafeBufferPointer(rebasing: elements[range]))
            }
        }
    }
}
