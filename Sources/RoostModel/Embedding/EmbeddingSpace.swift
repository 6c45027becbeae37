/// What makes vectors comparable: two spaces never mix.
public struct EmbeddingSpace: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The model's name, for people.
    public var model: String
    /// What tells one version of the model from another: a hash of its weights, or an algorithm's version.
    public var revision: String
    /// How many numbers a vector has.
    public var dimension: Int
    /// `mean`, `cls`, or what else makes one vector of many.
    public var pooling: String
    /// What is put before a query's text.
    public var queryPrefix: String
    /// What is put before a document's text.
    public var documentPrefix: String
    /// Whether vectors have unit length.
    public var isNormalized: Bool
    /// What the model says of a fixed text (``EmbeddingProbe``), where that was asked; `nil` agrees with all.
    public var probe: String?

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

    /// Whether vectors of both may be compared. A model's name is for people and does not count.
    public func isCompatible(with other: EmbeddingSpace) -> Bool {
        var renamed = other
        renamed.model = model
        if let probe, let asked = other.probe, !EmbeddingProbe.agree(probe, asked) { return false }
        renamed.probe = probe
        return self == renamed
    }

    public var description: String {
        // After the hash a revision may say what was made of the weights.
        let parts = revision.split(separator: "+", maxSplits: 1)
        let variant = parts.count > 1 ? ", \(parts[1])" : ""
        return "\(model) (\(dimension) dimensions\(variant), \((parts.first ?? "").prefix(12)))"
    }
}
