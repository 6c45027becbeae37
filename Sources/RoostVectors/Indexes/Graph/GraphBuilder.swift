import CRoostKernels
import Synchronization

/// Builds a navigable graph over vectors, in which each row has up to `maximumDegree` neighbors.
///
/// Rows are inserted in batches that grow with the graph (ParlayANN, Manohar et al. 2024). First, neighbors
/// for all rows of a batch are searched in the graph that does not yet contain the batch. Then links from
/// these neighbors back to the new rows are added. Therefore the graph depends only on the vectors and the
/// seed, not on the number of threads.
///
/// `Sendable` is unchecked because the compiler cannot see that each thread writes the lists of different
/// rows.
final class GraphBuilder: @unchecked Sendable {
    struct Options: Sendable, Hashable {
        /// The range of ``maximumDegree``. A graph stores the number of neighbors of a row in one byte.
        static let degreeRange = 1...Int(UInt8.max)
        /// The range of ``efConstruction``. The upper bound limits the memory of a search.
        static let efConstructionRange = 1...1 << 20

        var maximumDegree = 32
        /// The number of candidates that a search keeps when a row is inserted.
        var efConstruction = 64
        /// See ``NeighborSelection/alpha``.
        var alpha: Float = 1.2
        var seed: UInt64 = 1
        /// The maximum number of rows at which searches begin. Starting at many rows replaces the upper
        /// levels of an HNSW graph.
        var entryPoints = 256
    }

    let options: Options
    let arena: GraphArena
    private let selection: NeighborSelection
    private let spare = Mutex<[Box]>([])

    // The following constants determine the sizes of batches. Rows of one batch do not find each other, so a
    // batch must be small compared with the graph; but a batch that is too small does not occupy all cores.
    // Each value affects the resulting graph.

    /// The minimum number of rows in a batch. It makes four blocks of parallel work (`insertionBlock`).
    private static let minimumBatch = 64
    /// The minimum number of linked rows for each row of a batch: a batch is at most a quarter as large as
    /// the graph.
    private static let linkedRowsPerBatchRow = 4
    /// The reciprocal of the maximum share of all rows that a batch contains: 2%, as in ParlayANN.
    private static let batchesPerGraph = 50
    /// The lower bound of the 2% limit. It keeps the number of batches small for graphs with fewer than
    /// 51,200 rows.
    private static let minimumBatchLimit = 1024
    private static let minimumCandidateLimit = 1024

    // The following constants are the numbers of rows in one block of parallel work.
    private static let firstRowsBlock = 8
    private static let insertionBlock = 16
    private static let linkBlock = 64
    /// The maximum number of blocks in a parallel loop. It is large enough to balance the load among the
    /// cores, and small enough to limit the overhead of obtaining a workspace for each block.
    private static let maximumBlocks = 64

    init(_ vectors: VectorRows, _ encoding: GraphCodes, _ options: Options = Options()) {
        precondition(
            Options.degreeRange.contains(options.maximumDegree),
            "maximumDegree must be from 1 to 255, not \(options.maximumDegree)")
        precondition(
            Options.efConstructionRange.contains(options.efConstruction),
            "efConstruction must be from 1 to 2^20, not \(options.efConstruction)")
        self.options = options
        arena = GraphArena(vectors, encoding, maximumDegree: options.maximumDegree, seed: options.seed)
        selection = NeighborSelection(arena: arena, alpha: options.alpha)
    }

    private var count: Int { arena.count }

    private var order: UnsafeMutablePointer<UInt32> { arena.order }

    var view: GraphView { arena.view(maximumEntryPoints: options.entryPoints) }

    /// The maximum number of rows that are compared with one row at once. If more rows than this link to the
    /// same row, only some of the links back are added.
    private var maximumCandidates: Int {
        max(
            Self.minimumCandidateLimit, options.entryPoints, 2 * options.maximumDegree, options.efConstruction
        )
    }

    func build(_ vectors: VectorRows) throws {
        guard count > 1 else { return }
        precondition(
            vectors.count == count && vectors.dimension == arena.encoding.dimension,
            "the vectors are not those that the builder was created with")
        try vectors.withUnsafePointer { try build(SharedReads($0)) }
    }

    private func build(_ vectors: SharedReads<Float>) throws {
        let first = min(count, max(options.entryPoints, 2 * options.maximumDegree))
        var done = arena.moveLinkedRowsFirst()
        if done < first {
            arena.degrees.update(repeating: 0, count: count)
            linkFirst(first)
            done = first
        }
        let maximumBatch = max(Self.minimumBatchLimit, count / Self.batchesPerGraph)
        while done < count {
            try Task.checkCancellation()
            let size = min(maximumBatch, max(Self.minimumBatch, done / Self.linkedRowsPerBatchRow))
            let batch = done..<min(count, done + size)
            insert(batch, vectors)
            done = batch.upperBound
        }
    }

    /// Links the rows that an earlier graph contains as they were linked there. In place of each removed
    /// neighbor, its own neighbors become candidates (FreshDiskANN, Singh et al. 2021).
    func adopt(_ earlier: GraphView, _ origins: [UInt32?]) {
        var rows = [UInt32?](repeating: nil, count: earlier.count)
        for (row, origin) in origins.enumerated() { if let origin { rows[Int(origin)] = UInt32(row) } }
        @Sendable func neighbors(_ row: UInt32) -> UnsafeBufferPointer<UInt32> {
            let start = earlier.neighbors + Int(row) * earlier.degree
            return UnsafeBufferPointer(start: start, count: Int(earlier.degrees[Int(row)]))
        }
        forEach(of: count, size: Self.linkBlock) { [self, rows] block, space in
            for row in block {
                guard let origin = origins[row] else { continue }
                var found: Set<UInt32> = []
                for neighbor in neighbors(origin) {
                    if let kept = rows[Int(neighbor)] {
                        found.insert(kept)
                    } else {
                        found.formUnion(neighbors(neighbor).lazy.compactMap { rows[Int($0)] })
                    }
                }
                found.remove(UInt32(row))
                space.found = Array(found.sorted().prefix(maximumCandidates))
                store(space.found, for: UInt32(row), space)
            }
        }
    }

    /// Links the first rows by comparing each of them with all the others.
    private func linkFirst(_ first: Int) {
        forEach(of: first, size: Self.firstRowsBlock) { [self] block, space in
            for position in block {
                let row = order[position]
                compare(row, with: UnsafeBufferPointer(start: order, count: first), space)
                selection.select(for: row, space)
            }
        }
    }

    private func insert(_ batch: Range<Int>, _ vectors: SharedReads<Float>) {
        let view = view
        let encoding = arena.encoding
        forEach(of: batch.count, size: Self.insertionBlock) { [self] block, space in
            for position in block {
                let row = order[batch.lowerBound + position]
                // The query is the vector, not the row's codes: the codes are centered on the mean, and a
                // centered query would order the rows differently than the inner products of the vectors do.
                let vector = vectors.pointer + Int(row) * encoding.dimension
                space.scratch.querySum = encoding.write(vector, query: space.scratch.query)
                view.search(space.scratch, width: options.efConstruction)
                let count = space.scratch.beamCount
                space.found.removeAll(keepingCapacity: true)
                for index in 0..<count { space.found.append(space.scratch.beam[index].row) }
                space.found.withUnsafeBufferPointer { compare(row, with: $0, space) }
                if space.candidates.allSatisfy({ $0.distance <= 0 }) { addEntryPoints(row, view, space) }
                selection.select(for: row, space)
            }
        }
        linkBack(batch)
    }

    /// Replaces the candidates in the workspace with the given rows and their distances to a row.
    private func compare(_ row: UInt32, with others: UnsafeBufferPointer<UInt32>, _ space: GraphWorkspace) {
        space.candidates.removeAll(keepingCapacity: true)
        guard let base = others.baseAddress else { return }
        let (products, sum) = (space.products, arena.load(row, into: space.query))
        arena.multiply(space.query, sum, with: base, others.count, into: products)
        for (index, other) in others.enumerated() {
            let distance = arena.distance(row, other, products[index])
            space.candidates.append(GraphWorkspace.Candidate(row: other, distance: distance))
        }
    }

    /// Adds the entry points to the candidates of a row for which the search has found only copies of the row
    /// itself.
    private func addEntryPoints(_ row: UInt32, _ view: GraphView, _ space: GraphWorkspace) {
        let copies = space.candidates
        compare(row, with: view.entryPoints, space)
        let known = Set(copies.map(\.row))
        space.candidates = copies + space.candidates.filter { !known.contains($0.row) }
    }

    // MARK: Links back

    /// A link to add: `to` becomes a candidate of `from`.
    private struct Link {
        var from: UInt32
        var to: UInt32
    }

    private func linkBack(_ batch: Range<Int>) {
        var links: [Link] = []
        links.reserveCapacity(batch.count * options.maximumDegree)
        for position in batch {
            let row = order[position]
            let list = arena.list(of: row)
            for index in 0..<Int(arena.degrees[Int(row)]) { links.append(Link(from: list[index], to: row)) }
        }
        links.sort { ($0.from, $0.to) < ($1.from, $1.to) }
        var starts: [Int] = []
        for index in links.indices where index == 0 || links[index].from != links[index - 1].from {
            starts.append(index)
        }
        starts.append(links.count)
        forEach(of: starts.count - 1, size: Self.linkBlock) { [self, links, starts] block, space in
            for group in block {
                link(links[starts[group]].from, to: links[starts[group]..<starts[group + 1]], space)
            }
        }
    }

    /// Adds links from one row, and selects its neighbors again if there are more than the maximum degree.
    private func link(_ row: UInt32, to new: some Collection<Link>, _ space: GraphWorkspace) {
        let list = arena.list(of: row)
        let degree = Int(arena.degrees[Int(row)])
        space.found.removeAll(keepingCapacity: true)
        for index in 0..<degree { space.found.append(list[index]) }
        for link in new where !(0..<degree).contains(where: { list[$0] == link.to }) {
            if space.found.count < maximumCandidates { space.found.append(link.to) }
        }
        store(space.found, for: row, space)
    }

    /// Makes the given rows the neighbors of a row, or selects among them if there are more than the maximum degree.
    private func store(_ rows: [UInt32], for row: UInt32, _ space: GraphWorkspace) {
        if rows.count <= options.maximumDegree {
            for (index, other) in rows.enumerated() { arena.list(of: row)[index] = other }
            arena.degrees[Int(row)] = UInt8(rows.count)
            return
        }
        rows.withUnsafeBufferPointer { compare(row, with: $0, space) }
        selection.select(for: row, space)
    }

    // MARK: Threads

    /// Runs the blocks of a parallel loop on all cores, each block with its own workspace.
    private func forEach(of count: Int, size: Int, _ body: @Sendable (Range<Int>, GraphWorkspace) -> Void) {
        let size = max(size, (count + Self.maximumBlocks - 1) / Self.maximumBlocks)
        Parallel.forEachBlock(of: count, size: size) { [self] block in
            let space =
                spare.withLock { $0.popLast() }
                ?? Box(
                    value: GraphWorkspace(
                        stride: arena.encoding.stride, maximumCandidates: maximumCandidates))
            body(block, space.value)
            spare.withLock { $0.append(space) }
        }
    }

    /// A workspace that is passed between threads.
    ///
    /// `Sendable` is unchecked because the compiler cannot see that only one thread uses the workspace at a
    /// time.
    private struct Box: @unchecked Sendable {
        let value: GraphWorkspace
    }
}
