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

    /// Returns the vectors of the passages of entries whose ids are spread evenly. Calls for one snapshot
    /// select the same entries.
    ///
    /// - Parameter count: The maximum number of entries.
    func sampledPassages(ofEntries count: Int) async throws -> VectorPage

    /// Returns the state of the index over all vectors of the store.
    func indexState() async throws -> PassageIndexState

    /// Builds the index, unless it is complete. Other clients can read and write the store meanwhile. Later
    /// changes of the store are added to the index.
    ///
    /// A canceled call removes or leaves an incomplete index, which searches do not use and the next call
    /// replaces.
    ///
    /// - Parameter progress: Receives a description of the step and, if it is known, the finished share of
    ///   the step, from 0 to 1.
    /// - Throws: ``StorageError`` with `.unsupported` if the storage cannot build an index.
    func buildIndex(progress: @escaping @Sendable (String, Double?) -> Void) async throws
}
