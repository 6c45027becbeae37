import CRoostKernels
public import RoostVectors

/// Exact search: every vector is compared with every query by BLAS. The oracle of every other index, and
/// the fastest up to a few hundred thousand vectors.
///
/// One query is a matrix × vector product at the speed of memory; several are matrix × matrix products in
/// blocks; for many, what cannot be among the best is ruled out in 8 bits first (``ByteScan``).
public struct FlatIndex: VectorIndex {
    private let vectors: VectorRows

    /// - Parameter vectors: (n, d) row-major Float32, unit length; at most 2³² rows.
    public init(_ vectors: Matrix) { self.init(VectorRows(vectors)) }

    /// - Parameter vectors: unit length; at most 2³² rows.
    public init(_ vectors: VectorRows) {
        precondition(vectors.count <= Int(UInt32.max), "more rows than a row number can say")
        self.vectors = vectors
    }

    public var count: Int { vectors.count }

    public var dimension: Int { vectors.dimension }

    private static let rowBlock = 4096
    /// So many queries share what of the vectors is laid out for the product; with fewer vectors at once, so
    /// that their scores stay in the cache.
    private static let queryBlock = 512
    private static let smallRowBlock = 1024
    /// So many rows are the share of one thread at a time.
    private static let share = 32_768

    /// - Throws: `SectionFile.Unusable` where the vectors are mapped and not as they were written;
    ///   `CancellationError`.
    /// - Complexity: O(q · n · d); memory O(threads · 512 · 1024) beside the result.
    @concurrent
    public func search(_ queries: Matrix, k: Int, among allowed: RowSet? = nil) async throws -> [[Neighbor]] {
        precondition(queries.columns == dimension || count == 0, "queries of another dimension")
        guard k > 0, count > 0, queries.rows > 0 else { return Array(repeating: [], count: queries.rows) }
        try vectors.verify()
        let allowed = allowed.map { rows in [UInt32](rows.lazy.filter { $0 < UInt32(count) }) }
        if let allowed, allowed.count < count / (queries.rows < 8 ? 2 : 16) {
            return try searchFew(queries, k: k, rows: allowed)
        }
        var mask: [Bool]?
        if let allowed {
            var flags = [Bool](repeating: false, count: count)
            for row in allowed { flags[Int(row)] = true }
            mask = flags
        }
        if queries.rows >= ByteScan.fewestQueries, k <= ByteScan.largestK,
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

    /// Every share of the rows finds its own best; the best of those are the answer.
    private func searchBlock(_ queries: Matrix, _ block: Range<Int>, k: Int, mask: [Bool]?) -> [[Neighbor]] {
        let d = dimension
        // One query is a pass over memory, which all cores share; for many, what was found before rules out
        // most of what follows.
        let size = block.count == 1 ? Self.rowBlock : max(Self.rowBlock, Self.share)
        var found = [[TopK]](repeating: [], count: (count + size - 1) / size)
        found.withUnsafeMutableBufferPointer { found in
            let output = DisjointWrites(found.baseAddress!)
            vectors.withUnsafePointer { rows in
                queries.elements.withUnsafeBufferPointer { queries in
                    let base = SharedReads(rows)
                    let asked = SharedReads(queries.baseAddress! + block.lowerBound * d)
                    Parallel.forEachBlock(of: count, size: size) { rows in
                        var best = [TopK](repeating: TopK(k), count: block.count)
                        let step = block.count > 64 ? Self.smallRowBlock : Self.rowBlock
                        for start in stride(from: rows.lowerBound, to: rows.upperBound, by: step) {
                            Self.scan(
                                base.pointer + start * d, start..<min(rows.upperBound, start + step),
                                asked.pointer, d, &best, mask)
                        }
                        output[rows.lowerBound / size] = best
                    }
                }
            }
        }
        return block.indices.map { query in
            var best = TopK(k)
            for part in found {
                for neighbor in part[query - block.lowerBound].sorted() { best.insert(neighbor) }
            }
            return queries.withRow(query) { rescored(best.sorted(), $0) }
        }
    }

    /// The same rows with scores that do not depend on how they were found: products of whole matrices add up
    /// in another order than those of single rows.
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

    /// - Parameter best: of each query, the best so far.
    private static func scan(
        _ vectors: UnsafePointer<Float>, _ rows: Range<Int>, _ queries: UnsafePointer<Float>, _ d: Int,
        _ best: inout [TopK], _ mask: [Bool]?
    ) {
        let q = best.count
        withUnsafeTemporaryAllocation(of: Float.self, capacity: q * rows.count) { scores in
            let scores = scores.baseAddress!
            if q == 1 {
                BLAS.gemv(vectors, rows: rows.count, columns: d, queries, into: scores)
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

    /// Where few rows are allowed, only those are read.
    ///
    /// - Parameter rows: ascending.
    func searchFew(_ queries: Matrix, k: Int, rows: [UInt32]) throws -> [[Neighbor]] {
        guard !rows.isEmpty, k > 0 else { return Array(repeating: [], count: queries.rows) }
        try vectors.verifyUnlessPieced()
        guard rows.allSatisfy({ vectors.isWhole(Int($0)) }) else { throw vectors.unusable }
        if queries.rows < 8 {
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
        // `rows` ascends, so that the order among equal scores stays.
        return results.map { $0.map { Neighbor(row: rows[Int($0.row)], score: $0.score) } }
    }

    private func best(of rows: [UInt32], _ query: UnsafeBufferPointer<Float>, k: Int) -> [Neighbor] {
        let (d, blocks) = (dimension, (rows.count + Self.rowBlock - 1) / Self.rowBlock)
        guard let query = query.baseAddress.map(SharedReads.init) else { return [] }
        var found = [TopK](repeating: TopK(k), count: blocks)
        found.withUnsafeMutableBufferPointer { found in
            let output = DisjointWrites(found.baseAddress!)
            vectors.withUnsafePointer { vectors in
                let base = SharedReads(vectors)
                Parallel.forEachBlock(of: rows.count, size: Self.rowBlock) { block in
                    var best = TopK(k)
                    for index in block {
                        let score = roost_dot(base.pointer + Int(rows[index]) * d, query.pointer, d)
                        best.insert(row: rows[index], score: score)
                    }
                    output[block.lowerBound / Self.rowBlock] = best
                }
            }
        }
        var best = TopK(k)
        for part in found { for neighbor in part.sorted() { best.insert(neighbor) } }
        return best.sorted()
    }
}
