import CRoostKernels
import Testing

@testable import RoostVectors

@Suite struct GraphIndexTests {
    /// Returns unit vectors in groups with a low intrinsic dimension, like embeddings of texts.
    static func vectors(_ count: Int, _ dimension: Int, seed: UInt64 = 1) -> Matrix {
        var fixed = SeededGenerator(seed: 77)
        func direction() -> [Float] { (0..<dimension).map { _ in Float(fixed.nextNormal()) } }
        let groups = (0..<20).map { _ in direction() }
        let axes = (0..<12).map { _ in direction() }
        var generator = SeededGenerator(seed: seed)
        var matrix = Matrix(rows: count, columns: dimension)
        for row in 0..<count {
            let group = groups[generator.nextIndex(below: groups.count)]
            let coordinates = axes.map { _ in 0.4 * Float(generator.nextNormal()) }
            for column in 0..<dimension {
                var value = group[column] + 0.3 + 0.1 * Float(generator.nextNormal())
                for (axis, amount) in zip(axes, coordinates) { value += amount * axis[column] }
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

    @Test(arguments: [7, 100, 128, 384, 500]) func `codes rank rows almost like the vectors`(dimension: Int) {
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
    func `search finds almost all nearest neighbors`(count: Int, dimension: Int) async throws {
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
        wide.options.efSearch = 400
        #expect(Self.recall(try await wide.search(queries, k: 10, among: nil), truth) > 0.995)
    }

    @Test func `the same vectors and seed give the same graph, also when built concurrently`() async throws {
        let vectors = Self.vectors(4000, 64)
        let queries = Self.vectors(100, 64, seed: 5)
        async let first = GraphIndex(building: vectors)
        async let second = GraphIndex(building: vectors)
        let (a, b) = try await (
            first.search(queries, k: 5, among: nil), second.search(queries, k: 5, among: nil)
        )
        #expect(a == b)
    }

    @Test func `an updated graph finds as much as a new one, and without changes the same`() async throws {
        let vectors = Self.vectors(6000, 64)
        let queries = Self.vectors(100, 64, seed: 5)
        let earlier = try await GraphIndex(building: vectors.selecting(0..<5000))
        // Removes every fifth row, and adds a thousand.
        let rows = (0..<6000).filter { $0 >= 5000 || $0 % 5 != 0 }
        let changed = vectors.selecting(rows)
        let updated = try await GraphIndex(
            updating: earlier, to: VectorRows(changed), origins: rows.map { $0 < 5000 ? UInt32($0) : nil })
        let truth = try await FlatIndex(changed).search(queries, k: 10)
        let recall = Self.recall(try await updated.search(queries, k: 10), truth)
        let rebuilt = Self.recall(try await GraphIndex(building: changed).search(queries, k: 10), truth)
        #expect(recall > rebuilt - 0.01, "\(recall), \(rebuilt)")
        let same = try await GraphIndex(
            updating: earlier, to: VectorRows(vectors.selecting(0..<5000)),
            origins: (0..<5000).map { UInt32($0) })
        #expect(try await same.search(queries, k: 10) == earlier.search(queries, k: 10))
    }

    @Test func `equal, zero and non-finite vectors are handled`() async throws {
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

    @Test(arguments: [0.1, 0.9]) func `duplicates of one row do not hide other rows`(share: Double)
        async throws
    {
        var vectors = Self.vectors(4000, 64)
        let copies = Int(4000 * share)
        for row in 0..<copies {
            for column in 0..<64 { vectors[row * 4000 / copies, column] = vectors[1, column] }
        }
        let index = try await GraphIndex(building: vectors)
        let others = Self.vectors(40, 64, seed: 11)
        let truth = try await FlatIndex(vectors).search(others, k: 10, among: nil)
        let found = try await index.search(others, k: 10, among: nil)
        // Any of several rows with equal scores is correct.
        let hits = zip(found, truth).reduce(0) { sum, pair in
            sum + zip(pair.0, pair.1).count { abs($0.score - $1.score) < 1e-5 }
        }
        #expect(hits >= 340, "\(hits) of 400")
    }

    @Test func `subnormal numbers are handled`() async throws {
        var vectors = Self.vectors(600, 32)
        for column in 0..<32 { vectors[3, column] = .leastNonzeroMagnitude * 71_362 }
        let index = try await GraphIndex(building: vectors)
        var query = Matrix(rows: 1, columns: 32)
        for column in 0..<32 { query[0, column] = .leastNonzeroMagnitude * 7_136 }
        #expect(try await index.search(query, k: 5, among: nil)[0].count == 5)
    }

    @Test func `cancellation stops building`() async throws {
        let vectors = Self.vectors(20_000, 64)
        let task = Task { try await GraphIndex(building: vectors) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `cancellation stops a search`() async throws {
        let vectors = Self.vectors(500, 32)
        let index = try await GraphIndex(building: vectors)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await index.search(vectors, k: 5, among: nil)
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    // MARK: Filters

    @Test(arguments: [0.001, 0.01, 0.1, 0.5, 0.9])
    func `filters of any selectivity return all results`(share: Double) async throws {
        let vectors = Self.vectors(30_000, 32)
        let index = try await GraphIndex(building: vectors)
        let queries = Self.vectors(60, 32, seed: 9)
        var generator = SeededGenerator(seed: 2)
        let scattered = RowSet((0..<30_000).filter { _ in generator.nextUnit() < share })
        // Allows only the rows that are nearest to one query, which are far from most other queries.
        let order = try await FlatIndex(vectors).search(queries.selecting([0]), k: 30_000)[0]
        let together = RowSet(order.prefix(Int(30_000 * share)).map(\.row))
        for allowed in [scattered, together] {
            let truth = try await FlatIndex(vectors).search(queries, k: 10, among: allowed)
            let found = try await index.search(queries, k: 10, among: allowed)
            #expect(Self.recall(found, truth) >= 0.95)
            #expect(zip(found, truth).allSatisfy { $0.count == $1.count })
            #expect(found.allSatisfy { $0.allSatisfy { allowed.contains($0.row) } })
        }
        #expect(try await index.search(queries, k: 0, among: nil).allSatisfy(\.isEmpty))
        let first = queries.selecting([0])
        #expect(try await index.search(first, k: 40_000, among: nil).map(\.count) == [30_000])
        #expect(try await index.search(queries, k: 10, among: []).allSatisfy(\.isEmpty))
        #expect(
            try await index.search(queries, k: 10, among: [7, 90_000]).allSatisfy { $0.map(\.row) == [7] })
    }
}
