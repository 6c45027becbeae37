import CRoostKernels
import RoostFiles
import Synchronization

/// An approximate index that searches a graph by moving from row to row, each time to the known row nearest
/// to the query.
///
/// Rows are first compared by integer products of 4-bit codes; the final candidates are then compared by
/// their exact vectors. A search finds nearly all of the nearest rows (compared with ``FlatIndex``) in a time
/// that grows with the logarithm of the number of rows.
public struct GraphIndex: VectorIndex {
    /// The parameters of construction and search. The construction replaces a number out of range with the
    /// nearest bound of the range.
    public struct Options: Sendable, Hashable {
        /// A graph stores the number of neighbors of a row in one byte.
        static let maximumDegreeLimit = Int(UInt8.max)
        /// Limits the memory of a search.
        static let efConstructionLimit = 1 << 20

        /// The maximum number of neighbors of a row, 1 to 255. A larger value increases recall and memory.
        public var maximumDegree = 32
        /// The number of candidates that a search keeps when a row is inserted, 1 to 2^20. A larger value
        /// produces a better graph but makes construction slower.
        public var efConstruction = 64
        /// The minimum number of candidates that a query keeps. A larger value increases recall but makes
        /// searches slower. This is the only option that has an effect on an existing index.
        public var efSearch = 64
        /// The seed of the construction. The same vectors, options and seed always produce the same graph.
        public var seed: UInt64 = 1

        /// Creates the default options.
        public init() {}
    }

    /// Records the checksum mismatches that the threads of one call have found.
    private struct Damage: ~Copyable {
        let isOfGraph = Atomic(false)
        let isOfVectors = Atomic(false)
    }

    private let vectors: VectorRows
    let codes: GraphCodes
    let graph: GraphView
    /// The object that owns the graph's memory: an arena or a file.
    let owner: any AnyObject & Sendable
    private let scratches: Spares<GraphScratch>
    /// The parameters of the index. ``Options/efSearch`` may be changed at any time.
    public var options: Options

    init(
        _ vectors: VectorRows, _ codes: GraphCodes, _ graph: GraphView, owner: any AnyObject & Sendable,
        _ options: Options
    ) {
        (self.vectors, self.codes, self.graph, self.owner) = (vectors, codes, graph, owner)
        self.options = options
        scratches = Spares { GraphScratch(stride: codes.stride) }
    }

    /// Builds an index on all cores.
    ///
    /// - Parameters:
    ///   - vectors: A row-major Float32 matrix with n rows of d components, each row of unit length.
    ///   - options: The parameters of construction and search.
    /// - Throws: `CancellationError`, which is checked between batches of rows.
    /// - Precondition: `vectors` has at most 2³² - 1 rows.
    public init(building vectors: Matrix, options: Options = Options()) async throws {
        try await self.init(building: VectorRows(vectors), options: options)
    }

    /// Builds an index over rows that may be mapped from a file.
    @concurrent
    package init(building vectors: VectorRows, options: Options = Options()) async throws {
        try self.init(vectors, options) { _ in }
    }

    /// Builds an index over changed vectors from an earlier index. Only new vectors are inserted, unless fewer
    /// than half of the rows before or after the change are kept.
    ///
    /// - Parameters:
    ///   - earlier: The index of the vectors before the change. It stays usable.
    ///   - origins: For each row of `vectors`, the row of the same vector in `earlier`; `nil` for a new vector.
    /// - Throws: `SectionFile/Unusable` if the earlier graph is damaged; `CancellationError`.
    /// - Complexity: The time of encoding all rows, of inserting the new ones, and of choosing new neighbors
    ///   for rows next to removed ones.
    @concurrent
    package init(updating earlier: GraphIndex, to vectors: VectorRows, origins: [UInt32?]) async throws {
        precondition(origins.count == vectors.count && earlier.dimension == vectors.dimension)
        guard 2 * origins.count(where: { $0 != nil }) > max(vectors.count, earlier.count) else {
            self = try await GraphIndex(building: vectors, options: earlier.options)
            return
        }
        try earlier.verify()
        var options = earlier.options
        options.maximumDegree = earlier.graph.degree
        try self.init(vectors, options) { builder in
            withExtendedLifetime(earlier.owner) { builder.adopt(earlier.graph, origins) }
        }
    }

    private init(_ vectors: VectorRows, _ options: Options, prepare: (GraphBuilder) -> Void) throws {
        precondition(
            vectors.count <= Int(UInt32.max), "\(vectors.count) rows do not fit in UInt32 row numbers")
        var options = options
        options.maximumDegree = min(max(1, options.maximumDegree), Options.maximumDegreeLimit)
        options.efConstruction = min(max(1, options.efConstruction), Options.efConstructionLimit)
        try vectors.verify()
        let builder = GraphBuilder(vectors, options)
        prepare(builder)
        try builder.build(vectors)
        self.init(vectors, builder.arena.encoding, builder.view, owner: builder.arena, options)
    }

    /// The number of vectors.
    public var count: Int { vectors.count }

    /// The number of components of each vector.
    public var dimension: Int { vectors.dimension }

    /// The memory that the index uses for each vector, in bytes, without the exact vectors.
    public var bytesPerVector: Int {
        codes.stride + MemoryLayout<UInt32>.stride * graph.degree + MemoryLayout<UInt8>.stride
    }
}

// MARK: - Search

extension GraphIndex {
    /// The number of queries that one thread processes at a time.
    private static let queryBlock = 32
    /// The number of queries between two checks for cancellation: 64 blocks, which occupy all cores.
    private static let queriesPerCheck = 2048
    /// The maximum number of allowed rows for which all of them are compared. Up to this number, that takes
    /// no longer than a search of the graph.
    private static let maximumRowsToScan = 8192
    /// If at least a quarter of all rows are requested, a search of the graph would visit nearly all rows in
    /// random order. Comparing all rows sequentially is then faster.
    private static let maximumResultShare = 4
    /// When a filter requires a wider beam, the beam may hold at most a sixteenth of all rows. If it had to
    /// be wider, comparing all allowed rows would be faster.
    private static let maximumBeamShare = 16
    /// When a filter requires a wider beam, its width may be at most an eighth of the number of allowed rows,
    /// for the same reason.
    private static let maximumAllowedShare = 8
    /// The factor by which the beam is widened when a search has found too few allowed rows.
    private static let widening = 4

    /// Returns approximately the `k` nearest rows for each query. An answer has fewer than `k` rows only if
    /// fewer than `k` rows are allowed.
    ///
    /// - Throws: `CancellationError`, which is checked between blocks of queries; for an index in a mapped
    ///   file, also the file's error if a checksum does not match.
    /// - Complexity: About O(q · efSearch · maximumDegree · d) for q queries without a filter.
    @concurrent
    public func search(_ queries: Matrix, k: Int, among allowed: RowSet? = nil) async throws -> [[Neighbor]] {
        precondition(
            queries.columns == dimension || count == 0,
            "the queries have \(queries.columns) components, but the index has \(dimension)")
        guard k > 0, count > 0 else { return Array(repeating: [], count: queries.rows) }
        let flat = FlatIndex(vectors)
        guard k < count / Self.maximumResultShare else {
            return try await flat.search(queries, k: k, among: allowed)
        }
        let allowedCount = allowed?.count ?? count
        if let allowed, allowedCount <= Self.maximumRowsToScan {
            return try flat.searchFew(queries, k: k, rows: allowed.filter { $0 < UInt32(count) })
        }
        let damage = Damage()
        var found: [[Neighbor]?] = []
        for start in stride(from: 0, to: queries.rows, by: Self.queriesPerCheck) {
            try Task.checkCancellation()
            let count = min(Self.queriesPerCheck, queries.rows - start)
            found += Parallel.mapBlocks(of: count, size: Self.queryBlock) { block in
                scratches.withBuffer { scratch in
                    withExtendedLifetime(owner) {
                        block.map { index in
                            queries.withRow(start + index) {
                                search($0, k: k, allowed, allowedCount, scratch, damage)
                            }
                        }
                    }
                }
            }.flatMap(\.self)
        }
        guard !damage.isOfVectors.load(ordering: .relaxed) else { throw vectors.checksumMismatch }
        guard !damage.isOfGraph.load(ordering: .relaxed) else {
            throw (owner as? SectionFile)?.checksumMismatch
                ?? SectionFile.Unusable(description: "the graph is corrupt")
        }
        // Queries for which the search of the graph did not find enough rows are answered by exact search.
        let short = found.indices.filter { found[$0] == nil }
        if !short.isEmpty {
            try Task.checkCancellation()
            let exact = try await flat.search(queries.selecting(short), k: k, among: allowed)
            for (row, neighbors) in zip(short, exact) { found[row] = neighbors }
        }
        return found.map { $0 ?? [] }
    }

    /// The number of allowed candidates that the beam must contain before they are ranked by their exact
    /// vectors.
    ///
    /// The codes order the rows nearly as the vectors do, so rows that rank just below the k-th by code may
    /// be among the k nearest by vector. In a measurement (decision 8), the 10 nearest passages by vector
    /// were always among the best 20 by 4-bit code; this function returns 19 for k = 10.
    private static func requiredCandidates(_ k: Int) -> Int { k + k / 2 + 4 }

    /// The number of candidates whose exact vectors are compared: at least `2 * k + 10`, and at least an eighth
    /// of the beam. For k = 10 the first number is 30, which was enough to find all of the 10 nearest passages
    /// in the measurement of decision 8.
    private func rankedCandidates(_ k: Int) -> Int { max(2 * k + 10, min(options.efSearch, count) / 8) }

    /// Returns the nearest rows for one query, or `nil` if the search of the graph finds too few rows or if
    /// comparing all allowed rows is faster.
    ///
    /// The filter does not influence which rows the search visits. Instead, the search is repeated with a
    /// wider beam until enough rows in the beam are allowed; these are the nearest of all allowed rows.
    private func search(
        _ query: UnsafeBufferPointer<Float>, k: Int, _ allowed: RowSet?, _ allowedCount: Int,
        _ scratch: GraphScratch, _ damage: borrowing Damage
    ) -> [Neighbor]? {
        guard let query = query.baseAddress else { return nil }
        scratch.querySum = codes.write(query, query: scratch.query)
        let wanted = min(k, allowedCount)
        let required = Self.requiredCandidates(k)
        var width = max(min(options.efSearch, count), k + k / 2)
        // If the allowed rows are evenly distributed, a beam of this width contains the required number of
        // them.
        if allowed != nil { width = max(width, required * count / max(1, allowedCount)) }
        while true {
            if allowed != nil,
                width > min(count / Self.maximumBeamShare, allowedCount / Self.maximumAllowedShare)
            {
                return nil
            }
            guard graph.search(scratch, width: width) else {
                damage.isOfGraph.store(true, ordering: .relaxed)
                return nil
            }
            guard let allowed else { break }
            let found = (0..<scratch.beamCount).count { allowed.contains(scratch.beam[$0].row) }
            if found >= min(required, allowedCount) { break }
            width *= Self.widening
        }
        var best = TopK(k)
        var candidates = rankedCandidates(k)
        vectors.withUnsafePointer { base in
            for index in 0..<scratch.beamCount {
                let row = scratch.beam[index].row
                if let allowed, !allowed.contains(row) { continue }
                guard candidates > 0 else { break }
                candidates -= 1
                guard vectors.isIntact(Int(row)) else {
                    damage.isOfVectors.store(true, ordering: .relaxed)
                    break
                }
                best.insert(row: row, score: roost_dot(base + Int(row) * dimension, query, dimension))
            }
        }
        let found = best.sorted()
        return found.count < wanted ? nil : found
    }
}
