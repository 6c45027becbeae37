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
    /// The maximum number of rows at which searches begin. Starting at many rows replaces the upper levels of
    /// an HNSW graph.
    static let entryPoints = 256

    let arena: GraphArena
    private let efConstruction: Int
    /// The maximum number of rows that are compared with one row at once. If more rows than this link to the
    /// same row, only some of the links back are added.
    private let maximumCandidates: Int
    private let selection: NeighborSelection
    private let workspaces: Spares<GraphWorkspace>

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
    private static let minimumCandidates = 1024

    // The following constants are the numbers of rows in one block of parallel work.
    private static let firstRowsBlock = 8
    private static let insertionBlock = 16
    private static let linkBlock = 64
    /// The maximum number of blocks in a parallel loop. It is large enough to balance the load among the
    /// cores, and small enough to limit the overhead of obtaining a workspace for each block.
    private static let maximumBlocks = 64

    init(_ vectors: VectorRows, _ options: GraphIndex.Options) {
        let arena = GraphArena(vectors, maximumDegree: options.maximumDegree, seed: options.seed)
        let maximumCandidates = max(Self.minimumCandidates, options.efConstruction)
        (self.arena, self.maximumCandidates) = (arena, maximumCandidates)
        efConstruction = options.efConstruction
        selection = NeighborSelection(arena: arena)
        workspaces = Spares {
            GraphWorkspace(stride: arena.encoding.stride, maximumCandidates: maximumCandidates)
        }
    }

    private var count: Int { arena.count }

    var view: GraphView { arena.view(maximumEntryPoints: Self.entryPoints) }

    /// Inserts the rows that have no neighbors yet.
    ///
    /// - Parameter vectors: The vectors that the builder was created with.
    func build(_ vectors: VectorRows) throws {
        guard count > 1 else { return }
        try vectors.withUnsafePointer { try build(SharedReads($0)) }
    }

    private func build(_ vectors: SharedReads<Float>) throws {
        let first = min(count, max(Self.entryPoints, 2 * arena.maximumDegree))
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
    ///
    /// - Parameter origins: For each row, the same row of the earlier graph; `nil` for a new one.
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
                let row = arena.order[position]
                compare(row, with: UnsafeBufferPointer(start: arena.order, count: first), space)
                selection.select(for: row, space)
            }
        }
    }

    private func insert(_ batch: Range<Int>, _ vectors: SharedReads<Float>) {
        let view = view
        let encoding = arena.encoding
        forEach(of: batch.count, size: Self.insertionBlock) { [self] block, space in
            for position in block {
                let row = arena.order[batch.lowerBound + position]
                // The query is the vector, not the row's codes: the codes are centered on the mean, and a
                // centered query would order the rows differently than the inner products of the vectors do.
                let vector = vectors.pointer + Int(row) * encoding.dimension
                space.scratch.querySum = encoding.write(vector, query: space.scratch.query)
                view.search(space.scratch, width: efConstruction)
                space.found = (0..<space.scratch.beamCount).map { space.scratch.beam[$0].row }
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
        links.reserveCapacity(batch.count * arena.maximumDegree)
        for position in batch {
            let row = arena.order[position]
            let list = arena.list(of: row)
            for index in 0..<Int(arena.degrees[Int(row)]) { links.append(Link(from: list[index], to: row)) }
        }
        links.sort { ($0.from, $0.to) < ($1.from, $1.to) }
        let starts =
            links.indices.filter { $0 == 0 || links[$0].from != links[$0 - 1].from } + [links.count]
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
        space.found = Array(UnsafeBufferPointer(start: list, count: degree))
        for link in new where !(0..<degree).contains(where: { list[$0] == link.to }) {
            if space.found.count < maximumCandidates { space.found.append(link.to) }
        }
        store(space.found, for: row, space)
    }

    /// Makes the given rows the neighbors of a row, or selects among them if there are more than the maximum degree.
    private func store(_ rows: [UInt32], for row: UInt32, _ space: GraphWorkspace) {
        if rows.count <= arena.maximumDegree {
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
            workspaces.withBuffer { body(block, $0) }
        }
    }
}
