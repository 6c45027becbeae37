public import RoostVectors

/// A search for the nearest passages that runs where the vectors are stored, for example in a database.
///
/// A caller that uses it does not need the vectors of a store in its own memory. All results, except those
/// that concern the index, belong to the revision of the snapshot (``StorageSnapshot/passageSearch``).
///
/// The errors of all methods are those of ``StorageSnapshot``.
public protocol PassageSearch: Sendable {
    /// Returns the passages that are nearest to a vector, nearest first.
    ///
    /// The scores are exact. With an index, some of the nearest passages may be missing, and others take
    /// their places. The result has fewer passages than `limit` only if no others match.
    ///
    /// - Parameters:
    ///   - vector: The vector, which has the dimension of the store.
    ///   - limit: The maximum number of passages, at least 1.
    ///   - scope: The entries whose passages may be found.
    ///   - isExact: Whether all vectors are compared even if there is an index.
    /// - Throws: ``StorageError`` with `.dimensionMismatch` if the vector has another dimension.
    func nearestPassages(
        to vector: [Float], limit: Int, in scope: PassageScope, isExact: Bool
    ) async throws -> NearestPassages

    /// Returns the vectors of the passages of some entries, in ascending order of rows.
    ///
    /// - Parameter rows: The rows of the entries. Rows that the snapshot does not have are skipped.
    func passageVectors(ofRows rows: RowSet) async throws -> VectorPage

    /// Returns rows of entries with vectors that are spread evenly over the store. Calls for one snapshot return
    /// the same rows.
    ///
    /// - Parameter count: The maximum number of rows.
    func sampledRows(_ count: Int) async throws -> RowSet

    /// Returns the state of the index over all vectors of the store.
    func indexState() async throws -> PassageIndexState

    /// Builds the index, unless it is complete. Other clients can read and write the store meanwhile. Later
    /// changes of the store are added to the index. A storage can build one index at a time; then the call waits.
    ///
    /// A canceled call removes or leaves an incomplete index, which searches do not use and the next call
    /// replaces.
    ///
    /// - Parameter progress: Receives a description of the step and, if it is known, the finished share of
    ///   the step, from 0 to 1.
    /// - Throws: ``StorageError`` with `.unsupported` if the storage cannot build an index.
    func buildIndex(progress: @escaping @Sendable (String, Double?) -> Void) async throws
}

/// The entries whose passages a search may find.
public enum PassageScope: Sendable {
    /// The entries that match a filter.
    case matching(EntryFilter)
    /// The entries in the given rows.
    case rows(RowSet)
}

/// The result of ``PassageSearch/nearestPassages(to:limit:in:isExact:)``.
public struct NearestPassages: Sendable {
    /// The passages, nearest first.
    public var passages: [NearestPassage]
    /// The way in which they were found.
    public var plan: PassageSearchPlan

    /// Creates a result.
    public init(passages: [NearestPassage], plan: PassageSearchPlan) {
        (self.passages, self.plan) = (passages, plan)
    }
}

/// A passage that a ``PassageSearch`` found.
public struct NearestPassage: Sendable, Hashable {
    /// The entry of the passage.
    public var entry: Entry.ID
    /// The row of the entry.
    public var row: UInt32
    /// The ordinal of the passage in the entry.
    public var ordinal: Int
    /// The inner product of the vectors of the passage and the query.
    public var score: Float

    /// Creates a passage.
    public init(entry: Entry.ID, row: UInt32, ordinal: Int, score: Float) {
        (self.entry, self.row, self.ordinal, self.score) = (entry, row, ordinal, score)
    }
}

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

/// The state of the index of a ``PassageSearch``.
public struct PassageIndexState: Sendable, Hashable, Codable {
    /// Whether searches can use the index.
    public var isComplete: Bool
    /// The size of the index in bytes; 0 if it is not complete.
    public var bytes: Int
    /// The reason why no index can be built; `nil` if one can.
    public var obstacle: String?

    /// Creates a state.
    public init(isComplete: Bool, bytes: Int, obstacle: String? = nil) {
        (self.isComplete, self.bytes, self.obstacle) = (isComplete, bytes, obstacle)
    }
}
