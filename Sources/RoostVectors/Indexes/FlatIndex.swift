import CRoostKernels

/// An exact index that compares every query with every vector.
///
/// It is the reference for testing all other indexes, and the fastest index for up to a few hundred thousand
/// vectors.
///
/// A single query is computed as a matrix-vector product, whose speed is limited by memory bandwidth. Several
/// queries are computed as matrix-matrix products in blocks. For many queries, products of 8-bit numbers
/// first exclude the rows that cannot be among the best.
public struct FlatIndex: VectorIndex {
    private let vectors: VectorRows

    /// Creates an index over a matrix, which is not copied.
    ///
    /// - Parameter vectors: A row-major Float32 matrix with n rows of d components, each row of unit length.
    /// - Precondition: `vectors` has at most 2³² - 1 rows.
    public init(_ vectors: Matrix) { self.init(VectorRows(vectors)) }

    /// Creates an index over rows that may be mapped from a file.
    ///
    /// - Parameter vectors: Vectors of unit length.
    /// - Precondition: `vectors` has at most 2³² - 1 rows.
    package init(_ vectors: VectorRows) {
        precondition(
            vectors.count <= Int(UInt32.max), "\(vectors.count) rows do not fit in UInt32 row numbers")
        self.vectors = vectors
    }

    /// The number of vectors.
    public var count: Int { vectors.count }

    /// The number of components of each vector.
    public var dimension: Int { vectors.dimension }

    /// The number of rows in one matrix product with few queries.
    private static let rowBlock = 4096
    /// The number of queries in one matrix product. BLAS packs the vectors once per product, so the cost of
    /// packing is shared by many queries.
    private static let queryBlock = 512
    /// The number of rows in one matrix product with more than `manyQueries` queries. It is smaller than
    /// `rowBlock`, so the scores stay in the cache.
    private static let smallRowBlock = 1024
    /// With more queries than this, a matrix product has `smallRowBlock` instead of `rowBlock` rows.
    private static let manyQueries = 64
    /// The number of rows in a share, which one thread processes at a time, if there are several queries.
    private static let share = 32_768
    /// With fewer queries than this, allowed rows are read in place. Otherwise, they are first copied into a
    /// matrix, which BLAS can multiply.
    private static let minimumQueriesToCopyRows = 8

    /// Returns the `k` nearest rows for each query; none if the vectors have no components.
    ///
    /// - Throws: `CancellationError`; for vectors in a mapped file, also the file's error if a checksum does
    ///   not match.
    /// - Complexity: O(q · n · d) time. In addition to the result, O(threads · 512 · 1024) memory for scores,
    ///   and O(512 · k) for the best rows of each share of 32,768 rows.
    @concurrent
    public func search(_ queries: Matrix, k: Int, among allowed: RowSet? = nil) async throws -> [[Neighbor]] {
        precondition(
            queries.columns == dimension || count == 0,
            "the queries have \(queries.columns) components, but the index has \(dimension)")
        guard k > 0, count > 0, dimension > 0, queries.rows > 0 else {
            return Array(repeating: [], count: queries.rows)
        }
        try vectors.verify()
        let allowed = allowed.map { rows in [UInt32](rows.lazy.filter { $0 < UInt32(count) }) }
        // With few queries, reading only the allowed rows is faster if they are less than half of all rows.
        // With many queries, matrix products over all rows are much faster per row, so reading only the
        // allowed rows is faster only if they are less than a sixteenth.
        let isFewQueries = queries.rows < Self.minimumQueriesToCopyRows
        if let allowed, allowed.count < count / (isFewQueries ? 2 : 16) {
            return try searchFew(queries, k: k, rows: allowed)
        }
        var mask: [Bool]?
        if let allowed {
            var flags = [Bool](repeating: false, count: count)
            for row in allowed { flags[Int(row)] = true }
            mask = flags
        }
        if queries.rows >= ByteScan.minimumQueries, k <= ByteScan.maximumResults,
            let results = try ByteScan(rows: vectors, k: min(k, count), mask: mask).search(queries)
        {
            return results
        }
        var results: [[Neighbor]] = []
        for start in stride(from: 0, to: queries.rows, by: Self.queryBlock) {
            try Task.checkCancellation()
            let block = start..<min(queries.rows, start + Self.queryBlock)
            results += searchBlock(queries, block, k: min(k, count), mask: mask)
        }
        return results
    }

    /// Returns the `k` nearest rows for each query of a block. Searches each share of the rows separately and
    /// then merges the results.
    private func searchBlock(_ queries: Matrix, _ block: Range<Int>, k: Int, mask: [Bool]?) -> [[Neighbor]] {
        let d = dimension
        // A single query is a pass over memory, which small shares distribute evenly among the cores. For
        // several queries larger shares are faster, because the first rows of a share set a threshold that
        // excludes most of the others.
        let size = block.count == 1 ? Self.rowBlock : Self.share
        let found = Parallel.mapBlocks(of: count, size: size) { rows in
            var best = [TopK](repeating: TopK(k), count: block.count)
            let step = block.count > Self.manyQueries ? Self.smallRowBlock : Self.rowBlock
            vectors.withUnsafePointer { base in
                queries.elements.withUnsafeBufferPointer { queries in
                    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: step) {
                        Self.scan(
                            base + start * d, start..<min(rows.upperBound, start + step),
                            queries.baseAddress! + block.lowerBound * d, d, &best, mask)
                    }
                }
            }
            return best
        }
        return block.indices.map { query in
            let best = TopK.best(of: found.lazy.map { $0[query - block.lowerBound] })
            return queries.withRow(query) { rescored(best, $0) }
        }
    }

    /// Returns the same rows with recomputed scores. Otherwise a score would depend on how the row was found,
    /// because a matrix-matrix product adds in a different order than the product of two vectors.
    private func rescored(_ found: [Neighbor], _ query: UnsafeBufferPointer<Float>) -> [Neighbor] {
        guard let query = query.baseAddress else { return found }
        return vectors.withUnsafePointer { rows in
            found.map { neighbor in
                Neighbor(
                    row: neighbor.row,
                    score: roost_dot(rows + Int(neighbor.row) * dimension, query, dimension))
            }
        }.sorted { $0.precedes($1) }
    }

    /// Multiplies a block of rows with the queries and inserts the scores into `best`, which has one element
    /// for each query.
    private static func scan(
        _ vectors: UnsafePointer<Float>, _ rows: Range<Int>, _ queries: UnsafePointer<Float>, _ d: Int,
        _ best: inout [TopK], _ mask: [Bool]?
    ) {
        let q = best.count
        withUnsafeTemporaryAllocation(of: Float.self, capacity: q * rows.count) { scores in
            let scores = scores.baseAddress!
            if q == 1 {
                for row in 0..<rows.count { scores[row] = roost_dot(vectors + row * d, queries, d) }
            } else {
                BLAS.gemm(
                    .init(queries, stride: d), .init(vectors, stride: d, transposed: true), into: scores,
                    stride: rows.count, m: q, n: rows.count, k: d)
            }
            for query in 0..<q {
                let line = scores + query * rows.count
                var threshold = best[query].threshold
                for offset in 0..<rows.count where line[offset] >= threshold {
                    if let mask, !mask[rows.lowerBound + offset] { continue }
                    best[query].insert(row: UInt32(rows.lowerBound + offset), score: line[offset])
                    threshold = best[query].threshold
                }
            }
        }
    }

    /// Returns the `k` nearest of the given rows for each query, without reading any other rows.
    func searchFew(_ queries: Matrix, k: Int, rows: [UInt32]) throws -> [[Neighbor]] {
        guard !rows.isEmpty, k > 0 else { return Array(repeating: [], count: queries.rows) }
        guard rows.allSatisfy({ vectors.isIntact(Int($0)) }) else { throw vectors.checksumMismatch }
        if queries.rows < Self.minimumQueriesToCopyRows {
            return try (0..<queries.rows).map { query in
                try Task.checkCancellation()
                return queries.withRow(query) { best(of: rows, $0, k: min(k, rows.count)) }
            }
        }
        let few = FlatIndex(vectors.selecting(rows.map { Int($0) }))
        var results: [[Neighbor]] = []
        for start in stride(from: 0, to: queries.rows, by: Self.queryBlock) {
            try Task.checkCancellation()
            let block = start..<min(queries.rows, start + Self.queryBlock)
            results += few.searchBlock(queries, block, k: min(k, rows.count), mask: nil)
        }
        // `rows` is ascending, so rows with equal scores keep their order.
        return results.map { $0.map { Neighbor(row: rows[Int($0.row)], score: $0.score) } }
    }

    private func best(of rows: [UInt32], _ query: UnsafeBufferPointer<Float>, k: Int) -> [Neighbor] {
        let d = dimension
        guard let query = query.baseAddress.map(SharedReads.init) else { return [] }
        let found = Parallel.mapBlocks(of: rows.count, size: Self.rowBlock) { block in
            vectors.withUnsafePointer { base in
                var best = TopK(k)
                for row in rows[block] {
                    best.insert(row: row, score: roost_dot(base + Int(row) * d, query.pointer, d))
                }
                return best
            }
        }
        return TopK.best(of: found)
    }
}
