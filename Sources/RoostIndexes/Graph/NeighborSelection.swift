import RoostVectors

/// The rule that selects the neighbours of a row among candidates (RobustPrune of Vamana, Jayaram
/// Subramanya et al. 2019).
///
/// The nearest candidate comes first. A further candidate is excluded if a selected neighbour is clearly
/// nearer to it than the row itself, because a search reaches it through that neighbour. The remaining
/// neighbours point in different directions, so that from every row some neighbour is nearer to any target.
struct NeighborSelection {
    let arena: GraphArena
    /// A candidate is excluded if a selected neighbour is nearer to it by this factor of squared distances.
    /// Values above 1 keep some long links, which make searches shorter; 1.2 is the value of the paper.
    let alpha: Float

    /// The number of selected neighbours that are compared with a candidate at once. One of the nearest
    /// mostly excludes it, so larger blocks would compute products that are not needed.
    private static let block = 8

    /// Selects a row's neighbours among `space.candidates` and replaces its list.
    func select(for row: UInt32, _ space: GraphWorkspace) {
        space.candidates.sort { $0.precedes($1) }
        var count = 0
        var copies = 0
        let (selected, degree) = (arena.list(of: row), arena.maximumDegree)
        // Rows with equal codes do not exclude each other. A list that has only such copies leads nowhere, so
        // they may take at most a quarter of it.
        let maximumCopies = max(1, degree / 4)
        space.candidates.withUnsafeBufferPointer { candidates in
            for candidate in candidates where candidate.row != row {
                if count == degree { break }
                if candidate.distance <= 0 {
                    copies += 1
                    if copies > maximumCopies { continue }
                } else if count > 0, isExcluded(candidate, selected, count, space) {
                    continue
                }
                selected[count] = candidate.row
                count += 1
            }
        }
        arena.degrees[Int(row)] = UInt8(count)
    }

    /// Returns whether one of the selected rows is clearly nearer to the candidate than the row that selects.
    private func isExcluded(
        _ candidate: GraphWorkspace.Candidate, _ selected: UnsafePointer<UInt32>, _ count: Int,
        _ space: GraphWorkspace
    ) -> Bool {
        let (query, products) = (space.query, space.products)
        let sum = arena.load(candidate.row, into: query)
        for start in Swift.stride(from: 0, to: count, by: Self.block) {
            let part = min(Self.block, count - start)
            arena.multiply(query, sum, with: selected + start, part, into: products)
            for index in 0..<part {
                let between = arena.distance(candidate.row, selected[start + index], products[index])
                if alpha * Float(between) < Float(candidate.distance) { return true }
            }
        }
        return false
    }
}

/// The buffers that one thread uses while a graph is built.
final class GraphWorkspace {
    /// A row that may become a neighbour.
    struct Candidate {
        var row: UInt32
        /// The squared distance in steps of the codes.
        var distance: Int32

        func precedes(_ other: Candidate) -> Bool {
            (distance, row) < (other.distance, other.row)
        }
    }

    let scratch: GraphScratch
    /// A row's codes as a query.
    let query: UnsafeMutablePointer<Int8>
    let products: UnsafeMutablePointer<Int32>
    /// Rows that are compared next.
    var found: [UInt32] = []
    /// Rows among which neighbours are selected.
    var candidates: [Candidate] = []

    /// - Parameters:
    ///   - stride: The number of bytes of a row's codes.
    ///   - maximumCandidates: The maximum number of rows that are compared at once.
    init(stride: Int, maximumCandidates: Int) {
        scratch = GraphScratch(stride: stride)
        query = .allocate(capacity: 2 * stride)
        products = .allocate(capacity: maximumCandidates)
    }

    deinit {
        query.deallocate()
        products.deallocate()
    }
}
