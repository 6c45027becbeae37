import CRoostKernels
import RoostFiles
public import RoostVectors
import Synchronization

/// Approximate search by walking a graph from row to row, always on to whichever is nearest to the query.
/// Neighbours are scored by integer products of 4-bit codes, the last candidates by their exact vectors.
///
/// Finds nearly all of the nearest rows (``FlatIndex`` is the oracle) in time that grows with the logarithm
/// of their number, not with it.
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

    /// A mapped graph is not as it was written. Its vectors may well be.
    public struct Damaged: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What searches on several threads came upon.
    private struct Damage: ~Copyable {
        let isOfGraph = Atomic(false)
        let isOfVectors = Atomic(false)
    }

    private let vectors: VectorRows
    let codes: GraphCodes
    let graph: GraphView
    /// What the graph lies in: its builder or a file.
    let owner: any AnyObject & Sendable
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
        try vectors.verify()
        try builder.build(vectors)
        self.init(vectors, builder.codes, builder.view, owner: builder, options)
    }

    public var count: Int { vectors.count }

    public var dimension: Int { vectors.dimension }

    /// Bytes of the index a vector, without the exact vectors.
    public var bytesPerVector: Int { codes.stride + 4 * graph.degree + 1 }

    /// - Throws: ``Damaged``; `SectionFile.Unusable` where vectors that are looked at are mapped and not as
    ///   they were written; `CancellationError`.
    @concurrent
    public func search(_ queries: Matrix, k: Int, among allowed: RowSet? = nil) async throws -> [[Neighbor]] {
        precondition(queries.columns == dimension || count == 0, "queries of another dimension")
        guard k > 0, count > 0 else { return Array(repeating: [], count: queries.rows) }
        let flat = FlatIndex(vectors)
        guard k < count / 4 else { return try await flat.search(queries, k: k, among: allowed) }
        let allowedCount = allowed?.count ?? count
        if let allowed, allowedCount <= Self.fewRows {
            return try flat.searchFew(queries, k: k, rows: allowed.filter { $0 < UInt32(count) })
        }
        try vectors.verifyUnlessPieced()
        let damage = Damage()
        var found = [[Neighbor]?](repeating: nil, count: queries.rows)
        found.withUnsafeMutableBufferPointer { found in
            let output = DisjointWrites(found.baseAddress!)
            Parallel.forEachBlock(of: queries.rows, size: Self.queryBlock) { block in
                let scratch = pool.take()
                defer { pool.give(scratch) }
                withExtendedLifetime(owner) {
                    for row in block {
                        output[row] = queries.withRow(row) {
                            search($0, k: k, allowed, allowedCount, scratch.value, damage)
                        }
                    }
                }
            }
        }
        guard !damage.isOfVectors.load(ordering: .relaxed) else { throw vectors.unusable }
        guard !damage.isOfGraph.load(ordering: .relaxed) else {
            throw Damaged(
                description: (owner as? SectionFile)?.unusable.description ?? "the graph is damaged")
        }
        // A walk may not lead everywhere; an answer is never shorter for that.
        let short = found.indices.filter { found[$0] == nil }
        if !short.isEmpty {
            try Task.checkCancellation()
            let exact = try await flat.search(queries.selecting(short), k: k, among: allowed)
            for (row, neighbors) in zip(short, exact) { found[row] = neighbors }
        }
        return found.map { $0 ?? [] }
    }

    /// So many queries are the work of one thread.
    private static let queryBlock = 32

    /// To compare so many rows is as quick as a walk.
    private static let fewRows = 8192

    /// - Returns: `nil` where fewer are found than there are, or all had better be compared.
    ///
    /// What is allowed does not lead the walk: the walk goes on until enough of the nearest of all are
    /// allowed, so that those are the nearest of the allowed ones.
    private func search(
        _ query: UnsafeBufferPointer<Float>, k: Int, _ allowed: RowSet?, _ allowedCount: Int,
        _ scratch: GraphScratch, _ damage: borrowing Damage
    ) -> [Neighbor]? {
        guard let query = query.baseAddress else { return nil }
        scratch.querySum = codes.write(query, query: scratch.query)
        let wanted = min(k, allowedCount)
        // Codes order nearly as the vectors do: what is a little behind may be among the best.
        let reserve = k + k / 2 + 4
        var width = max(min(options.searchWidth, count), k + k / 2)
        if allowed != nil { width = max(width, reserve * count / max(1, allowedCount)) }
        while true {
            // A wide walk takes longer than to compare what is allowed.
            if allowed != nil, width > min(count / 16, allowedCount / 8) { return nil }
            guard graph.search(scratch, width: width) else {
                damage.isOfGraph.store(true, ordering: .relaxed)
                return nil
            }
            guard let allowed else { break }
            let found = (0..<scratch.beamCount).count { allowed.contains(scratch.beam[$0].row) }
            if found >= min(reserve, allowedCount) { break }
            width *= 4
        }
        var best = TopK(k)
        var candidates = max(2 * k + 10, min(options.searchWidth, count) / 2)
        vectors.withUnsafePointer { base in
            for index in 0..<scratch.beamCount {
                let row = scratch.beam[index].row
                if let allowed, !allowed.contains(row) { continue }
                guard candidates > 0 else { break }
                candidates -= 1
                guard vectors.isWhole(Int(row)) else {
                    damage.isOfVectors.store(true, ordering: .relaxed)
                    break
                }
                best.insert(row: row, score: roost_dot(base + Int(row) * dimension, query, dimension))
            }
        }
        let found = best.sorted()
        return found.count < wanted ? nil : found
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
