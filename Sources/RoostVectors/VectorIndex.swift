/// Finds the rows of a fixed set of vectors that are nearest to a query.
///
/// An index is an immutable reader: what changes is published as a new one. Rows are dense numbers from 0;
/// what a row stands for is known to whoever built the index.
public protocol VectorIndex: Sendable {
    /// How many vectors there are.
    var count: Int { get }

    /// How many numbers a vector has.
    var dimension: Int { get }

    /// The `k` nearest rows of each query.
    ///
    /// - Parameters:
    ///   - queries: (q, dimension) row-major Float32, unit length.
    ///   - k: how many to find; fewer are returned only where fewer exist.
    ///   - allowed: the rows that may be found, `nil` for all. Applied before the cut: a filter never
    ///     makes the result shorter than `k` while allowed rows are left.
    /// - Returns: for each query its neighbours, best first; of equal scores the lower row first.
    /// - Throws: `CancellationError` where the task is cancelled between blocks of queries.
    /// - Precondition: `queries.columns == dimension`.
    func search(_ queries: Matrix, k: Int, among allowed: RowSet?) async throws -> [[Neighbor]]
}
