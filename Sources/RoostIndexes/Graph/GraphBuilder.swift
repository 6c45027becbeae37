import CRoostKernels
import RoostVectors
import Synchronization

/// Builds a navigable graph over vectors: each row has up to `degree` neighbours, chosen so that from
/// anywhere some neighbour is nearer to wherever one wants to go (the pruning rule of Vamana, Jayaram
/// Subramanya et al. 2019).
///
/// Rows come in batches that grow with the graph (ParlayANN, Manohar et al. 2024): all rows of a batch look
/// for their neighbours in the graph of before, then the links back are made. So the graph depends on the
/// vectors and the seed only, not on the number of threads.
///
/// Unchecked because the compiler cannot see that the threads of a batch write the lists of different rows.
final class GraphBuilder: @unchecked Sendable {
    struct Options: Sendable, Hashable {
        /// The most neighbours of a row; at most 255.
        var degree = 32
        /// How many candidates are looked at for a new row.
        var width = 64
        /// A candidate is left out where a chosen neighbour is nearer to it by this factor, of squared
        /// distances.
        var alpha: Float = 1.2
        var seed: UInt64 = 1
        /// How many rows searches begin at, at most.
        var entries = 256
    }

    let options: Options
    let codes: GraphCodes
    let count: Int
    /// (count, stride)
    let rows: UnsafeMutablePointer<UInt8>
    /// (count, degree)
    let neighbors: UnsafeMutablePointer<UInt32>
    /// (count)
    let degrees: UnsafeMutablePointer<UInt8>
    /// The rows in the order in which they come.
    private let order: UnsafeMutablePointer<UInt32>
    /// (count): the product of each row with itself.
    private let squares: UnsafeMutablePointer<Int32>
    private let spare = Mutex<[Box]>([])

    /// - Parameter vectors: unit length.
    init(_ vectors: VectorRows, _ options: Options = Options()) {
        precondition((1...255).contains(options.degree), "a degree of \(options.degree)")
        precondition((1...1 << 20).contains(options.width), "a width of \(options.width)")
        self.options = options
        codes = GraphCodes(fitting: vectors, seed: options.seed)
        count = vectors.count
        let stride = codes.stride
        // Whole cache lines.
        rows = UnsafeMutableRawPointer.allocate(byteCount: max(1, count * stride), alignment: 64)
            .bindMemory(to: UInt8.self, capacity: count * stride)
        neighbors = .allocate(capacity: max(1, count * options.degree))
        neighbors.initialize(repeating: 0, count: count * options.degree)
        degrees = .allocate(capacity: max(1, count))
        degrees.initialize(repeating: 0, count: count)
        order = .allocate(capacity: max(1, count))
        squares = .allocate(capacity: max(1, count))
        var generator = SeededGenerator(seed: options.seed)
        for row in 0..<count { order[row] = UInt32(row) }
        for row in (0..<count).dropFirst().reversed() {
            let other = generator.nextIndex(below: row + 1)
            (order[row], order[other]) = (order[other], order[row])
        }
        encode(vectors)
    }

    deinit {
        UnsafeMutableRawPointer(rows).deallocate()
        neighbors.deallocate()
        degrees.deallocate()
        order.deallocate()
        squares.deallocate()
    }

    /// The rows that searches begin at: those that came first, which are a sample of all.
    var entries: UnsafeBufferPointer<UInt32> {
        UnsafeBufferPointer(start: order, count: min(options.entries, count))
    }

    var view: GraphView {
        GraphView(
            codes: rows, neighbors: neighbors, degrees: degrees, count: count, stride: codes.stride,
            degree: options.degree, entries: entries)
    }

    private func encode(_ vectors: VectorRows) {
        vectors.withUnsafePointer { base in
            let source = SharedReads(base)
            Parallel.forEachBlock(of: count, size: 1024) { [self] block in
                let query = UnsafeMutablePointer<Int8>.allocate(capacity: codes.width)
                defer { query.deallocate() }
                for row in block {
                    codes.write(
                        source.pointer + row * codes.dimension, row: rows + row * codes.stride)
                    var number = UInt32(row)
                    let sum = load(number, into: query)
                    roost_code_products(query, sum, codes.stride, rows, &number, 1, squares + row)
                }
            }
        }
    }

    /// How many rows are compared with one at once at most: a row that many others link to hears of some
    /// only.
    private var mostCompared: Int { max(1024, options.entries, 2 * options.degree, options.width) }

    /// A row's codes as a query.
    ///
    /// - Returns: the sum of its bytes.
    private func load(_ row: UInt32, into query: UnsafeMutablePointer<Int8>) -> Int32 {
        roost_code_query(rows + Int(row) * codes.stride, codes.stride, query)
    }

    // MARK: Building

    /// What one thread works with.
    private final class Workspace {
        let scratch: GraphScratch
        let query: UnsafeMutablePointer<Int8>
        let products: UnsafeMutablePointer<Int32>
        var found: [UInt32] = []
        var candidates: [Candidate] = []

        /// - Parameter most: how many rows are compared at once at most.
        init(stride: Int, most: Int) {
            scratch = GraphScratch(stride: stride)
            query = .allocate(capacity: 2 * stride)
            products = .allocate(capacity: most)
        }

        deinit {
            query.deallocate()
            products.deallocate()
        }
    }

    /// A row that may become a neighbour, and how far it is: squared distance in steps of the codes.
    private struct Candidate {
        var row: UInt32
        var distance: Int32

        func precedes(_ other: Candidate) -> Bool {
            (distance, row) < (other.distance, other.row)
        }
    }

    /// A link that is to be made back.
    private struct Link {
        var from: UInt32
        var to: UInt32
    }

    /// Links all rows.
    ///
    /// - Parameter vectors: those that the builder was made of.
    /// - Throws: `CancellationError` between batches.
    func build(_ vectors: VectorRows) throws {
        guard count > 1 else { return }
        precondition(vectors.count == count && vectors.dimension == codes.dimension, "other vectors")
        try vectors.withUnsafePointer { try build(SharedReads($0)) }
    }

    private func build(_ vectors: SharedReads<Float>) throws {
        var done = min(count, max(options.entries, 2 * options.degree))
        linkFirst(done)
        let largest = max(1024, count / 50)
        while done < count {
            try Task.checkCancellation()
            let batch = done..<min(count, done + min(largest, max(64, done / 4)))
            insert(batch, vectors)
            done = batch.upperBound
        }
    }

    /// The first rows see each other all.
    private func linkFirst(_ first: Int) {
        forEach(of: first, size: 8) { [self] block, space in
            for position in block {
                let row = order[position]
                compare(row, with: UnsafeBufferPointer(start: order, count: first), space)
                prune(row, space)
            }
        }
    }

    private func insert(_ batch: Range<Int>, _ vectors: SharedReads<Float>) {
        let view = view
        forEach(of: batch.count, size: 16) { [self] block, space in
            for position in block {
                let row = order[batch.lowerBound + position]
                // The vector itself, not its codes: of what was taken away from all, none is missing.
                let vector = vectors.pointer + Int(row) * codes.dimension
                space.scratch.querySum = codes.write(vector, query: space.scratch.query)
                view.search(space.scratch, width: options.width)
                let count = space.scratch.beamCount
                space.found.removeAll(keepingCapacity: true)
                for index in 0..<count { space.found.append(space.scratch.beam[index].row) }
                space.found.withUnsafeBufferPointer { compare(row, with: $0, space) }
                if space.candidates.allSatisfy({ $0.distance <= 0 }) { compareWithEntries(row, space) }
                prune(row, space)
            }
        }
        linkBack(batch)
    }

    /// Makes rows the candidates of a row.
    private func compare(_ row: UInt32, with others: UnsafeBufferPointer<UInt32>, _ space: Workspace) {
        space.candidates.removeAll(keepingCapacity: true)
        guard let base = others.baseAddress else { return }
        let (products, sum) = (space.products, load(row, into: space.query))
        roost_code_products(space.query, sum, codes.stride, rows, base, others.count, products)
        for (index, other) in others.enumerated() {
            space.candidates.append(Candidate(row: other, distance: distance(row, other, products[index])))
        }
    }

    /// Adds the entries to the candidates of a row that has found only copies of itself.
    private func compareWithEntries(_ row: UInt32, _ space: Workspace) {
        let copies = space.candidates
        compare(row, with: entries, space)
        let known = Set(copies.map(\.row))
        space.candidates = copies + space.candidates.filter { !known.contains($0.row) }
    }

    /// Links each neighbour of the batch's rows back to them.
    private func linkBack(_ batch: Range<Int>) {
        var links: [Link] = []
        links.reserveCapacity(batch.count * options.degree)
        for position in batch {
            let row = order[position]
            let list = neighbors + Int(row) * options.degree
            for index in 0..<Int(degrees[Int(row)]) { links.append(Link(from: list[index], to: row)) }
        }
        links.sort { ($0.from, $0.to) < ($1.from, $1.to) }
        var starts: [Int] = []
        for index in links.indices where index == 0 || links[index].from != links[index - 1].from {
            starts.append(index)
        }
        starts.append(links.count)
        forEach(of: starts.count - 1, size: 64) { [self, links, starts] block, space in
            for group in block {
                link(links[starts[group]].from, to: links[starts[group]..<starts[group + 1]], space)
            }
        }
    }

    private func link(_ row: UInt32, to new: some Collection<Link>, _ space: Workspace) {
        let list = neighbors + Int(row) * options.degree
        let held = Int(degrees[Int(row)])
        space.found.removeAll(keepingCapacity: true)
        for index in 0..<held { space.found.append(list[index]) }
        for link in new where !(0..<held).contains(where: { list[$0] == link.to }) {
            if space.found.count < mostCompared { space.found.append(link.to) }
        }
        if space.found.count <= options.degree {
            for index in held..<space.found.count { list[index] = space.found[index] }
            degrees[Int(row)] = UInt8(space.found.count)
            return
        }
        space.found.withUnsafeBufferPointer { compare(row, with: $0, space) }
        prune(row, space)
    }

    /// The squared distance of two rows, in steps of the codes.
    @inline(__always)
    private func distance(_ a: UInt32, _ b: UInt32, _ product: Int32) -> Int32 {
        squares[Int(a)] + squares[Int(b)] - 2 * product
    }

    /// Chooses a row's neighbours among `space.candidates`: the nearest first, and none that lies behind one
    /// that was chosen.
    private func prune(_ row: UInt32, _ space: Workspace) {
        space.candidates.sort { $0.precedes($1) }
        var count = 0
        var copies = 0
        let (chosen, degree) = (neighbors + Int(row) * options.degree, options.degree)
        space.candidates.withUnsafeBufferPointer { candidates in
            for candidate in candidates where candidate.row != row {
                if count == degree { break }
                // Rows with equal codes do not hide each other; a row that knew only such would lead nowhere.
                if candidate.distance <= 0 {
                    copies += 1
                    if copies > max(1, degree / 4) { continue }
                } else if count > 0, isBehind(candidate, chosen, count, space) {
                    continue
                }
                chosen[count] = candidate.row
                count += 1
            }
        }
        degrees[Int(row)] = UInt8(count)
    }

    /// Whether one of the chosen rows is clearly nearer to the candidate than the row that chooses.
    private func isBehind(
        _ candidate: Candidate, _ chosen: UnsafePointer<UInt32>, _ count: Int, _ space: Workspace
    ) -> Bool {
        let (query, products, alpha) = (space.query, space.products, options.alpha)
        let sum = load(candidate.row, into: query)
        // A few at a time: mostly one of the nearest decides.
        for start in Swift.stride(from: 0, to: count, by: 8) {
            let part = min(8, count - start)
            roost_code_products(query, sum, codes.stride, rows, chosen + start, part, products)
            for index in 0..<part {
                let between = distance(candidate.row, chosen[start + index], products[index])
                if alpha * Float(between) < Float(candidate.distance) { return true }
            }
        }
        return false
    }

    /// Runs blocks on all cores, each with a workspace.
    private func forEach(
        of count: Int, size: Int, _ body: @Sendable (Range<Int>, Workspace) -> Void
    ) {
        // A few blocks for each thread, so that a workspace is fetched seldom and no thread waits long.
        let size = max(size, (count + 63) / 64)
        Parallel.forEachBlock(of: count, size: size) { [self] block in
            let space =
                spare.withLock { $0.popLast() }
                ?? Box(
                    value: Workspace(stride: codes.stride, most: mostCompared))
            body(block, space.value)
            spare.withLock { $0.append(space) }
        }
    }

    /// Carries a workspace between threads.
    ///
    /// Unchecked because the compiler cannot see that one thread has it at a time.
    private struct Box: @unchecked Sendable {
        let value: Workspace
    }
}
