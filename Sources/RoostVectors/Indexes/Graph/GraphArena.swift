import CRoostKernels

/// The memory of a graph during its construction: the codes, neighbor lists and insertion order of all rows.
///
/// The arena stores and computes distances. ``GraphBuilder`` decides which rows are compared, and
/// ``NeighborSelection`` which of them become neighbors.
///
/// `Sendable` is unchecked because the compiler cannot see that each thread writes the lists of different
/// rows.
final class GraphArena: @unchecked Sendable {
    let encoding: GraphCodes
    let count: Int
    let maximumDegree: Int
    /// (count, stride): the codes of each row.
    let codes: UnsafeMutablePointer<UInt8>
    /// (count, maximumDegree): the neighbors of each row; the first `degrees[row]` are valid.
    let neighbors: UnsafeMutablePointer<UInt32>
    /// (count): the number of neighbors of each row.
    let degrees: UnsafeMutablePointer<UInt8>
    /// The rows in the order of insertion: a random permutation.
    let order: UnsafeMutablePointer<UInt32>
    /// (count): the inner product of each row's codes with themselves.
    private let squares: UnsafeMutablePointer<Int32>

    private static let encodingBlock = 1024
    private static let cacheLine = 64

    /// Allocates the memory and encodes all rows. The neighbor lists are empty.
    init(_ vectors: VectorRows, maximumDegree: Int, seed: UInt64) {
        encoding = GraphCodes(fitting: vectors, seed: seed)
        count = vectors.count
        self.maximumDegree = maximumDegree
        let stride = encoding.stride
        // The stride is a multiple of the size of a cache line, so with an aligned start each row occupies as
        // few cache lines as possible.
        codes =
            UnsafeMutableRawPointer
            .allocate(byteCount: max(1, count * stride), alignment: Self.cacheLine)
            .bindMemory(to: UInt8.self, capacity: count * stride)
        neighbors = .allocate(capacity: max(1, count * maximumDegree))
        neighbors.initialize(repeating: 0, count: count * maximumDegree)
        degrees = .allocate(capacity: max(1, count))
        degrees.initialize(repeating: 0, count: count)
        order = .allocate(capacity: max(1, count))
        squares = .allocate(capacity: max(1, count))
        var generator = SeededGenerator(seed: seed)
        for (index, row) in generator.permutation(count).enumerated() { order[index] = UInt32(row) }
        encode(vectors)
    }

    deinit {
        UnsafeMutableRawPointer(codes).deallocate()
        neighbors.deallocate()
        degrees.deallocate()
        order.deallocate()
        squares.deallocate()
    }

    /// Moves the rows that have neighbors to the beginning of the order, and returns their number.
    func moveLinkedRowsFirst() -> Int {
        let rows = Array(UnsafeBufferPointer(start: order, count: count))
        let linked = rows.filter { degrees[Int($0)] > 0 }
        let others = rows.filter { degrees[Int($0)] == 0 }
        for (index, row) in (linked + others).enumerated() { order[index] = row }
        return linked.count
    }

    private func encode(_ vectors: VectorRows) {
        vectors.withUnsafePointer { base in
            let source = SharedReads(base)
            Parallel.forEachBlock(of: count, size: Self.encodingBlock) { [self] block in
                let query = UnsafeMutablePointer<Int8>.allocate(capacity: encoding.width)
                defer { query.deallocate() }
                for row in block {
                    encoding.write(
                        source.pointer + row * encoding.dimension, row: codes + row * encoding.stride)
                    var number = UInt32(row)
                    let sum = load(number, into: query)
                    multiply(query, sum, with: &number, 1, into: squares + row)
                }
            }
        }
    }

    func view(maximumEntryPoints: Int) -> GraphView {
        GraphView(
            codes: codes, neighbors: neighbors, degrees: degrees, count: count, stride: encoding.stride,
            degree: maximumDegree,
            entryPoints: UnsafeBufferPointer(start: order, count: min(maximumEntryPoints, count)))
    }

    @inline(__always)
    func list(of row: UInt32) -> UnsafeMutablePointer<UInt32> { neighbors + Int(row) * maximumDegree }

    /// Converts the codes of a row to a query.
    func load(_ row: UInt32, into query: UnsafeMutablePointer<Int8>) -> Int32 {
        roost_code_query(codes + Int(row) * encoding.stride, encoding.stride, query)
    }

    @inline(__always)
    func multiply(
        _ query: UnsafePointer<Int8>, _ sum: Int32, with rows: UnsafePointer<UInt32>, _ count: Int,
        into products: UnsafeMutablePointer<Int32>
    ) {
        roost_code_products(query, sum, encoding.stride, codes, rows, count, products)
    }

    /// Returns the squared distance between two rows, measured in quantization steps.
    @inline(__always)
    func distance(_ a: UInt32, _ b: UInt32, _ product: Int32) -> Int32 {
        squares[Int(a)] + squares[Int(b)] - 2 * product
    }
}
