/// The rule that selects the neighbors of a row among candidates (RobustPrune of Vamana, Jayaram
/// Subramanya et al. 2019).
///
/// The nearest candidate comes first. Each further candidate is excluded if an already selected neighbor is
/// clearly nearer to it than the row itself is, because a search can reach the candidate through that
/// neighbor. The selected neighbors lie in different directions, so for almost any target, some neighbor is
/// nearer to it than the row is.
struct NeighborSelection {
    let arena: GraphArena
    /// The factor for squared distances by which a selected neighbor must be nearer to a candidate to exclude
    /// it. Values above 1 keep some long links, which make searches shorter; the paper uses 1.2.
    private static let alpha: Float = 1.2

    /// The number of selected neighbors that are compared with a candidate at once. Most candidates are
    /// excluded by one of the nearest neighbors, so larger blocks would compute unnecessary products.
    private static let block = 8

    func select(for row: UInt32, _ space: GraphWorkspace) {
        space.candidates.sort { $0.precedes($1) }
        var (count, copies) = (0, 0)
        let (selected, degree) = (arena.list(of: row), arena.maximumDegree)
        // Rows with equal codes do not exclude each other. A search could not leave a group of rows whose
        // lists contain only such copies, so copies may fill at most a quarter of a list.
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

    /// Returns whether one of the selected neighbors is clearly nearer to the candidate than the row whose
    /// neighbors are being selected.
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
                if Self.alpha * Float(between) < Float(candidate.distance) { return true }
            }
        }
        return false
    }
}
