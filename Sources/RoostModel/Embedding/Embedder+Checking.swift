import RoostText
import RoostVectors

extension Embedder {
    /// The maximum deviation of a vector's squared length from 1 that is not corrected. It is far above the
    /// rounding error of Float32, so the vectors of local models stay bit-identical.
    private static var lengthTolerance: Double { 1e-5 }

    /// Returns the vectors of texts, checked and scaled to unit length.
    ///
    /// Everything that stores or compares vectors calls this method instead of ``embed(_:as:)``: scores are
    /// cosines of unit vectors, and an embedder, in particular a remote one, may return anything. A vector of
    /// zeros is left unchanged: it belongs to a text without words.
    ///
    /// - Throws: The errors of ``embed(_:as:)``; ``EmbedderError`` with `.badAnswer` if the number of
    ///   vectors or token counts, the dimension or a component is invalid.
    package func checkedEmbeddings(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        var embeddings = try await embed(texts, as: role)
        let vectors = embeddings.vectors
        guard embeddings.tokenCounts.count == vectors.rows, embeddings.omittedTokens.count == vectors.rows
        else {
            throw EmbedderError(
                .badAnswer,
                "cannot embed \(Count.text(texts.count, "text")): the model \(space.model) returned "
                    + "\(Count.text(vectors.rows, "vector")), but "
                    + "\(embeddings.tokenCounts.count) numbers of tokens and "
                    + "\(embeddings.omittedTokens.count) numbers of omitted tokens")
        }
        guard vectors.rows == texts.count, texts.isEmpty || vectors.columns == space.dimension else {
            throw EmbedderError(
                .badAnswer,
                "cannot embed \(Count.text(texts.count, "text")): the model \(space.model) returned "
                    + "\(Count.text(vectors.rows, "vector")) of dimension \(vectors.columns), expected "
                    + "dimension \(space.dimension)")
        }
        var isChanged = false
        var elements = vectors.elements
        for row in 0..<vectors.rows {
            let range = row * vectors.columns..<(row + 1) * vectors.columns
            // In Double, the square of a finite Float neither overflows nor becomes zero.
            let square = elements[range].reduce(0) { $0 + Double($1) * Double($1) }
            guard square.isFinite else {
                throw EmbedderError(
                    .badAnswer,
                    "cannot embed a text: the model \(space.model) returned a vector with a component that "
                        + "is not finite")
            }
            guard square > 0, abs(square - 1) > Self.lengthTolerance else { continue }
            let scale = 1 / square.squareRoot()
            for index in range { elements[index] = Float(Double(elements[index]) * scale) }
            isChanged = true
        }
        if isChanged {
            embeddings.vectors = Matrix(rows: vectors.rows, columns: vectors.columns, elements: elements)
        }
        return embeddings
    }

    /// Returns the ranges of the tokens in a text, in ascending order and within the text.
    ///
    /// Code that divides texts calls this method instead of ``tokenRanges(in:)``, because a custom embedder
    /// may return anything. Ranges that begin before the previous one, or that extend beyond the text, are
    /// omitted.
    ///
    /// - Complexity: O(n), where n is the length of the text.
    package func checkedTokenRanges(in text: String) -> [Range<Int>] {
        PassageSplitter.valid(tokenRanges(in: text), size: text.utf8.count)
    }
}
