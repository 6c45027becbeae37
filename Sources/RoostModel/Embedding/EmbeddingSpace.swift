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
        self.model = model
        self.revision = revision
        self.dimension = dimension
        self.pooling = pooling
        self.queryPrefix = queryPrefix
        self.documentPrefix = documentPrefix
        self.isNormalized = isNormalized
        self.probe = probe
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
            throw DecodingError.dataCorruptedError(
                forKey: .dimension, in: container, debugDescription: "the dimension is out of range")
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
