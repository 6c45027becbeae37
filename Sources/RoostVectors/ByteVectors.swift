import CRoostKernels

/// Vectors in 8 bits, kept to tell quickly which of many rows may have inner products of at least a threshold
/// with them.
///
/// The products are taken in 8 bits, four times as fast as in Float32 where the processor has byte products.
/// What rounding can hide (the Cauchy-Schwarz inequality with the measured lengths of the rounding errors)
/// counts for the row: none that reaches the threshold is passed over, and a few that do not are named, which
/// whoever asks compares exactly. So searches that use this are exact.
package struct ByteVectors: Sendable {
    /// So many rows are told at a time.
    package static let panelRows = Int(ROOST_BYTE_ROWS)
    /// Sums of products of bytes fit 32 bits up to here.
    package static let largestDimension = 65_536

    package let count: Int
    private let columns: Int
    private let dimension: Int
    private var bytes: [Int8]
    private var offset: [Int32]
    /// (inverse, error, length), each `count` numbers.
    private var numbers: [Float]

    /// - Parameters:
    ///   - rows: (count, dimension) row-major.
    ///   - caution: 1 counts on the worst that rounding can do, which never comes: its errors add up as
    ///     random ones
    ///     do. With less, fewer rows are named for nothing, and one that reaches a threshold by a hair may
    ///     not be.
    /// - Returns: `nil` where numbers are not finite, or too many.
    /// - Complexity: O(count · dimension).
    package init?(_ rows: UnsafePointer<Float>, count: Int, dimension: Int, caution: Float = 1) {
        guard count > 0, dimension > 0, dimension <= Self.largestDimension else { return nil }
        let columns = (dimension + 3) / 4 * 4
        (self.count, self.columns, self.dimension) = (count, columns, dimension)
        // The kernel fetches ahead of what it reads, but reads nothing that is not there.
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
        // (error, length) stand after one another; each is a factor of one of the two bounds.
        if caution != 1 { for place in count..<3 * count { numbers[place] *= caution } }
    }

    /// Calls `body` with every pair of a vector and one of some rows whose inner product may be at least the
    /// vector's threshold: with all that have one, once each, the rows in panels of ``panelRows`` in their
    /// order.
    ///
    /// - Parameters:
    ///   - rows: (count, dimension) row-major.
    ///   - thresholds: one for each vector; `body` may raise them. Beneath every number -∞.
    ///   - body: is given the vector and the row.
    package func forEachReaching(
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
                            let part = min(width, rowCount - start)
                            guard
                                roost_byte_panel_fill(rows + start * dimension, part, dimension, &panel) != 0
                            else {
                                for vector in 0..<count { for row in 0..<part { body(vector, start + row) } }
                                continue
                            }
                            let pairs = reaching(
                                &vectors, count, columns, &panel, thresholds, found.baseAddress)
                            for place in 0..<pairs {
                                let pair = Int(found[place])
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
