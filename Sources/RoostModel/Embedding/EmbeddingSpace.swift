import RoostFiles
import RoostVectors

/// The identity of an embedding model and of the settings that affect its vectors.
///
/// Vectors can be compared only if they belong to compatible spaces (``isCompatible(with:)``). All vectors of
/// a store belong to one space.
public struct EmbeddingSpace: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the model, for display only.
    public var model: String
    /// The version of the model: a hash of its weights, or the version of an algorithm.
    public var revision: String
    /// The number of elements of a vector, from 1 to ``maximumDimension``. Stores and decoders reject other
    /// numbers.
    public var dimension: Int
    /// The method that combines the token vectors into one vector, such as `mean` or `cls`.
    public var pooling: String
    /// The prefix that the model adds to queries.
    public var queryPrefix: String
    /// The prefix that the model adds to documents.
    public var documentPrefix: String
    /// Whether the vectors have unit length.
    public var isNormalized: Bool
    /// A 64-bit sketch of the vector that the model computes for a fixed text, as 16 hexadecimal digits. It
    /// identifies remote models, whose weights cannot be hashed. `nil` is compatible with every probe.
    public var probe: String?

    /// The maximum number of elements of a vector. It is far above the dimension of any embedding model, and
    /// keeps the sizes of buffers that are computed from files small enough for every provider and index.
    public static let maximumDimension = 65_536

    /// Creates an embedding space.
    public init(
        model: String, revision: String, dimension: Int, pooling: String, queryPrefix: String = "",
        documentPrefix: String = "", isNormalized: Bool = true, probe: String? = nil
    ) {
        (self.model, self.revision, self.dimension, self.pooling) = (model, revision, dimension, pooling)
        (self.queryPrefix, self.documentPrefix) = (queryPrefix, documentPrefix)
        (self.isNormalized, self.probe) = (isNormalized, probe)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            model: try container.decode(String.self, forKey: .model),
            revision: try container.decode(String.self, forKey: .revision),
            dimension: try container.decode(Int.self, forKey: .dimension),
            pooling: try container.decode(String.self, forKey: .pooling),
            queryPrefix: try container.decode(String.self, forKey: .queryPrefix),
            documentPrefix: try container.decode(String.self, forKey: .documentPrefix),
            isNormalized: try container.decode(Bool.self, forKey: .isNormalized),
            probe: try container.decodeIfPresent(String.self, forKey: .probe))
        guard (1...Self.maximumDimension).contains(dimension) else {
            throw container.damage(.dimension, "the dimension is out of range")
        }
    }

    /// Returns whether the vectors of this space can be compared with those of another one.
    ///
    /// All properties must be equal, with two exceptions: the name of the model is ignored, and the probe may
    /// differ in a few bits or be missing.
    public func isCompatible(with other: EmbeddingSpace) -> Bool {
        var renamed = other
        renamed.model = model
        if let probe, let asked = other.probe, !EmbeddingProbe.agree(probe, asked) { return false }
        renamed.probe = probe
        return self == renamed
    }

    public var description: String {
        // A revision is a hash, optionally followed by "+" and the name of a variant, such as a quantization.
        let parts = revision.split(separator: "+", maxSplits: 1)
        let variant = parts.count > 1 ? ", \(parts[1])" : ""
        return "\(model) (\(dimension) dimensions\(variant), \((parts.first ?? "").prefix(12)))"
    }
}

/// A 64-bit sketch of the vector that a model computes for one fixed text. It identifies models whose weights
/// cannot be hashed.
///
/// Each bit tells on which side of a pseudorandom hyperplane the vector lies (SimHash; Charikar 2002). The
/// seed of the hyperplanes is fixed. The sketches of two vectors that differ only by rounding differ in few
/// bits; the sketches of vectors from different models differ in about half of their bits.
package enum EmbeddingProbe {
    /// Stores contain its sketch, so it must never change.
    package static let text = "Swifts sleep on the wing, high above the roofs of the old town."

    /// The maximum number of bits in which two sketches of the same model may differ. If the cosine of two
    /// vectors is 0.99, their sketches differ in three of 64 bits on average (64 · arccos 0.99 / π).
    static let tolerance = 6

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
    package func probedSpace() async throws -> EmbeddingSpace {
        guard space.probe == nil else { return space }
        var probed = space
        probed.probe = EmbeddingProbe.sketch(of: try await embed(EmbeddingProbe.text, as: .document))
        return probed
    }
}
