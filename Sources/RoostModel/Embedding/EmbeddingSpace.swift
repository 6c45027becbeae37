/// The identity of an embedding model and of the settings that affect its vectors.
///
/// Vectors can be compared only if they belong to compatible spaces (``isCompatible(with:)``). All vectors of
/// a store belong to one space.
public struct EmbeddingSpace: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the model, for display only.
    public var model: String
    /// The version of the model: a hash of its weights, or the version of an algorithm.
    public var revision: String
    /// The number of elements of a vector.
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

    /// Creates an embedding space.
    public init(
        model: String, revision: String, dimension: Int, pooling: String, queryPrefix: String = "",
        documentPrefix: String = "", isNormalized: Bool = true, probe: String? = nil
    ) {
        self.model = model
        self.revision = revision
        self.dimension = dimension
        self.pooling = pooling
        self.queryPrefix = queryPrefix
        self.documentPrefix = documentPrefix
        self.isNormalized = isNormalized
        self.probe = probe
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
