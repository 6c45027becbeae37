/// Collects the k best neighbors from a stream of candidates.
///
/// Implemented as a binary heap with the worst kept neighbor at the top. Inserting a candidate takes O(log k)
/// if it is kept, and one comparison otherwise.
package struct TopK: Sendable {
    /// The maximum number of neighbors to keep.
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
    package var threshold: Float {
        heap.count < capacity ? -.infinity : (heap.first?.score ?? .infinity)
    }

    /// Adds a candidate if it is one of the best k so far.
    @inline(__always)
    package mutating func insert(row: UInt32, score: Float) {
        guard score >= threshold else { return }
        insert(Neighbor(row: row, score: score))
    }

    /// Adds a candidate if it is one of the best k so far.
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

    /// Returns the kept neighbors, best first.
    package func sorted() -> [Neighbor] { heap.sorted { $0.precedes($1) } }

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
        var parent = start
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[worst].precedes(heap[child]) { worst = child }
            }
            guard worst != parent else { return }
            heap.swapAt(parent, worst)
            parent = worst
        }
    }
}
