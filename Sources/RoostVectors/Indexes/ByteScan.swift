/// An exact search for many queries at once. It compares all rows in 8-bit precision, and then compares in
/// Float32 only the rows whose 8-bit product shows that they may be among the best.
///
/// The k-th best score so far is a threshold that excludes nearly all rows (`ByteVectors`). Of n rows, about
/// k · log(n / k) remain for each query, plus those whose score differs from the k-th best by less than the
/// rounding error.
struct ByteScan {
    /// The minimum number of queries. With fewer queries, converting the rows to bytes takes more time than
    /// it saves.
    static let minimumQueries = 64
    /// The maximum number of results per query. With more results, too many rows are compared a second time
    /// in Float32.
    static let maximumResults = 512

    let rows: VectorRows
    let k: Int
    /// For each row, whether it may be a result. If `nil`, all rows may be.
    let mask: [Bool]?

    /// The number of queries that share one conversion of a row to bytes.
    private static let queryBlock = 1024
    /// The minimum number of rows that are searched together as one share. Each share starts without a
    /// threshold, so with smaller shares more rows would be compared a second time in Float32.
    private static let minimumShare = 8192
    /// The number of units of work (one block of queries and one share of the rows) between two checks for
    /// cancellation.
    private static let batch = 8

    /// Returns the `k` nearest rows for each query, or `nil` if the queries contain numbers that are not
    /// finite.
    func search(_ queries: Matrix) throws -> [[Neighbor]]? {
        let blocks = (queries.rows + Self.queryBlock - 1) / Self.queryBlock
        let shares = max(1, min(Self.batch / min(blocks, Self.batch), rows.count / Self.minimumShare))
        let share = (rows.count + shares - 1) / shares
        var results: [[Neighbor]] = []
        results.reserveCapacity(queries.rows)
        for first in stride(from: 0, to: blocks, by: max(1, Self.batch / shares)) {
            try Task.checkCancellation()
            let blocks = first..<min(blocks, first + max(1, Self.batch / shares))
            guard let found = search(queries, blocks, shares: shares, share: share) else { return nil }
            for block in found.indices {
                for query in found[block][0].indices {
                    results.append(TopK.best(of: found[block].lazy.map { $0[query] }))
                }
            }
        }
        return results
    }

    private func search(_ queries: Matrix, _ blocks: Range<Int>, shares: Int, share: Int) -> [[[TopK]]]? {
        let (d, q, n) = (rows.dimension, queries.rows, rows.count)
        var prepared: [ByteVectors] = []
        for block in blocks {
            let start = block * Self.queryBlock
            let vectors = queries.elements.withUnsafeBufferPointer {
                ByteVectors($0.baseAddress! + start * d, count: min(Self.queryBlock, q - start), dimension: d)
            }
            guard let vectors else { return nil }
            prepared.append(vectors)
        }
        let found = Parallel.mapBlocks(of: blocks.count * shares, size: 1) { [prepared] unit in
            let (block, part) = (unit.lowerBound / shares, unit.lowerBound % shares)
            let span = part * share..<min(n, (part + 1) * share)
            let first = (blocks.lowerBound + block) * Self.queryBlock * d
            return rows.withUnsafePointer { base in
                queries.elements.withUnsafeBufferPointer {
                    prepared[block].nearest(k, to: $0.baseAddress! + first, among: [span], in: base) {
                        mask?[$1] ?? true
                    }
                }
            }
        }
        return blocks.indices.map { block in
            let first = (block - blocks.lowerBound) * shares
            return Array(found[first..<first + shares])
        }
    }
}
