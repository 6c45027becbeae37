import Foundation
import RoostIndexes
import RoostModel
import RoostVectors

/// The vectors of all passages, for search.
struct PassageContents: DerivedContents {
    /// A passage that was found.
    struct Hit: Sendable {
        var entry: Entry.ID
        var ordinal: Int
        var score: Float
    }

    /// Passages that were loaded together. Rows that have been overtaken since are in `dead`.
    fileprivate struct Part: Sendable {
        var index: FlatIndex
        /// Approximate search over the same rows, where the store has it.
        var graph: GraphIndex?
        var rows: IndexRows
        var dead = RowSet()
    }

    fileprivate var parts: [Part] = []
    var cursor = ChangeCursor.start
    private(set) var isMapped = false
    var notice: String?
    /// Passages whose vectors can be compared with nothing.
    private(set) var incomparable = 0

    init() {}

    var passageCount: Int { parts.reduce(0) { $0 + $1.rows.count - $1.dead.count } }

    var reach: Int { max(1000, passageCount / 4) }

    static func map(_ directory: URL, _ stamp: Stamp) throws -> PassageContents? {
        guard let file = try PassageFile(in: directory, for: stamp) else { return nil }
        var contents = PassageContents()
        // The graph may be damaged while the vectors are not.
        let graph = Result { try file.graph() }
        if case .failure(let error) = graph { contents.notice = "\(error)" }
        contents.parts = [Part(index: FlatIndex(file.vectors), graph: try? graph.get(), rows: file.rows)]
        contents.cursor = file.metadata.cursor
        contents.incomparable = file.metadata.incomparable ?? 0
        contents.isMapped = true
        return contents
    }

    /// Goes on by comparing all vectors.
    mutating func dropGraph(since reason: String) {
        for part in parts.indices { parts[part].graph = nil }
        notice = reason
    }

    init(of snapshot: any StorageSnapshot) async throws {
        var pages: [VectorPage] = []
        var row: UInt32?
        repeat {
            var page = try await snapshot.vectors(of: .passages, after: row, limit: 4096)
            incomparable += page.removeIncomparable()
            if !page.rows.isEmpty { pages.append(page) }
            row = page.next
        } while row != nil
        let dimension = pages.first?.vectors.columns ?? 0
        var elements: [Float] = []
        elements.reserveCapacity(pages.reduce(0) { $0 + $1.vectors.elements.count })
        for page in pages { elements += page.vectors.elements }
        let count = pages.reduce(0) { $0 + $1.rows.count }
        guard count > 0 else { return }
        parts = [
            Part(
                index: FlatIndex(Matrix(rows: count, columns: dimension, elements: elements)),
                rows: IndexRows(
                    entryRows: pages.flatMap(\.rows), ids: pages.flatMap(\.ids),
                    ordinals: pages.flatMap(\.ordinals)))
        ]
    }

    mutating func follow(_ changed: Set<Entry.ID>, _ snapshot: any StorageSnapshot) async throws {
        for part in parts.indices {
            let rows = parts[part].rows
            for row in 0..<rows.count where changed.contains(rows.id(row)) {
                parts[part].dead.insert(UInt32(row))
            }
        }
        var changed = changed
        if parts.count >= Self.mostParts {
            // Many small parts make a search slow: those that were added are put together.
            for part in parts[1...] { for row in 0..<part.rows.count { changed.insert(part.rows.id(row)) } }
            parts.removeSubrange(1...)
        }
        let rows = try await snapshot.rows(matching: EntryFilter(ids: changed))
        var page = VectorPage(
            rows: [], ids: [], ordinals: [], vectors: Matrix(rows: 0, columns: 0), next: nil)
        var elements: [Float] = []
        // Rows that lie near each other are read at once, with what is between them.
        for run in rows.runs(joiningGapsUpTo: 32) {
            var after = run.lowerBound == 0 ? nil : run.lowerBound - 1
            while true {
                try Task.checkCancellation()
                var found = try await snapshot.vectors(
                    of: .passages, after: after, limit: min(4096, run.count))
                incomparable += found.removeIncomparable()
                for (place, row) in found.rows.enumerated() where rows.contains(row) && row < run.upperBound {
                    page.rows.append(row)
                    page.ids.append(found.ids[place])
                    page.ordinals.append(found.ordinals[place])
                    elements += found.vectors.row(place)
                }
                guard let next = found.next, next < run.upperBound - 1 else { break }
                after = next
            }
        }
        guard !page.rows.isEmpty else { return }
        let matrix = Matrix(
            rows: page.rows.count, columns: elements.count / page.rows.count, elements: elements)
        parts.append(
            Part(
                index: FlatIndex(matrix),
                rows: IndexRows(entryRows: page.rows, ids: page.ids, ordinals: page.ordinals)))
    }

    private static let mostParts = 32
}

extension PassageContents {
    /// For each query the best passage of each of the `k` nearest entries, best first; of equal scores the
    /// lower id first.
    ///
    /// - Parameters:
    ///   - queries: (q, dimension).
    ///   - entryRows: the rows of the entries that may be found, `nil` for all.
    ///   - isExact: whether every vector is compared, also where there is a quicker way.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[PassageContents.Hit]] {
        var hits = [[PassageContents.Hit]](repeating: [], count: queries.rows)
        guard k > 0 else { return hits }
        // An entry's passages are all in one part, so that the best of each part have the best of all.
        for part in parts {
            let found = try await part.search(queries, k: k, among: entryRows, isExact: isExact)
            for query in hits.indices { hits[query] += found[query] }
        }
        return hits.map { found in
            Array(found.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }.prefix(k))
        }
    }
}

extension PassageContents.Part {
    /// For each query the best passage of each of the `k` nearest entries, and of those as near as the last
    /// of them.
    fileprivate func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[PassageContents.Hit]] {
        guard index.dimension == queries.columns else {
            throw RoostError(
                .spaceMismatch,
                "the store has vectors of \(index.dimension) numbers, the query one of \(queries.columns): "
                    + "they are not of one embedding space")
        }
        let graph = isExact ? nil : self.graph
        var allowed: RowSet?
        // A few rows that have been overtaken are passed over afterwards.
        if entryRows != nil || (!dead.isEmpty && (graph == nil || dead.count > rows.count / 64)) {
            allowed = RowSet(
                (0..<UInt32(rows.count)).lazy.filter { row in
                    !dead.contains(row) && entryRows?.contains(rows.entryRow(Int(row))) != false
                })
        }
        var results = [[PassageContents.Hit]](repeating: [], count: queries.rows)
        // Those that have not enough yet.
        var open = Array(0..<queries.rows)
        var reach = min(rows.count, min(k, rows.count) * 2 + 16)
        while !open.isEmpty {
            let asked = open.count == queries.rows ? queries : queries.selecting(open)
            let neighbors =
                if let graph {
                    try await graph.search(asked, k: reach, among: allowed)
                } else {
                    try await index.search(asked, k: reach, among: allowed)
                }
            var unfinished: [Int] = []
            for (query, found) in zip(open, neighbors) {
                let (hits, isEnough) = best(of: found, k: k)
                results[query] = hits
                if !isEnough, found.count >= reach, reach < rows.count { unfinished.append(query) }
            }
            open = unfinished
            reach = min(rows.count, reach * 4)
        }
        return results
    }

    /// The best passage of each entry.
    ///
    /// - Parameter neighbors: best first.
    /// - Returns: also whether the `k` best entries are among them: several passages of one entry may have
    ///   taken the places of other entries, and entries as near as the last may follow.
    private func best(of neighbors: [Neighbor], k: Int) -> ([PassageContents.Hit], isEnough: Bool) {
        var best: [UUID: PassageContents.Hit] = [:]
        var scores: [Float] = []
        for neighbor in neighbors where dead.isEmpty || !dead.contains(neighbor.row) {
            let row = Int(neighbor.row)
            let hit = PassageContents.Hit(
                entry: rows.id(row), ordinal: rows.ordinal(row), score: neighbor.score)
            if let other = best[hit.entry] {
                // Of equally near passages the first counts.
                if other.score == hit.score, hit.ordinal < other.ordinal { best[hit.entry] = hit }
            } else {
                best[hit.entry] = hit
                scores.append(hit.score)
            }
        }
        let isEnough = scores.count >= k && (neighbors.last?.score ?? 0) < scores[k - 1]
        return (Array(best.values), isEnough)
    }
}
