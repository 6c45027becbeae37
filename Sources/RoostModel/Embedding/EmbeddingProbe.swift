import RoostVectors

/// What a model says of one fixed text, in 64 bits: tells models apart that have no weights to be hashed.
///
/// Each bit is the side of a seeded random plane that the text's vector lies on (Charikar 2002), so vectors
/// that differ by rounding differ in few bits, and those of other models in about half.
public enum EmbeddingProbe {
    /// The text that is embedded, as a document.
    public static let text = "Swifts sleep on the wing, high above the roofs of the old town."

    /// Bits that may differ where the model is the same: a cosine of 0.99 changes three of 64 on the average.
    static let tolerance = 6

    /// 16 hexadecimal digits.
    public static func sketch(of vector: [Float]) -> String {
        var generator = SeededGenerator(seed: 64)
        var bits: UInt64 = 0
        for bit in 0..<64 {
            let side = vector.reduce(Float(0)) { $0 + $1 * Float(generator.nextNormal()) }
            if side > 0 { bits |= 1 << UInt64(bit) }
        }
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether two sketches can be of one model.
    public static func agree(_ a: String, _ b: String) -> Bool {
        guard let a = UInt64(a, radix: 16), let b = UInt64(b, radix: 16) else { return false }
        return (a ^ b).nonzeroBitCount <= tolerance
    }
}

extension Embedder {
    /// The embedder's space, with what the model says of the probe's text.
    ///
    /// - Throws: what embedding throws.
    package func probedSpace() async throws -> EmbeddingSpace {
        guard space.probe == nil else { return space }
        var probed = space
        probed.probe = EmbeddingProbe.sketch(of: try await embed(EmbeddingProbe.text, as: .document))
        return probed
    }
}
