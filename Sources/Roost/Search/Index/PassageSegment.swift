import Foundation
import RoostModel
import RoostVectors

/// Passages that were loaded together: their vectors, and the passages that the rows represent. The rows of
/// entries that have been changed or removed since are no longer live.
struct PassageSegment: Sendable {
    private let vectors: PassageVectors
    private let rows: IndexRows
    /// The rows that may be found; `nil` for all.
    private var live: RowSet?

    init(_ vectors: PassageVectors, rows: IndexRows) { (self.vectors, self.rows) = (vectors, rows) }

    var count: Int { live?.count ?? rows.count }

    var entries: IndexColumn<Entry.ID> { rows.ids }

    mutating func bury(_ changed: Set<Entry.ID>) {
        for (row, id) in rows.ids.enumerated() where changed.contains(id) {
            if live == nil { live = RowSet(0..<UInt32(rows.count)) }
            live?.remove(UInt32(row))
        }
    }

    private func isLive(_ row: Int) -> Bool { live?.contains(UInt32(row)) ?? true }

    // MARK: Search

    /// Returns, for each query, the best passage of each of the `k` nearest entries, and of any other entries
    /// that are at the same distance as the last of these.
    ///
    /// Several of the nearest passages can belong to the same entry, so the number of rows to find is
    /// increased until they belong to `k` entries.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[PassageContents.Hit]] {
        guard vectors.dimension == queries.columns else {
            throw RoostError(
                .spaceMismatch,
                "cannot search: the store's vectors have \(vectors.dimension) components, but the query's "
                    + "vector has \(queries.columns); they belong to different embedding spaces")
        }
        let allowed =
            if let entryRows {
                RowSet(0..<UInt32(rows.count)) {
                    isLive(Int($0)) && entryRows.contains(rows.entryRows[Int($0)])
                }
            } else { live }
        var results = [[PassageContents.Hit]](repeating: [], count: queries.rows)
        // The queries for which not enough entries have been found yet.
        var open = Array(0..<queries.rows)
        var depth = Self.firstDepth(k, of: rows.count)
        while !open.isEmpty {
            let asked = open.count == queries.rows ? queries : queries.selecting(open)
            let neighbors = try await vectors.search(asked, k: depth, among: allowed, isExact: isExact)
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

    private func nearestEntries(among neighbors: [Neighbor], k: Int) -> NearestEntries {
        let passages = neighbors.lazy.map { neighbor in
            let row = Int(neighbor.row)
            return PassageContents.Hit(
                entry: rows.ids[row], entryRow: rows.entryRows[row], ordinal: Int(rows.ordinals[row]),
                score: neighbor.score)
        }
        return NearestEntries(passages, k: k, lastScore: neighbors.last?.score)
    }

    func addPassages(among entryRows: RowSet?, to sample: inout PassageSample) {
        for row in 0..<rows.count
        where isLive(row) && entryRows?.contains(rows.entryRows[row]) != false {
            sample.add(rows.ids[row], Int(rows.ordinals[row]), row: row, vectors.row(row))
        }
    }

    /// Returns the valid rows of an entry; `nil` without any.
    private func validRows(of entry: Entry.ID, _ entryRow: UInt32) -> Range<Int>? {
        guard let first = rows.firstRow(ofEntryRow: entryRow) else { return nil }
        var end = first
        while end < rows.count, rows.ids[end] == entry, isLive(end) { end += 1 }
        return end > first ? first..<end : nil
    }

    func match(
        _ entry: Entry.ID, row entryRow: UInt32, for query: [Float]
    ) throws -> PassageContents.Match? {
        guard vectors.dimension == query.count, let valid = validRows(of: entry, entryRow) else { return nil }
        var best: (hit: PassageContents.Hit, vector: [Float])?
        var sum = [Float](repeating: 0, count: valid.count > 1 ? query.count : 0)
        for row in valid {
            let vector = try vectors.verifiedRow(row)
            let score = innerProduct(query, vector)
            if best.map({ score > $0.hit.score }) ?? true {
                let hit = PassageContents.Hit(
                    entry: entry, entryRow: entryRow, ordinal: Int(rows.ordinals[row]), score: score)
                best = (hit, vector)
            }
            for index in sum.indices { sum[index] += vector[index] }
        }
        let norm = length(of: sum)
        return best.map {
            PassageContents.Match(
                passage: $0.hit, vector: $0.vector,
                entryCosine: norm > 0 ? innerProduct(sum, query) / norm : nil)
        }
    }
}
