import Synchronization

/// Buffers that are kept for the next use.
final class Spares<Buffer: Sendable>: Sendable {
    private let spare = Mutex<[Buffer]>([])
    private let make: @Sendable () -> Buffer

    init(_ make: @escaping @Sendable () -> Buffer) { self.make = make }

    /// Calls `body` with a buffer that no other call uses at the same time.
    func withBuffer<Result>(_ body: (Buffer) -> Result) -> Result {
        let buffer = spare.withLock { $0.popLast() } ?? make()
        defer { spare.withLock { $0.append(buffer) } }
        return body(buffer)
    }
}

/// The buffers of a search, which the next search reuses.
///
/// `Sendable` is unchecked because the compiler cannot see that only one search uses the buffers at a time.
final class GraphScratch: @unchecked Sendable {
    struct Candidate {
        var row: UInt32
        /// The inner product of the row's codes with the query.
        var product: Int32
        var isExpanded = false
    }

    /// The best rows of the last search, best first.
    private(set) var beam: UnsafeMutablePointer<Candidate>
    var beamCount = 0
    /// The current query: `2 * stride` signed bytes.
    let query: UnsafeMutablePointer<Int8>
    var querySum: Int32 = 0
    private var beamCapacity = 1
    /// For each row, the number of the last search that reached it.
    private(set) var reached: UnsafeMutablePointer<UInt8>
    private var reachedCapacity = 1
    private(set) var search: UInt8 = 0
    let rows: UnsafeMutablePointer<UInt32>
    /// The inner product of each of these rows' codes with the query.
    let products: UnsafeMutablePointer<Int32>

    /// The maximum number of rows that are compared at once, which is the capacity of `rows` and `products`.
    /// It must be at least the maximum degree of a graph, 255.
    static let batch = 1024

    init(stride: Int) {
        beam = .allocate(capacity: 1)
        reached = .allocate(capacity: 1)
        reached.initialize(to: 0)
        query = .allocate(capacity: 2 * stride)
        query.initialize(repeating: 0, count: 2 * stride)
        rows = .allocate(capacity: Self.batch)
        products = .allocate(capacity: Self.batch)
    }

    deinit {
        beam.deallocate()
        reached.deallocate()
        query.deallocate()
        rows.deallocate()
        products.deallocate()
    }

    func prepare(count: Int, width: Int) {
        if width + 1 > beamCapacity {
            beam.deallocate()
            beamCapacity = width + 1
            beam = .allocate(capacity: beamCapacity)
        }
        if count > reachedCapacity {
            reached.deallocate()
            reachedCapacity = count
            reached = .allocate(capacity: count)
            reached.initialize(repeating: 0, count: count)
            search = 0
        }
        if search == .max {
            reached.update(repeating: 0, count: reachedCapacity)
            search = 0
        }
        search += 1
    }
}

/// The buffers that one thread uses while a graph is built.
///
/// `Sendable` is unchecked because the compiler cannot see that only one thread uses the buffers at a time.
final class GraphWorkspace: @unchecked Sendable {
    struct Candidate {
        var row: UInt32
        /// The squared distance, measured in quantization steps.
        var distance: Int32

        func precedes(_ other: Candidate) -> Bool { (distance, row) < (other.distance, other.row) }
    }

    let scratch: GraphScratch
    let query: UnsafeMutablePointer<Int8>
    let products: UnsafeMutablePointer<Int32>
    /// The rows that are compared in the next step.
    var found: [UInt32] = []
    var candidates: [Candidate] = []

    init(stride: Int, maximumCandidates: Int) {
        scratch = GraphScratch(stride: stride)
        query = .allocate(capacity: 2 * stride)
        products = .allocate(capacity: maximumCandidates)
    }

    deinit {
        query.deallocate()
        products.deallocate()
    }
}
