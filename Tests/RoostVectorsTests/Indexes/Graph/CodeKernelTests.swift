import CRoostKernels
import RoostVectors
import Testing

/// Compares the kernels for 4-bit codes with plain loops.
@Suite struct CodeKernelTests {
    @Test(arguments: [64, 128, 192, 384, 1024]) func `products match a plain loop`(length: Int) {
        var generator = SeededGenerator(seed: UInt64(length))
        let codes = (0..<length * 50).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let query = (0..<2 * length).map { _ in Int8(truncatingIfNeeded: Int(generator.next() % 255) - 127) }
        let sum = query.reduce(Int32(0)) { $0 + Int32($1) }
        for count in [0, 1, 2, 5, 6, 17, 40] {
            let rows = (0..<count).map { _ in UInt32(generator.nextIndex(below: 50)) }
            var (found, expected) = ([Int32](repeating: 0, count: count), [Int32](repeating: 0, count: count))
            roost_code_products(query, sum, length, codes, rows, count, &found)
            roost_code_products_portable(query, sum, length, codes, rows, count, &expected)
            #expect(found == expected)
            for (index, row) in rows.enumerated() {
                let start = Int(row) * length
                let plain = (0..<length).reduce(0) { total, j in
                    let byte = Int(codes[start + j])
                    return total + (2 * (byte & 15) - 15) * Int(query[j])
                        + (2 * (byte >> 4) - 15) * Int(query[length + j])
                }
                #expect(Int(found[index]) == plain)
            }
        }
        // The largest possible product.
        let maximum = [UInt8](repeating: 0xFF, count: length)
        let high = [Int8](repeating: 127, count: 2 * length)
        var product: Int32 = 0
        roost_code_products(high, Int32(254 * length), length, maximum, [0], 1, &product)
        #expect(Int(product) == 15 * 127 * 2 * length)
        var back = [Int8](repeating: 0, count: 2 * length)
        #expect(
            roost_code_query(maximum, length, &back) == Int32(30 * length) && back.allSatisfy { $0 == 15 })
    }

    @Test func `the transform preserves lengths and is its own inverse`() {
        var generator = SeededGenerator(seed: 3)
        let original = (0..<384).map { _ in Float(generator.nextNormal()) }
        var turned = original
        roost_hadamard(&turned, 3)
        #expect(abs(length(of: turned) - length(of: original)) < 1e-3)
        #expect(abs(turned[0] - original[0..<128].reduce(0, +) / Float(128).squareRoot()) < 1e-4)
        roost_hadamard(&turned, 3)
        #expect(zip(turned, original).allSatisfy { abs($0 - $1) < 1e-4 })
    }
}
