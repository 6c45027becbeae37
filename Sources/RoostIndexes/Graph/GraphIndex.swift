import CRoostKernels
public import RoostVectors
import Synchronization

/// Approximate search by walking a graph from row to row, always on to whichever is nearest to the query.
/// Neighbours are scored by integer products of 4-bit codes, the last candidates by their exact vectors.
///
/// Finds nearly all of the nearest rows (``FlatIndex`` is the oracle) in time that grows with the logarithm
/// of
/// their number, not with it.
public struct GraphIndex: VectorIndex {
    /// How an index is made, and how carefully it is searched.
    public struct Options: Sendable, Hashable {
        /// The most neighbours of a row, at most 255: more find more and take more space.
        public var degree = 32
        /// How many candidates are looked at when a row is linked: more make a better graph, in more time.
        public var buildWidth = 64
        /// How many candidates a search keeps, at least: more find more, in more time. Of an index that is
        /// built, this alone has an effect.
        public var searchWidth = 64
        public var seed: UInt64 = 1

        public init() {}
    }

    private let vectors: VectorRows
    let codes: GraphCodes
    let graph: GraphView
    /// What the graph lies in: its builder or a file.
    private let owner: any AnyObject & Sendable
    private let pool: Pool
    public var options: Options

    init(
        _ vectors: VectorRows, _ codes: GraphCodes, _ graph: GraphView, owner: any AnyObject & Sendable,
        _ options: Options
    ) {
        self.vectors = vectors
        self.codes = codes
        self.graph = graph
        self.owner = owner
        self.options = options
        pool = Pool(stride: codes.stride)
    }

    /// Builds an index on all cores.
    ///
    /// - Parameter vectors: (n, d) row-major Float32, unit length; at most 2³² rows.
    /// - Throws: `CancellationError` where the task is cancelled between batches of rows.
    public init(building vectors: Matrix, options: Options = Options()) async throws {
        try await self.init(building: VectorRows(vectors), options: options)
    }

    /// As ``init(building:options:)-(Matrix,_)``, of rows that may be mapped.
    @concurrent
    public init(building vectors: VectorRows, options: Options = Options()) async throws {
        precondition(vectors.count <= Int(UInt32.max), "more rows than a row number can say")
        var build = GraphBuilder.Options()
        build.degree = options.degree
        build.width = options.buildWidth
        build.seed = options.seed
        let builder = GraphBuilder(vectors, build)
        try builder.build(vectors)
        self.init(vectors, builder.codes, builder.view, owner: builder, options)
    }

    public var count: Int { vectors.count }

    public var dimension: Int { vectors.dimension }

    /// Bytes of the index a vector, without the exact vectors.
    public var bytesPerVector: Int { codes.stride + 4 * graph.degree + 1 }

    @concurrent
    public func search(_ queries: Matrix, k: Int, among allowed: RowSet? = nil) async throws -> [[Neighbor]] {
        precondition(queries.columns == dimension || count == 0, "queries of another dimension")
        guard k > 0, count > 0 else { return Array(repeating: [], count: queries.rows) }
        if allowed != nil || k >= count / 4 {
            return try await FlatIndex(vectors).search(queries, k: k, among: allowed)
        }
        let scratch = pool.take()
        defer { pool.give(scratch) }
        var results: [[Neighbor]] = []
        for row in 0..<queries.rows {
            if row % 64 == 63 { try Task.checkCancellation() }
            var found = withExtendedLifetime(owner) {
                queries.withRow(row) { search($0, k: k, scratch.value) }
            }
            // A walk may not lead everywhere; an answer is never shorter for that.
            if found.count < min(k, count) {
                found = try await FlatIndex(vectors).search(queries.selecting([row]), k: k, among: nil)[0]
            }
            results.append(found)
        }
        return results
    }

    private func search(_ query: UnsafeBufferPointer<Float>, k: Int, _ scratch: GraphScratch) -> [Neighbor] {
        guard let query = query.baseAddress else { return [] }
        scratch.querySum = codes.write(query, query: scratch.query)
        graph.search(scratch, width: max(min(options.searchWidth, count), k + k / 2))
        // Codes order nearly as the vectors do: what is a little behind may be among the best.
        let candidates = min(scratch.beamCount, max(2 * k + 10, min(options.searchWidth, count) / 2))
        var best = TopK(k)
        vectors.withUnsafePointer { base in
            for index in 0..<candidates {
                let row = scratch.beam[index].row
                let score = roost_dot(base + Int(row) * dimension, query, dimension)
                best.insert(row: row, score: score)
            }
        }
        return best.sorted()
    }

    /// What searches work with, kept for the next ones.
    private final class Pool: Sendable {
        /// Unchecked because the compiler cannot see that one search has it at a time.
        struct Box: @unchecked Sendable {
            let value: GraphScratch
        }

        private let spare = Mutex<[Box]>([])
        private let stride: Int

        init(stride: Int) { self.stride = stride }

        func take() -> Box {
            spare.withLock { $0.popLast() } ?? Box(value: GraphScratch(stride: stride))
        }

        func give(_ box: Box) { spare.withLock { $0.append(box) } }
    }
}
