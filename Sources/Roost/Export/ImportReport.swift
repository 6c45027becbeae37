/// The result of an import.
public struct ImportReport: Sendable, Hashable, Encodable {
    /// The number of entries that the store did not contain.
    public var new = 0
    /// The number of entries that replaced a different entry with the same id.
    public var updated = 0
    /// The number of entries that the store already contained.
    public var unchanged = 0
    /// The number of entries that were embedded, because the archive has no vectors in the store's embedding
    /// space.
    public var embedded = 0

    /// Creates an empty report.
    public init() {}
}
