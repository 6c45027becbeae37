import Foundation
import RoostModel
import RoostVectors

/// An index of passages that can be updated: a main segment, and newer segments with the passages of entries
/// that have changed since.
///
/// A segment is never rebuilt. If an entry is changed or removed, its rows in older segments get tombstones,
/// and its new passages go into a new segment. So all valid passages of an entry are in one segment.
struct SegmentedIndex: Sendable {
    /// The main segment, followed by the newer ones.
    private(set) var segments: [PassageSegment] = []

    init() {}

    init(main: PassageSegment) { segments = [main] }

    var count: Int { segments.reduce(0) { $0 + $1.count } }

    /// Marks the passages of some entries as no longer valid.
    mutating func bury(_ ids: Set<Entry.ID>) {
        for index in segments.indices { segments[index].bury(ids) }
    }

    mutating func append(_ segment: PassageSegment) { segments.append(segment) }

    /// Removes all segments but the first.
    ///
    /// - Returns: The entries of the removed segments. Their passages must be appended again.
    mutating func removeNewerSegments() -> Set<Entry.ID> {
        var ids = Set<Entry.ID>()
        for segment in segments.dropFirst() { ids.formUnion(segment.entries) }
        segments.removeSubrange(1...)
        return ids
    }

    /// Returns, for each query, the best passage of each of the `k` nearest entries, best first. If scores
    /// are equal, the lower id comes first.
    ///
    /// - Parameters:
    ///   - entryRows: The storage's rows of the entries that may be found; `nil` for all.
    ///   - isExact: Whether all vectors are compared even if there is a graph.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[PassageContents.Hit]] {
        var hits = [[PassageContents.Hit]](repeating: [], count: queries.rows)
        guard k > 0 else { return hits }
        // All passages of an entry are in one segment, so the best entries overall are among the best of each
        // segment.
        for segment in segments {
            let found = try await segment.search(queries, k: k, among: entryRows, isExact: isExact)
            for query in hits.indices { hits[query] += found[query] }
        }
        return hits.map { found in
            Array(found.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }.prefix(k))
        }
    }

    func pairStatistics() -> PairStatistics {
        var sample = PassageSample<(segment: Int, row: Int)>()
        for (number, segment) in segments.enumerated() {
            segment.forEachPassage { sample.add($0, $1, (number, $2)) }
        }
        return PairStatistics(
            of: sample.finish().map {
                PairStatistics.SampledPassage(
                    entry: $0.entry, vector: segments[$0.row.segment].vector($0.row.row))
            })
    }
}

/// Passages that were loaded together. A segment consists of their vectors, the passages that the rows
/// represent, and tombstones for rows whose entries have been changed or removed since.
struct PassageSegment: Sendable {
    private let vectors: VectorRows
    /// Exact search over all rows.
    private let index: FlatIndex
    /// Approximate search over the same rows; `nil` if the store has no graph.
    private(set) var graph: GraphIndex?
    private let rows: IndexRows
    /// The rows that are no longer valid.
    private var tombstones = RowSet()

    init(_ vectors: VectorRows, graph: GraphIndex?, rows: IndexRows) {
        self.vectors = vectors
        index = FlatIndex(vectors)
        self.graph = graph
        self.rows = rows
    }

    init(_ vectors: Matrix, rows: IndexRows) {
        self.init(VectorRows(vectors), graph: nil, rows: rows)
    }

    var count: Int { rows.count - tombstones.count }

    var entries: some Sequence<Entry.ID> { (0..<rows.count).lazy.map { rows.id($0) } }

    mutating func bury(_ ids: Set<Entry.ID>) {
        for row in 0..<rows.count where ids.contains(rows.id(row)) { tombstones.insert(UInt32(row)) }
    }

    // MARK: Search

    /// If at most one in this many rows has a tombstone, such rows are removed from the result of a graph
    /// search. If there are more, they are excluded during the search, like rows that do not match a filter.
    private static let rowsPerIgnoredTombstone = 64

    /// Returns, for each query, the best passage of each of the `k` nearest entries, and of any other entries
    /// that are at the same distance as the last of these.
    ///
    /// Several of the nearest passages can belong to the same entry, so the number of rows to find is
    /// increased until they belong to `k` entries.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[PassageContents.Hit]] {
        guard index.dimension == queries.columns else {
            throw RoostError(
                .spaceMismatch,
                "cannot search: the store's vectors have \(index.dimension) components, but the query's "
                    + "vector has \(queries.columns); they belong to different embedding spaces")
        }
        let graph = isExact ? nil : self.graph
        let allowed = allowedRows(entryRows, hasGraph: graph != nil)
        var results = [[PassageContents.Hit]](repeating: [], count: queries.rows)
        // The queries for which not enough entries have been found yet.
        var open = Array(0..<queries.rows)
        var depth = Self.firstDepth(k, of: rows.count)
        while !open.isEmpty {
            let asked = open.count == queries.rows ? queries : queries.selecting(open)
            let neighbors =
                if let graph {
                    try await graph.search(asked, k: depth, among: allowed)
                } else {
                    try await index.search(asked, k: depth, among: allowed)
                }
            var unfinished: [Int] = []
            for (query, found) in zip(open, neighbors) {
                let best = nearestEntries(among: found, k: k)
                results[query] = best.hits
                if !best.isComplete, found.count >= depth, depth < rows.count { unfinished.append(query) }
            }
            open = unfinished
            depth = min(rows.count, depth * Self.depthGrowth)
        }
        return results
    }

    /// The number of rows to find in the first attempt. It is rarely too small if entries have one or two
    /// passages.
    private static func firstDepth(_ k: Int, of count: Int) -> Int { min(count, min(k, count) * 2 + 16) }
    private static let depthGrowth = 4

    /// Returns the rows that may be found; `nil` for all.
    private func allowedRows(_ entryRows: RowSet?, hasGraph: Bool) -> RowSet? {
        let excludesTombstones =
            !tombstones.isEmpty
            && (!hasGraph || tombstones.count > rows.count / Self.rowsPerIgnoredTombstone)
        guard entryRows != nil || excludesTombstones else { return nil }
        return RowSet(0..<UInt32(rows.count)) { row in
            !tombstones.contains(row) && entryRows?.contains(rows.entryRow(Int(row))) != false
        }
    }

    /// Returns the best passage of each entry among the nearest rows.
    private func nearestEntries(among neighbors: [Neighbor], k: Int) -> NearestEntries {
        let valid = neighbors.lazy.filter { tombstones.isEmpty || !tombstones.contains($0.row) }
        let passages = valid.map { neighbor in
            let row = Int(neighbor.row)
            return PassageContents.Hit(
                entry: rows.id(row), entryRow: rows.entryRow(row), ordinal: rows.ordinal(row),
                score: neighbor.score)
        }
        return NearestEntries(passages, k: k, lastScore: neighbors.last?.score)
    }

    /// Calls `body` with the entry, the ordinal and the row of each valid passage.
    func forEachPassage(_ body: (Entry.ID, Int, Int) -> Void) {
        for row in 0..<rows.count where tombstones.isEmpty || !tombstones.contains(UInt32(row)) {
            body(rows.id(row), rows.ordinal(row), row)
        }
    }

    func vector(_ row: Int) -> [Float] { vectors.withRow(row) { Array($0) } }

    /// Returns the valid rows of an entry; `nil` if there are none.
    private func validRows(of entry: Entry.ID, _ entryRow: UInt32) -> Range<Int>? {
        guard let first = rows.firstRow(ofEntryRow: entryRow) else { return nil }
        var end = first
        while end < rows.count, rows.id(end) == entry, !tombstones.contains(UInt32(end)) { end += 1 }
        return end > first ? first..<end : nil
    }

    func match(
        _ entry: Entry.ID, row entryRow: UInt32, for query: [Float]
    ) throws -> PassageContents.Match? {
        guard vectors.dimension == query.count, let valid = validRows(of: entry, entryRow) else { return nil }
        var best: PassageContents.Hit?
        var sum = [Float](repeating: 0, count: valid.count > 1 ? query.count : 0)
        for row in valid {
            try vectors.withVerifiedRow(row) { vector in
                let score = query.withUnsafeBufferPointer { innerProduct($0, vector) }
                if best.map({ score > $0.score }) ?? true {
                    best = PassageContents.Hit(
                        entry: entry, entryRow: entryRow, ordinal: rows.ordinal(row), score: score)
                }
                for index in sum.indices { sum[index] += vector[index] }
            }
        }
        let norm = length(of: sum)
        return best.map {
            PassageContents.Match(
                passage: $0, entryCosine: norm > 0 ? innerProduct(sum, query) / norm : nil)
        }
    }
}
