import CRoostKernels
import RoostVectors
import Testing

/// Compares the kernel of every instruction set that this processor supports with exact inner products.
@Suite struct ByteKernelTests {
    static let kernels: [String] = ["avx512vnni", "avx512", "avxvnni", "avx2", "portable"].filter {
        roost_panels_named($0) != nil
    }

    /// Calls `body` with quantized vectors and a panel of quantized rows.
    private func withQuantized<Result>(
        _ vectors: Matrix, _ rows: Matrix, _ body: (roost_byte_vectors, roost_byte_panel) -> Result
    ) -> Result {
        let (count, columns) = (vectors.rows, (vectors.columns + 3) / 4 * 4)
        let bytes = UnsafeMutablePointer<Int8>.allocate(capacity: count * columns)
        let offset = UnsafeMutablePointer<Int32>.allocate(capacity: count)
        let numbers = UnsafeMutablePointer<Float>.allocate(capacity: 3 * count + 32)
        let panelBytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 32 * columns)
        defer {
            bytes.deallocate()
            offset.deallocate()
            numbers.deallocate()
            panelBytes.deallocate()
        }
        let quantized = roost_byte_vectors(
            bytes: bytes, offset: offset, inverse: numbers, error: numbers + count,
            length: numbers + 2 * count)
        var panel = roost_byte_panel(bytes: panelBytes, scale: numbers + 3 * count, error: 0, length: 0)
        #expect(roost_byte_vectors_fill(vectors.elements, count, vectors.columns, quantized) == 1)
        #expect(roost_byte_panel_fill(rows.elements, rows.rows, rows.columns, &panel) == 1)
        return body(quantized, panel)
    }

    @Test(arguments: kernels, [1, 6, 31, 384])
    func `all pairs that reach the threshold are found, and few others`(kernel: String, dimension: Int) throws
    {
        let reaching = try #require(roost_panels_named(kernel)?.pointee.reaching)
        let columns = (dimension + 3) / 4 * 4
        for (count, rows) in [(1, 1), (3, 32), (29, 17), (64, 32)] {
            let vectors = unitVectors(count, dimension, seed: 1)
            let other = unitVectors(rows, dimension, seed: 2)
            // For every third vector, all pairs reach the threshold; for the others, some or almost none do.
            let thresholds = (0..<count).map { [-Float.infinity, 0.1, 0.9][$0 % 3] }
            var found = [UInt32](repeating: 0, count: count * 32)
            let pairs = withQuantized(vectors, other) { vectors, panel in
                var (vectors, panel) = (vectors, panel)
                return reaching(&vectors, count, columns, &panel, thresholds, &found)
            }
            let foundPairs = Set(found.prefix(pairs))
            #expect(foundPairs.count == pairs)
            for vector in 0..<count {
                for row in 0..<rows {
                    let product = innerProduct(vectors.row(vector), other.row(row))
                    let isFound = foundPairs.contains(UInt32(vector * 32 + row))
                    if product >= thresholds[vector] { #expect(isFound, "\(vector), \(row)") }
                    if product < thresholds[vector] - 0.05 { #expect(!isFound, "\(vector), \(row)") }
                }
            }
            #expect(foundPairs.allSatisfy { $0 % 32 < rows && $0 / 32 < count })
        }
    }

    @Test func `numbers that are not finite are rejected`() {
        for bad in [Float.nan, .infinity, -.infinity, 1e30] {
            var vectors = unitVectors(40, 5, seed: 1)
            vectors[33, 2] = bad
            #expect(ByteVectors(vectors.elements, count: 40, dimension: 5) == nil)
            #expect(ByteVectors(vectors.elements, count: 33, dimension: 5) != nil)
        }
        #expect(ByteVectors([], count: 0, dimension: 5) == nil)
    }
}
