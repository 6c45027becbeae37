import CRoostKernels

/// Vectors quantized to 8 bits, used to quickly find the rows whose inner product with a vector may reach a
/// threshold.
///
/// Inner products in 8 bits are four times as fast as in Float32 if the processor has instructions for byte
/// products. The Cauchy-Schwarz inequality, applied to the measured lengths of the rounding errors, bounds
/// the effect of rounding on an inner product, and this bound is added to the product. All rows that reach
/// the threshold are therefore reported, and a few that do not; the caller then compares the reported rows
/// exactly. Searches that use this type are exact.
package struct ByteVectors: Sendable {
    /// The number of rows that the kernel compares at a time.
    package static let panelRows = Int(ROOST_BYTE_ROWS)
    /// The largest dimension for which a sum of byte products fits in 32 bits (65,536 · 255 · 127 < 2³¹).
    package static let maximumDimension = 65_536

    package let count: Int
    private let columns: Int
    private let dimension: Int
    private var bytes: [Int8]
    private var offset: [Int32]
    /// The arrays inverse, error and length of `roost_byte_vectors`, one after another; each has `count`
    /// numbers.
    private var numbers: [Float]

    /// Quantizes vectors.
    ///
    /// - Parameters:
    ///   - rows: (count, dimension) row-major.
    ///   - caution: The fraction of the error bound that is applied. 1 assumes the worst case, in which all
    ///     rounding errors add up. A smaller value reports fewer rows that do not reach the threshold, but
    ///     may miss a row that barely reaches it.
    /// - Returns: `nil` if a number is not finite, there are no numbers, or the dimension exceeds
    ///   ``maximumDimension``.
    /// - Complexity: O(count · dimension).
    package init?(_ rows: UnsafePointer<Float>, count: Int, dimension: Int, caution: Float = 1) {
        guard count > 0, dimension > 0, dimension <= Self.maximumDimension else { return nil }
        let columns = (dimension + 3) / 4 * 4
        (self.count, self.columns, self.dimension) = (count, columns, dimension)
        // The kernel prefetches beyond the end of the bytes, which is harmless, but does not read there.
        bytes = [Int8](repeating: 0, count: count * columns)
        offset = [Int32](repeating: 0, count: count)
        numbers = [Float](repeating: 0, count: 3 * count)
        var isFinite = false
        bytes.withUnsafeMutableBufferPointer { bytes in
            offset.withUnsafeMutableBufferPointer { offset in
                numbers.withUnsafeMutableBufferPointer { numbers in
                    let numbers = numbers.baseAddress!
                    let into = roost_byte_vectors(
                        bytes: bytes.baseAddress, offset: offset.baseAddress, inverse: numbers,
                        error: numbers + count, length: numbers + 2 * count)
                    isFinite = roost_byte_vectors_fill(rows, count, dimension, into) != 0
                }
            }
        }
        guard isFinite else { return nil }
        // The bound is the sum of two terms. One is proportional to `error`, the other to `length`.
        if caution != 1 { for index in count..<3 * count { numbers[index] *= caution } }
    }

    /// Returns the nearest rows of each vector, with exact scores.
    ///
    /// - Parameters:
    ///   - vectors: The vectors from which this value was made.
    ///   - spans: The row numbers to search.
    ///   - base: The first row of the matrix to which the row numbers refer.
    ///   - isWanted: Returns whether a row may be a result of a vector.
    package func nearest(
        _ k: Int, to vectors: UnsafePointer<Float>, among spans: [Range<Int>], in base: UnsafePointer<Float>,
        where isWanted: (_ vector: Int, _ row: Int) -> Bool
    ) -> [TopK] {
        let d = dimension
        var best = [TopK](repeating: TopK(k), count: count)
        var thresholds = [Float](repeating: -.infinity, count: count)
        best.withUnsafeMutableBufferPointer { best in
            thresholds.withUnsafeMutableBufferPointer { thresholds in
                let (best, thresholds) = (best.baseAddress!, thresholds.baseAddress!)
                for span in spans {
                    let first = base + span.lowerBound * d
                    forEachPairReachingThreshold(first, count: span.count, thresholds) { vector, offset in
                        let row = span.lowerBound + offset
                        guard isWanted(vector, row) else { return }
                        let score = roost_dot(vectors + vector * d, base + row * d, d)
                        guard score >= thresholds[vector] else { return }
                        best[vector].insert(row: UInt32(row), score: score)
                        thresholds[vector] = best[vector].threshold
                    }
                }
            }
        }
        return best
    }

    /// Calls `body` once for every pair of a vector and a row whose inner product may reach the vector's
    /// threshold.
    ///
    /// Every pair that reaches the threshold is reported. Rows are visited in ascending panels of
    /// ``panelRows``.
    ///
    /// - Parameters:
    ///   - rows: (count, dimension) row-major.
    ///   - thresholds: One for each vector; -∞ reports every row. `body` may raise them, which takes effect
    ///     from the next panel on.
    ///   - body: Receives the index of the vector and of the row.
    package func forEachPairReachingThreshold(
        _ rows: UnsafePointer<Float>, count rowCount: Int, _ thresholds: UnsafeMutablePointer<Float>,
        _ body: (_ vector: Int, _ row: Int) -> Void
    ) {
        let width = Self.panelRows
        guard let reaching = roost_panels_best().pointee.reaching else { return }
        withUnsafeTemporaryAllocation(byteCount: columns * width + 64, alignment: 64) { panelBytes in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { scale in
                withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count * width) { found in
                    withVectors { vectors in
                        var vectors = vectors
                        var panel = roost_byte_panel(
                            bytes: panelBytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            scale: scale.baseAddress, error: 0, length: 0)
                        for start in stride(from: 0, to: rowCount, by: width) {
                            let panelCount = min(width, rowCount - start)
                            guard
                                roost_byte_panel_fill(rows + start * dimension, panelCount, dimension, &panel)
                                    != 0
                            else {
                                // A row that is not finite has no bound: report every pair.
                                for vector in 0..<count {
                                    for row in 0..<panelCount { body(vector, start + row) }
                                }
                                continue
                            }
                            let pairs = reaching(
                                &vectors, count, columns, &panel, thresholds, found.baseAddress)
                            for index in 0..<pairs {
                                let pair = Int(found[index])
                                body(pair / width, start + pair % width)
                            }
                        }
                    }
                }
            }
        }
    }

    private func withVectors(_ body: (roost_byte_vectors) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            offset.withUnsafeBufferPointer { offset in
                numbers.withUnsafeBufferPointer { numbers in
                    let numbers = UnsafeMutablePointer(mutating: numbers.baseAddress!)
                    body(
                        roost_byte_vectors(
                            bytes: UnsafeMutablePointer(mutating: bytes.baseAddress),
                            offset: UnsafeMutablePointer(mutating: offset.baseAddress), inverse: numbers,
                            error: numbers + count, length: numbers + 2 * count))
                }
            }
        }
    }
}
