/// The features of a database for searching vectors.
struct VectorCapabilities: Sendable {
    /// Whether it has the type `halfvec` and indexes over it.
    let hasHalfVectors: Bool
    /// Whether a scan of an index can continue until enough rows pass a filter.
    let continuesScans: Bool
    /// Whether the tables are distributed over several servers.
    let isDistributed: Bool
}
