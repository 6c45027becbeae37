/// The reason why a stored vector cannot be used.
package enum VectorDefect: Sendable, Hashable {
    /// The vector has a component that is infinite or not a number.
    case isNotFinite
    /// The vector has the given length instead of 1.
    case length(Double)

    /// The maximum difference between 1 and the squared length of a unit vector. It is far above the rounding
    /// error of Float32 at any dimension, and far below the difference for a typical vector that was never
    /// normalized.
    private static let lengthTolerance = 0.01

    /// Returns the defect of a vector; `nil` if it is valid. A vector of zeros belongs to a text without
    /// words and is valid.
    package init?(of vector: [Float]) {
        let square = vector.reduce(0) { $0 + Double($1) * Double($1) }
        if !square.isFinite {
            self = .isNotFinite
        } else if square != 0, abs(square - 1) > Self.lengthTolerance {
            self = .length(square.squareRoot())
        } else {
            return nil
        }
    }
}

extension Entry {
    /// Returns whether the vector of the entry or of a passage is not finite, is not of unit length, or has
    /// another dimension, or whether a passage does not match the content.
    package func hasInvalidVector(dimension: Int) -> Bool {
        if !passageDefects().isEmpty { return true }
        return ([embeddings] + passages.map(\.vector)).contains { vector in
            !vector.isEmpty && (vector.count != dimension || VectorDefect(of: vector) != nil)
        }
    }
}
