import RoostFiles
import RoostVectors

/// A 64-bit sketch of the vector that a model computes for one fixed text. It identifies models whose weights
/// cannot be hashed.
///
/// Each bit tells on which side of a pseudorandom hyperplane the vector lies (SimHash; Charikar 2002). The
/// seed of the hyperplanes is fixed. The sketches of two vectors that differ only by rounding differ in few
/// bits; the sketches of vectors from different models differ in about half of their bits.
package enum EmbeddingProbe {
    /// The fixed text, which is embedded as a document.
    package static let text = "Swifts sleep on the wing, high above the roofs of the old town."

    /// The maximum number of bits in which two sketches of the same model may differ. If the cosine of two
    /// vectors is 0.99, their sketches differ in three of 64 bits on average (64 · arccos 0.99 / π).
    static let tolerance = 6

    /// Returns the sketch of a vector as 16 hexadecimal digits.
    package static func sketch(of vector: [Float]) -> String {
        var generator = SeededGenerator(seed: 64)
        var bits: UInt64 = 0
        for bit in 0..<64 {
            let side = vector.reduce(Float(0)) { $0 + $1 * Float(generator.nextNormal()) }
            if side > 0 { bits |= 1 << UInt64(bit) }
        }
        return Hexadecimal.text(bits, count: 16)
    }

    /// Returns whether two sketches can belong to the same model.
    package static func agree(_ a: String, _ b: String) -> Bool {
        guard let a = UInt64(a, radix: 16), let b = UInt64(b, radix: 16) else { return false }
        return (a ^ b).nonzeroBitCount <= tolerance
    }
}

extension Embedder {
    /// Returns the embedder's space with a probe. If the space does not have one, it is computed.
    ///
    /// - Throws: The errors of ``embed(_:as:)``.
    package func probedSpace() async throws -> EmbeddingSpace {
        guard space.probe == nil else { return space }
        var probed = space
        probed.probe = EmbeddingProbe.sketch(of: try await embed(EmbeddingProbe.text, as: .document))
        return probed
    }
}
