import CRoostKernels
import RoostVectors

/// Exact search for many queries at once: rows are compared in 8 bits, those that may be among the best in
/// Float32.
///
/// The scores of the best so far rule out nearly all rows (``ByteVectors``); what is left of n rows is about
/// k · log(n / k) a query, and those whose score is within the rounding of the k-th.
struct ByteScan {
    /// With fewer, laying rows out in bytes costs more than it saves.
    static let fewestQueries = 64
    /// With more, too much is compared twice.
    static let largestK = 512

    let rows: VectorRows
    let k: Int
    /// Which rows may be found; `nil` for all.
    let mask: [Bool]?

    private static let queryBlock = 1024
    private static let smallestShare = 8192
    /// So many pairs of queries and shares are worked on between two looks at whether to go on.
    private static let batch = 8

    /// - Returns: `nil` where the queries have numbers that are not finite.
    func search(_ queries: Matrix) throws -> [[Neighbor]]? {
        let blocks = (queries.rows + Self.queryBlock - 1) / Self.queryBlock
        let shares = max(1, min(Self.batch / min(blocks, Self.batch), rows.count / Self.smallestShare))
        let share = (rows.count + shares - 1) / shares
        var results: [[Neighbor]] = []
        results.reserveCapacity(queries.rows)
        for first in stride(from: 0, to: blocks, by: max(1, Self.batch / shares)) {
            try Task.checkCancellation()
            let blocks = first..<min(blocks, first + max(1, Self.batch / shares))
            guard let found = search(queries, blocks, shares: shares, share: share) else { return nil }
            for block in found.indices {
                for query in found[block][0].indices {
                    var best = found[block][0][query]
                    for part in found[block].dropFirst() {
                        for neighbor in part[query].sorted() { best.insert(neighbor) }
                    }
                    results.append(best.sorted())
                }
            }
        }
        return results
    }

    /// - Returns: of each block, of each share, the best of each query.
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
        var found = [[TopK]](repeating: [], count: blocks.count * shares)
        found.withUnsafeMutableBufferPointer { found in
            let output = DisjointWrites(found.baseAddress!)
            queries.elements.withUnsafeBufferPointer { queries in
                rows.withUnsafePointer { base in
                    let base = SharedReads(base)
                    let asked = SharedReads(queries.baseAddress! + blocks.lowerBound * Self.queryBlock * d)
                    let prepared = prepared
                    Parallel.forEachBlock(of: blocks.count * shares, size: 1) { place in
                        let (block, part) = (place.lowerBound / shares, place.lowerBound % shares)
                        let span = part * share..<min(n, (part + 1) * share)
                        output[place.lowerBound] = best(
                            prepared[block], asked.pointer + block * Self.queryBlock * d, base.pointer, span)
                    }
                }
            }
        }
        return blocks.indices.map { block in
            let first = (block - blocks.lowerBound) * shares
            return Array(found[first..<first + shares])
        }
    }

    private func best(
        _ vectors: ByteVectors, _ queries: UnsafePointer<Float>, _ base: UnsafePointer<Float>,
        _ span: Range<Int>
    ) -> [TopK] {
        let d = rows.dimension
        var best = [TopK](repeating: TopK(k), count: vectors.count)
        var thresholds = [Float](repeating: -.infinity, count: vectors.count)
        thresholds.withUnsafeMutableBufferPointer { thresholds in
            let thresholds = thresholds.baseAddress!
            best.withUnsafeMutableBufferPointer { best in
                vectors.forEachReaching(base + span.lowerBound * d, count: span.count, thresholds) {
                    query, offset in
                    let row = span.lowerBound + offset
                    if let mask, !mask[row] { return }
                    let score = roost_dot(queries + query * d, base + row * d, d)
                    guard score >= thresholds[query] else { return }
                    best[query].insert(row: UInt32(row), score: score)
                    thresholds[query] = best[query].threshold
                }
            }
        }
        return best
    }
}
