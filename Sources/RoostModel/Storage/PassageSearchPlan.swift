/// The way in which a ``PassageSearch`` found passages.
public struct PassageSearchPlan: Sendable, Hashable, Codable {
    /// The way in which vectors were compared.
    public enum Method: String, Sendable, Hashable, Codable {
        /// All vectors of the matching entries were compared.
        case exactScan
        /// An index selected the vectors that were compared.
        case index
        /// The index found too few matching passages, so all vectors of the matching entries were compared.
        case indexThenExactScan
    }

    /// The way in which vectors were compared.
    public var method: Method
    /// The number of entries in the scope of the search.
    public var matchingEntries: Int
    /// The number of passages that were found.
    public var foundPassages: Int

    /// Creates a plan.
    public init(_ method: Method, matchingEntries: Int, foundPassages: Int) {
        (self.method, self.matchingEntries, self.foundPassages) = (method, matchingEntries, foundPassages)
    }
}
