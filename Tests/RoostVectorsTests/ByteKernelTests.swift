import CRoostKernels
import RoostVectors
import Testing

/// The kernel of every instruction set that this processor has, held to inner products one by one.
@Suite struct ByteKernelTests {
    static let kernels: [String] = ["avx512vnni", "avx512", "avxvnni", "avx2", "portable"].filter {
        roost_panels_named($0) != nil
    }

    @Test(arguments: kernels, [1, 6, 31, 384])
    func `all that reach a threshold are named, and few others`(kernel: String, dimension: Int) throws {
        let reaching = try #require(roost_panels_named(kernel)?.pointee.reaching)
        let columns = (dimension + 3) / 4 * 4
        for (count, rows) in [(1, 1), (3, 32), (29, 17), (64, 32)] {
            let vectors = unitVectors(count, dimension, seed: 1)
            let other = unitVectors(rows, dimension, seed: 2)
            var bytes = [Int8](repeating: 0, count: count * columns)
            var offset = [Int32](repeating: 0, count: count)
            var (inverse, error, length) = (
                [Float](repeating: 0, count: count), [Float](repeating: 0, count: count),
                [Float](repeating: 0, count: count)
            )
            var panelBytes = [UInt8](repeating: 0, count: columns * 32)
            var scale = [Float](repeating: 0, count: 32)
            var found = [UInt32](repeating: 0, count: count * 32)
            // By turns all, a part, and nearly none reach it.
            let thresholds = (0..<count).map { [-Float.infinity, 0.1, 0.9][$0 % 3] }
            var pairs = 0
            bytes.withUnsafeMutableBufferPointer { bytes in
                offset.withUnsafeMutableBufferPointer { offset in
                    inverse.withUnsafeMutableBufferPointer { inverse in
                        error.withUnsafeMutableBufferPointer { error in
                            length.withUnsafeMutableBufferPointer { length in
                                panelBytes.withUnsafeMutableBufferPointer { panelBytes in
                                    scale.withUnsafeMutableBufferPointer { scale in
                                        var vectorsInBytes = roost_byte_vectors(
                                            bytes: bytes.baseAddress, offset: offset.baseAddress,
                                            inverse: inverse.baseAddress, error: error.baseAddress,
                                            length: length.baseAddress)
                                        var panel = roost_byte_panel(
                                            bytes: panelBytes.baseAddress, scale: scale.baseAddress, error: 0,
                                            length: 0)
                                        #expect(
                                            roost_byte_vectors_fill(
                                                vectors.elements, count, dimension, vectorsInBytes) == 1)
                                        #expect(
                                            roost_byte_panel_fill(other.elements, rows, dimension, &panel)
                                                == 1)
                                        pairs = reaching(
                                            &vectorsInBytes, count, columns, &panel, thresholds, &found)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            let named = Set(found.prefix(pairs))
            #expect(named.count == pairs)
            for vector in 0..<count {
                for row in 0..<rows {
                    let product = innerProduct(vectors.row(vector), other.row(row))
                    let isNamed = named.contains(UInt32(vector * 32 + row))
                    if product >= thresholds[vector] { #expect(isNamed, "\(vector), \(row)") }
                    if product < thresholds[vector] - 0.05 { #expect(!isNamed, "\(vector), \(row)") }
                }
            }
            #expect(named.allSatisfy { $0 % 32 < rows && $0 / 32 < count })
        }
    }

    @Test func `numbers that are not finite are said`() {
        for bad in [Float.nan, .infinity, -.infinity, 1e30] {
            var vectors = unitVectors(40, 5, seed: 1)
            vectors[33, 2] = bad
            #expect(ByteVectors(vectors.elements, count: 40, dimension: 5) == nil)
            #expect(ByteVectors(vectors.elements, count: 33, dimension: 5) != nil)
        }
        #expect(ByteVectors([], count: 0, dimension: 5) == nil)
    }
}
