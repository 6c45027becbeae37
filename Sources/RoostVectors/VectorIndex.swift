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

/// A row that a search found, with its score.
public struct Neighbor: Sendable, Hashable {
    /// The number of the row in the index.
    public let row: UInt32
    /// The inner product with the query. For unit vectors this is the cosine, from -1 to 1 up to rounding.
    public let score: Float

    /// Creates a neighbor.
    public init(row: UInt32, score: Float) { (self.row, self.score) = (row, score) }

    /// Returns whether this neighbor ranks before another. The higher score ranks first; of two equal scores,
    /// the one with the lower row.
    @inline(__always)
    package func precedes(_ other: Neighbor) -> Bool {
        score > other.score || (score == other.score && row < other.row)
    }
}

/// Collects the k best neighbors from a stream of candidates.
///
/// Implemented as a binary heap with the worst kept neighbor at the top. Inserting a candidate takes O(log k)
/// if it is kept, and one comparison otherwise.
package struct TopK: Sendable {
    package let capacity: Int
    private var heap: [Neighbor] = []

    /// Creates an empty collection.
    ///
    /// - Parameter capacity: The maximum number of neighbors to keep.
    /// - Precondition: `capacity >= 0`.
    package init(_ capacity: Int) {
        precondition(capacity >= 0, "the capacity must be at least 0, not \(capacity)")
        self.capacity = capacity
        // A caller that wants all rows may pass a huge capacity; the heap then grows as it fills.
        heap.reserveCapacity(min(capacity, 1024))
    }

    /// The score below which a candidate is not kept. A candidate whose score is NaN is never kept.
    @inline(__always)
    package var threshold: Float { heap.count < capacity ? -.infinity : (heap.first?.score ?? .infinity) }

    @inline(__always)
    package mutating func insert(row: UInt32, score: Float) {
        guard score >= threshold else { return }
        insert(Neighbor(row: row, score: score))
    }

    package mutating func insert(_ candidate: Neighbor) {
        guard capacity > 0, !candidate.score.isNaN else { return }
        if heap.count < capacity {
            heap.append(candidate)
            siftUp(heap.count - 1)
        } else if candidate.precedes(heap[0]) {
            heap[0] = candidate
            siftDown(0)
        }
    }

    package func sorted() -> [Neighbor] { heap.sorted { $0.precedes($1) } }

    /// Returns the best neighbors of several collections with the same capacity, best first.
    static func best(of parts: some Sequence<TopK>) -> [Neighbor] {
        var parts = parts.makeIterator()
        guard var best = parts.next() else { return [] }
        while let part = parts.next() { for neighbor in part.heap { best.insert(neighbor) } }
        return best.sorted()
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[parent].precedes(heap[child]) else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        let moved = heap[start]
        var parent = start
        while case var child = 2 * parent + 1, child < heap.count {
            if child + 1 < heap.count, heap[child].precedes(heap[child + 1]) { child += 1 }
            guard moved.precedes(heap[child]) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = moved
    }
}
