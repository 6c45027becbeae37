import CRoostKernels
import Foundation
import RoostVectors
import Testing

@testable import RoostIndexes

@Suite struct GraphIndexTests {
    /// Unit vectors in groups that spread in few directions, as those of texts do.
    static func vectors(_ count: Int, _ dimension: Int, seed: UInt64 = 1) -> Matrix {
        var fixed = SeededGenerator(seed: 77)
        func direction() -> [Float] { (0..<dimension).map { _ in Float(fixed.nextNormal()) } }
        let groups = (0..<20).map { _ in direction() }
        let axes = (0..<12).map { _ in direction() }
        var generator = SeededGenerator(seed: seed)
        var matrix = Matrix(rows: count, columns: dimension)
        for row in 0..<count {
            let group = groups[generator.nextIndex(below: groups.count)]
            let place = axes.map { _ in 0.4 * Float(generator.nextNormal()) }
            for column in 0..<dimension {
                var value = group[column] + 0.3 + 0.1 * Float(generator.nextNormal())
                for (axis, amount) in zip(axes, place) { value += amount * axis[column] }
                matrix[row, column] = value
            }
        }
        matrix.normalizeRows()
        return matrix
    }

    static func recall(_ found: [[Neighbor]], _ truth: [[Neighbor]]) -> Double {
        let hits = zip(found, truth).reduce(0) {
            $0 + Set($1.0.map(\.row)).intersection($1.1.map(\.row)).count
        }
        return Double(hits) / Double(max(1, truth.reduce(0) { $0 + $1.count }))
    }

    // MARK: Kernels

    @Test(arguments: [64, 128, 192, 384, 1024]) func `products are those of the plain loop`(length: Int) {
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
        // The largest that can be.
        let most = [UInt8](repeating: 0xFF, count: length)
        let high = [Int8](repeating: 127, count: 2 * length)
        var product: Int32 = 0
        roost_code_products(high, Int32(254 * length), length, most, [0], 1, &product)
        #expect(Int(product) == 15 * 127 * 2 * length)
        var back = [Int8](repeating: 0, count: 2 * length)
        #expect(roost_code_query(most, length, &back) == Int32(30 * length) && back.allSatisfy { $0 == 15 })
    }

    @Test func `the transform keeps lengths and is its own inverse`() {
        var generator = SeededGenerator(seed: 3)
        let original = (0..<384).map { _ in Float(generator.nextNormal()) }
        var turned = original
        roost_hadamard(&turned, 3)
        #expect(abs(length(of: turned) - length(of: original)) < 1e-3)
        #expect(abs(turned[0] - original[0..<128].reduce(0, +) / Float(128).squareRoot()) < 1e-4)
        roost_hadamard(&turned, 3)
        #expect(zip(turned, original).allSatisfy { abs($0 - $1) < 1e-4 })
    }

    @Test(arguments: [7, 100, 128, 384, 500]) func `codes order rows nearly as vectors do`(dimension: Int) {
        let vectors = Self.vectors(400, dimension)
        let codes = GraphCodes(fitting: VectorRows(vectors), seed: 1)
        #expect(codes.width % 128 == 0 && codes.width >= dimension && codes.stride * 2 == codes.width)
        var rows = [UInt8](repeating: 0, count: 400 * codes.stride)
        for row in 0..<400 {
            vectors.withRow(row) { vector in
                rows.withUnsafeMutableBufferPointer {
                    codes.write(vector.baseAddress!, row: $0.baseAddress! + row * codes.stride)
                }
            }
        }
        var query = [Int8](repeating: 0, count: codes.width)
        let sum = vectors.withRow(0) { codes.write($0.baseAddress!, query: &query) }
        var products = [Int32](repeating: 0, count: 400)
        roost_code_products(query, sum, codes.stride, rows, (0..<400).map { UInt32($0) }, 400, &products)
        let exact = (0..<400).map { innerProduct(vectors.row($0), vectors.row(0)) }
        let nearest = Set((0..<400).sorted { exact[$0] > exact[$1] }.prefix(10))
        let found = Set((0..<400).sorted { products[$0] > products[$1] }.prefix(25))
        #expect(nearest.intersection(found).count >= (dimension < 50 ? 6 : 9))
    }

    // MARK: The index

    @Test(arguments: [(1, 16), (2, 16), (9, 32), (300, 64), (5000, 96), (5000, 384)])
    func `nearly all of the nearest are found`(count: Int, dimension: Int) async throws {
        let vectors = Self.vectors(count, dimension)
        let queries = Self.vectors(50, dimension, seed: 2)
        let index = try await GraphIndex(building: vectors)
        let truth = try await FlatIndex(vectors).search(queries, k: 10, among: nil)
        let found = try await index.search(queries, k: 10, among: nil)
        #expect(found.allSatisfy { $0.count == min(10, count) })
        #expect(Self.recall(found, truth) > 0.95, "\(Self.recall(found, truth))")
        for (list, right) in zip(found, truth) {
            #expect(zip(list, list.dropFirst()).allSatisfy { $0.precedes($1) })
            let scores = Dictionary(uniqueKeysWithValues: right.map { ($0.row, $0.score) })
            for neighbor in list {
                if let score = scores[neighbor.row] { #expect(abs(score - neighbor.score) < 1e-5) }
            }
        }
        var wide = index
        wide.options.searchWidth = 400
        #expect(Self.recall(try await wide.search(queries, k: 10, among: nil), truth) > 0.995)
    }

    @Test func `the same vectors and seed give the same graph, whatever runs beside it`() async throws {
        let vectors = Self.vectors(4000, 64)
        let queries = Self.vectors(100, 64, seed: 5)
        async let first = GraphIndex(building: vectors)
        async let second = GraphIndex(building: vectors)
        let (a, b) = try await (
            first.search(queries, k: 5, among: nil), second.search(queries, k: 5, among: nil)
        )
        #expect(a == b)
    }

    @Test func `a filter never makes an answer shorter`() async throws {
        let vectors = Self.vectors(3000, 64)
        let queries = Self.vectors(20, 64, seed: 7)
        let index = try await GraphIndex(building: vectors)
        for share in [3, 30, 300, 1500] {
            let allowed = RowSet((0..<UInt32(share)).map { $0 * UInt32(3000 / share) })
            let truth = try await FlatIndex(vectors).search(queries, k: 10, among: allowed)
            let found = try await index.search(queries, k: 10, among: allowed)
            #expect(
                found.allSatisfy { $0.count == min(10, share) && $0.allSatisfy { allowed.contains($0.row) } })
            #expect(Self.recall(found, truth) > 0.95)
        }
        #expect(try await index.search(queries, k: 0, among: nil).allSatisfy(\.isEmpty))
        #expect(try await index.search(queries, k: 5000, among: nil).allSatisfy { $0.count == 3000 })
        #expect(try await index.search(queries, k: 10, among: []).allSatisfy(\.isEmpty))
    }

    @Test func `odd vectors do no harm`() async throws {
        // All the same, zeros, and numbers that are none.
        var same = Matrix(rows: 2000, columns: 32)
        for row in 0..<2000 { same[row, 3] = 1 }
        let equal = try await GraphIndex(building: same).search(same.selecting([5]), k: 10, among: nil)
        #expect(equal[0].count == 10 && equal[0].allSatisfy { abs($0.score - 1) < 1e-6 })
        let zeros = Matrix(rows: 500, columns: 32)
        #expect(
            try await GraphIndex(building: zeros).search(zeros.selecting([0]), k: 3, among: nil)[0].count == 3
        )
        var broken = Self.vectors(1000, 32)
        for column in 0..<32 { broken[17, column] = .nan }
        broken[18, 0] = .infinity
        let queries = Self.vectors(20, 32, seed: 9)
        for list in try await GraphIndex(building: broken).search(queries, k: 10, among: nil) {
            #expect(list.allSatisfy { !$0.score.isNaN })
        }
        let empty = try await GraphIndex(building: Matrix(rows: 0, columns: 32))
        #expect(try await empty.search(queries, k: 3, among: nil).allSatisfy(\.isEmpty))
    }

    @Test(arguments: [0.1, 0.9]) func `copies of one row hide nothing`(share: Double) async throws {
        var vectors = Self.vectors(4000, 64)
        let copies = Int(4000 * share)
        for row in 0..<copies {
            for column in 0..<64 { vectors[row * 4000 / copies, column] = vectors[1, column] }
        }
        let index = try await GraphIndex(building: vectors)
        let others = Self.vectors(40, 64, seed: 11)
        let truth = try await FlatIndex(vectors).search(others, k: 10, among: nil)
        let found = try await index.search(others, k: 10, among: nil)
        // Of equal scores any row is right.
        let hits = zip(found, truth).reduce(0) { sum, pair in
            sum + zip(pair.0, pair.1).count { abs($0.score - $1.score) < 1e-5 }
        }
        #expect(hits >= 340, "\(hits) of 400")
    }

    @Test func `numbers that are nearly nothing do no harm`() async throws {
        var vectors = Self.vectors(600, 32)
        for column in 0..<32 { vectors[3, column] = 1e-40 }
        let index = try await GraphIndex(building: vectors)
        var query = Matrix(rows: 1, columns: 32)
        for column in 0..<32 { query[0, column] = 1e-41 }
        #expect(try await index.search(query, k: 5, among: nil)[0].count == 5)
    }

    @Test func `building stops when it is cancelled`() async throws {
        let vectors = Self.vectors(20_000, 64)
        let task = Task { try await GraphIndex(building: vectors) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    // MARK: Filters

    @Test(arguments: [0.001, 0.01, 0.1, 0.5, 0.9])
    func `what is allowed is found, however little it is`(share: Double) async throws {
        let vectors = Self.vectors(30_000, 32)
        let index = try await GraphIndex(building: vectors)
        let queries = Self.vectors(60, 32, seed: 9)
        var generator = SeededGenerator(seed: 2)
        let scattered = RowSet((0..<30_000).filter { _ in generator.nextUnit() < share })
        // Those that are nearest to one place: far from most of the queries.
        let order = try await FlatIndex(vectors).search(queries.selecting([0]), k: 30_000)[0]
        let together = RowSet(order.prefix(Int(30_000 * share)).map(\.row))
        for allowed in [scattered, together] {
            let truth = try await FlatIndex(vectors).search(queries, k: 10, among: allowed)
            let found = try await index.search(queries, k: 10, among: allowed)
            #expect(Self.recall(found, truth) >= 0.95)
            #expect(zip(found, truth).allSatisfy { $0.count == $1.count })
            #expect(found.allSatisfy { $0.allSatisfy { allowed.contains($0.row) } })
        }
        #expect(try await index.search(queries, k: 10, among: []).allSatisfy(\.isEmpty))
        #expect(
            try await index.search(queries, k: 10, among: [7, 90_000]).allSatisfy { $0.map(\.row) == [7] })
    }
}
