/// An index that finds the nearest neighbors of a query in a fixed set of vectors.
///
/// An index is immutable; after a change, a new index is published. Rows are dense numbers from 0. The code
/// that builds the index knows which vector each row stands for.
public protocol VectorIndex: Sendable {
    /// The number of vectors.
    var count: Int { get }

    /// The number of components of each vector.
    var dimension: Int { get }

    /// Returns the `k` nearest rows for each query.
    ///
    /// - Parameters:
    ///   - queries: (q, dimension) row-major Float32, unit length.
    ///   - k: The number of rows to find. Fewer are returned only if fewer are allowed or exist.
    ///   - allowed: The rows that may be returned; `nil` allows all. The filter is applied before the results
    ///     are cut to `k`.
    /// - Returns: For each query its neighbors, best first; equal scores are ordered by ascending row.
    /// - Throws: `CancellationError` if the task is canceled, which is checked between blocks of queries.
    /// - Precondition: `queries.columns == dimension`.
    func search(_ queries: Matrix, k: Int, among allowed: RowSet?) async throws -> [[Neighbor]]
}
