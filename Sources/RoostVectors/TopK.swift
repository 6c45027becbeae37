/// A row and how near it is.
public struct Neighbor: Sendable, Hashable {
    public let row: UInt32
    /// The inner product with the query: for unit vectors the cosine, -1 to 1 up to rounding.
    public let score: Float

    public init(row: UInt32, score: Float) {
        self.row = row
        self.score = score
    }

    /// The order of results: the higher score first, of equal scores the lower row.
    @inline(__always)
    package func precedes(_ other: Neighbor) -> Bool {
        score > other.score || (score == other.score && row < other.row)
    }
}

/// The best k of a stream of neighbours, in the order of results.
///
/// A binary heap with the worst on top: O(log k) for a candidate that gets in, one comparison for one that
/// does not.
public struct TopK: Sendable {
    public let capacity: Int
    private var heap: [Neighbor] = []

    /// - Precondition: `capacity >= 0`.
    public init(_ capacity: Int) {
        precondition(capacity >= 0, "a capacity of \(capacity)")
        self.capacity = capacity
        heap.reserveCapacity(min(capacity, 1024))
    }

    /// A candidate scoring below this cannot get in. A candidate scoring NaN never does.
    @inline(__always)
    public var threshold: Float {
        heap.count < capacity ? -.infinity : (heap.first?.score ?? .infinity)
    }

    @inline(__always)
    public mutating func insert(row: UInt32, score: Float) {
        guard score >= threshold else { return }
        insert(Neighbor(row: row, score: score))
    }

    public mutating func insert(_ candidate: Neighbor) {
        guard capacity > 0, !candidate.score.isNaN else { return }
        if heap.count < capacity {
            heap.append(candidate)
            siftUp(heap.count - 1)
        } else if candidate.precedes(heap[0]) {
            heap[0] = candidate
            siftDown(0)
        }
    }

    /// The kept neighbours, best first.
    public func sorted() -> [Neighbor] { heap.sorted { $0.precedes($1) } }

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
