import CRoostKernels
import RoostFiles
import RoostVectors

/// A graph over rows of codes, as it lies in memory: what searching reads, whether a builder owns it or a
/// file was mapped.
///
/// Unchecked because the compiler cannot see that nobody writes what a search reads: a builder's threads
/// write the lists of rows that no other thread looks at, a file's bytes are read-only.
struct GraphView: @unchecked Sendable {
    /// (count, stride): ``GraphCodes``.
    let codes: UnsafePointer<UInt8>
    /// (count, degree): the neighbours of each row, as many as `degrees` says.
    let neighbors: UnsafePointer<UInt32>
    /// (count)
    let degrees: UnsafePointer<UInt8>
    let count: Int
    let stride: Int
    let degree: Int
    /// Rows that searches begin at, spread over all.
    let entries: UnsafeBufferPointer<UInt32>
    /// Of what was mapped: a search looks at its checksums, and follows no neighbour out of the graph.
    var mapped: MappedGraph?
}

/// The checksums of a mapped graph's parts, where it was written in pieces.
struct MappedGraph {
    let codes: CheckedPieces?
    let neighbors: CheckedPieces?

    /// Whether a row's list is as it was written, and of rows.
    fileprivate func isWhole(_ row: Int, in graph: GraphView) -> Bool {
        let (list, size) = (row * graph.degree, MemoryLayout<UInt32>.stride)
        let bytes = list * size..<(list + graph.degree) * size
        guard neighbors?.areWhole(bytes) != false else { return false }
        return (0..<Int(graph.degrees[row])).allSatisfy { graph.neighbors[list + $0] < UInt32(graph.count) }
    }

    fileprivate func areCodesWhole(
        _ rows: UnsafePointer<UInt32>, _ count: Int, in graph: GraphView
    ) -> Bool {
        guard let codes else { return true }
        return (0..<count).allSatisfy {
            let start = Int(rows[$0]) * graph.stride
            return codes.areWhole(start..<start + graph.stride)
        }
    }
}

/// What one search works with; used again by the next one.
final class GraphScratch {
    /// A row that was reached, and its product with the query.
    struct Candidate {
        var row: UInt32
        var product: Int32
        var isExpanded = false
    }

    /// The best of the last search, best first.
    private(set) var beam: UnsafeMutablePointer<Candidate>
    fileprivate(set) var beamCount = 0
    /// How many rows the last search compared.
    fileprivate(set) var comparisons = 0
    /// The query: twice `stride` signed bytes, and their sum.
    let query: UnsafeMutablePointer<Int8>
    var querySum: Int32 = 0
    private var beamCapacity = 1
    /// For each row the number of the last search that reached it.
    fileprivate var reached: UnsafeMutablePointer<UInt8>
    private var reachedCapacity = 1
    fileprivate var search: UInt8 = 0
    fileprivate let rows: UnsafeMutablePointer<UInt32>
    fileprivate let products: UnsafeMutablePointer<Int32>

    /// As many rows are compared at once at most.
    fileprivate static let batch = 1024

    init(stride: Int) {
        beam = .allocate(capacity: 1)
        reached = .allocate(capacity: 1)
        reached.initialize(to: 0)
        query = .allocate(capacity: 2 * stride)
        query.initialize(repeating: 0, count: 2 * stride)
        rows = .allocate(capacity: Self.batch)
        products = .allocate(capacity: Self.batch)
    }

    deinit {
        beam.deallocate()
        reached.deallocate()
        query.deallocate()
        rows.deallocate()
        products.deallocate()
    }

    fileprivate func prepare(count: Int, width: Int) {
        if width + 1 > beamCapacity {
            beam.deallocate()
            beamCapacity = width + 1
            beam = .allocate(capacity: beamCapacity)
        }
        if count > reachedCapacity {
            reached.deallocate()
            reachedCapacity = count
            reached = .allocate(capacity: count)
            reached.initialize(repeating: 0, count: count)
            search = 0
        }
        if search == .max {
            reached.update(repeating: 0, count: reachedCapacity)
            search = 0
        }
        search += 1
    }
}

/// The best candidates so far, best first, in memory of somebody else's.
private struct Beam {
    let candidates: UnsafeMutablePointer<GraphScratch.Candidate>
    let width: Int
    var count = 0

    /// - Returns: the place of the candidate, or `width` where it is not among the best.
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
    /// Best-first search from the entries: afterwards `scratch.beam` has up to `width` rows, best first.
    ///
    /// - Parameter scratch: with the query in it.
    /// - Returns: whether all that was read is as it was written; where not, nothing was found.
    /// - Complexity: about width · degree comparisons of stride bytes each.
    @discardableResult
    func search(_ scratch: GraphScratch, width: Int) -> Bool {
        let width = max(1, min(width, count))
        scratch.prepare(count: count, width: width)
        let (rows, products, query, sum) = (scratch.rows, scratch.products, scratch.query, scratch.querySum)
        let (reached, search) = (scratch.reached, scratch.search)
        var beam = Beam(candidates: scratch.beam, width: width)
        var comparisons = entries.count
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
            if let mapped, !mapped.isWhole(row, in: self) { return false }
            let list = neighbors + row * degree
            var found = 0
            for index in 0..<Int(degrees[row]) {
                let neighbor = list[index]
                // Without a branch: half of them were reached before, in no order.
                rows[found] = neighbor
                found += reached[Int(neighbor)] == search ? 0 : 1
                reached[Int(neighbor)] = search
            }
            guard found > 0 else { continue }
            if let mapped, !mapped.areCodesWhole(rows, found, in: self) { return false }
            roost_code_products(query, sum, stride, codes, rows, found, products)
            comparisons += found
            var first = next + 1
            for index in 0..<found {
                first = min(first, beam.insert(rows[index], products[index]))
            }
            next = min(next, first)
        }
        scratch.beamCount = beam.count
        scratch.comparisons = comparisons
        return true
    }

    /// The best few of the entries, by one pass over all of them: whoever is far away leads nowhere that
    /// their neighbours do not.
    ///
    /// - Returns: whether their codes are as they were written.
    private func start(_ beam: inout Beam, _ scratch: GraphScratch) -> Bool {
        var best = Beam(candidates: beam.candidates, width: min(beam.width, 8))
        var position = 0
        while position < entries.count {
            let count = min(GraphScratch.batch, entries.count - position)
            let part = entries.baseAddress! + position
            if let mapped, !mapped.areCodesWhole(part, count, in: self) { return false }
            roost_code_products(
                scratch.query, scratch.querySum, stride, codes, part, count, scratch.products)
            for index in 0..<count {
                // Copies of one row would take the places of others that lead elsewhere.
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
