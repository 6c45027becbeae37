import CRoostKernels

/// A read-only view of a graph for searches. Its memory belongs to a ``GraphArena`` or a mapped file.
///
/// `Sendable` is unchecked because the compiler cannot see that the memory is not changed while a search
/// reads it: the threads of a builder write only lists that no other thread reads, and the bytes of a file
/// are read-only.
struct GraphView: @unchecked Sendable {
    let codes: UnsafePointer<UInt8>
    let neighbors: UnsafePointer<UInt32>
    let degrees: UnsafePointer<UInt8>
    let count: Int
    let stride: Int
    let degree: Int
    /// The rows at which searches begin: a random sample of all rows or, after an update, of the earlier rows.
    let entryPoints: UnsafeBufferPointer<UInt32>
    /// The checksums of a mapped graph, or `nil` for a graph in memory. A search of a mapped graph verifies
    /// the checksums and checks that row numbers are in range.
    var mapped: MappedGraph?
}

/// The best candidates found so far, best first, in memory that the caller owns.
private struct Beam {
    let candidates: UnsafeMutablePointer<GraphScratch.Candidate>
    let width: Int
    var count = 0

    /// Returns the row of the first candidate after a given one that is not expanded.
    func following(_ index: Int) -> Int? {
        (index + 1..<count).first { !candidates[$0].isExpanded }.map { Int(candidates[$0].row) }
    }

    /// Inserts a candidate if it is one of the best `width` so far.
    ///
    /// - Returns: The index of the candidate, or `width` if it was not inserted.
    @inline(__always)
    mutating func insert(_ row: UInt32, _ product: Int32) -> Int {
        if count == width, candidates[count - 1].product >= product { return width }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if candidates[middle].product >= product { low = middle + 1 } else { high = middle }
        }
        if count < width { count += 1 }
        let behind = count - 1 - low
        if behind > 0 { (candidates + low + 1).update(from: candidates + low, count: behind) }
        candidates[low] = GraphScratch.Candidate(row: row, product: product)
        return low
    }
}

extension GraphView {
    /// The number of the nearest entry points from which the search continues. Few are enough, because entry
    /// points far from the query rarely lead to rows that cannot be reached from a nearer one.
    private static let startWidth = 8

    /// Performs a best-first search from the entry points. Afterwards, `scratch.beam` contains up to `width`
    /// rows, best first.
    ///
    /// - Returns: Whether everything that was read matches its checksums. If `false`, the beam is empty.
    @discardableResult
    func search(_ scratch: GraphScratch, width: Int) -> Bool {
        let width = max(1, min(width, count))
        scratch.prepare(count: count, width: width)
        let (rows, products, query, sum) = (scratch.rows, scratch.products, scratch.query, scratch.querySum)
        let (reached, search) = (scratch.reached, scratch.search)
        var beam = Beam(candidates: scratch.beam, width: width)
        scratch.beamCount = 0
        guard start(&beam, scratch) else { return false }
        for index in 0..<beam.count { reached[Int(beam.candidates[index].row)] = search }
        var next = 0
        while next < beam.count {
            guard !beam.candidates[next].isExpanded else {
                next += 1
                continue
            }
            beam.candidates[next].isExpanded = true
            let row = Int(beam.candidates[next].row)
            if let mapped, !mapped.isListIntact(row, in: self) { return false }
            let found = roost_unreached(
                neighbors + row * degree, Int(degrees[row]), reached, search, codes, stride, rows)
            // The list of the candidate that is probably expanded next arrives during the products.
            if let following = beam.following(next) {
                roost_prefetch(degrees + following)
                roost_prefetch_list(neighbors + following * degree, degree)
            }
            guard found > 0 else { continue }
            if let mapped, !mapped.areCodesIntact(rows, found, in: self) { return false }
            roost_code_products(query, sum, stride, codes, rows, found, products)
            var first = next + 1
            for index in 0..<found { first = min(first, beam.insert(rows[index], products[index])) }
            next = min(next, first)
        }
        scratch.beamCount = beam.count
        return true
    }

    /// Compares the query with all entry points and puts the best few into the beam.
    ///
    /// - Returns: Whether the checksums of their codes match.
    private func start(_ beam: inout Beam, _ scratch: GraphScratch) -> Bool {
        var best = Beam(candidates: beam.candidates, width: min(beam.width, Self.startWidth))
        var position = 0
        while position < entryPoints.count {
            let count = min(GraphScratch.batch, entryPoints.count - position)
            let part = entryPoints.baseAddress! + position
            if let mapped, !mapped.areCodesIntact(part, count, in: self) { return false }
            roost_code_products(scratch.query, scratch.querySum, stride, codes, part, count, scratch.products)
            for index in 0..<count {
                // Skips entry points with an equal product: they are probably copies of the same row and
                // would displace entry points that lead to other rows.
                let product = scratch.products[index]
                let isCopy = (0..<best.count).contains { best.candidates[$0].product == product }
                if !isCopy { _ = best.insert(part[index], product) }
            }
            position += count
        }
        beam.count = best.count
        return true
    }
}
