import Foundation
import RoostIndexes
import RoostModel
import RoostVectors

/// The vectors of all passages, for search. Derived from the storage: mapped from the store's index, or
/// loaded
/// where there is none of use, at the first query, and caught up from the change feed at each later one.
actor PassageCatalog {
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
        var rows: PassageRows
        var dead = RowSet()
    }

    /// What was loaded, as of a revision.
    struct Contents: Sendable {
        fileprivate var parts: [Part] = []
        fileprivate var cursor = ChangeCursor.start
        /// Whether some of it is of the store's index.
        fileprivate(set) var isMapped = false
        /// What people should know of how it was had.
        var notice: String?

        /// Entries are as they were at this revision, at least.
        var revision: Revision { cursor.revision }

        var passageCount: Int { parts.reduce(0) { $0 + $1.rows.count - $1.dead.count } }
    }

    private let storage: any StorageProvider
    /// The store's folder, where the index lies.
    private let directory: URL?
    private var contents = Contents()
    /// Whether the index has said what the storage does not.
    private var isIndexDistrusted = false

    init(storage: any StorageProvider, directory: URL?) {
        self.storage = storage
        self.directory = directory
    }

    /// The vectors as of now.
    ///
    /// Calls may overlap: each works on a copy, and the newest is kept.
    func current() async throws -> Contents {
        var caughtUp = contents
        var isWhole = false
        if caughtUp.cursor == .start, let directory, !isIndexDistrusted {
            caughtUp = try await Self.map(directory, storage)
        }
        if caughtUp.cursor != .start { isWhole = try await Self.follow(&caughtUp, storage) }
        if !isWhole {
            let notice = caughtUp.notice
            caughtUp = try await Self.load(storage)
            caughtUp.notice = notice
        }
        if caughtUp.cursor.epoch != contents.cursor.epoch
            || caughtUp.cursor.revision >= contents.cursor.revision
        {
            contents = caughtUp
        }
        return caughtUp
    }

    /// Forgets what was had: an index has been built.
    func forget() {
        contents = Contents()
        isIndexDistrusted = false
    }

    /// Forgets what was had, and does not use the index again: it does not agree with the storage.
    func distrustIndex() async throws {
        isIndexDistrusted = true
        var loaded = try await Self.load(storage)
        loaded.notice = Self.notice("it does not agree with the store")
        contents = loaded
    }

    private static let pageSize = 4096

    /// What the store's index has; nothing where there is none of this history, or it is damaged, which is
    /// said.
    @concurrent
    private static func map(_ directory: URL, _ storage: any StorageProvider) async throws -> Contents {
        let stamp = try await storage.snapshot().stamp
        var notice: String?
        do {
            guard let file = try PassageFile(in: directory, for: stamp) else { return Contents() }
            // The graph may be damaged while the vectors are not.
            let graph = Result { try file.graph() }
            if case .failure(let error) = graph { notice = Self.notice(error) }
            return Contents(
                parts: [
                    Part(index: FlatIndex(file.vectors), graph: try? graph.get(), rows: file.rows)
                ],
                cursor: file.metadata.cursor, isMapped: true, notice: notice)
        } catch {
            return Contents(notice: Self.notice(error))
        }
    }

    private static func notice(_ reason: Any) -> String {
        "the index of the store cannot be used (\(reason)) and all vectors were read instead; "
            + "`roost index build` writes it anew"
    }

    @concurrent
    private static func load(_ storage: any StorageProvider) async throws -> Contents {
        let snapshot = try await storage.snapshot()
        var pages: [VectorPage] = []
        var row: UInt32?
        repeat {
            let page = try await snapshot.vectors(of: .passages, after: row, limit: pageSize)
            if !page.rows.isEmpty { pages.append(page) }
            row = page.next
        } while row != nil
        let dimension = pages.first?.vectors.columns ?? 0
        var elements: [Float] = []
        elements.reserveCapacity(pages.reduce(0) { $0 + $1.vectors.elements.count })
        for page in pages { elements += page.vectors.elements }
        let count = pages.reduce(0) { $0 + $1.rows.count }
        let part = Part(
            index: FlatIndex(Matrix(rows: count, columns: dimension, elements: elements)),
            rows: PassageRows(
                entryRows: pages.flatMap(\.rows), ids: pages.flatMap(\.ids),
                ordinals: pages.flatMap(\.ordinals)))
        return Contents(parts: count == 0 ? [] : [part], cursor: snapshot.stamp.cursor)
    }

    /// - Returns: `false` where everything must be loaded again.
    @concurrent
    private static func follow(_ contents: inout Contents, _ storage: any StorageProvider) async throws
        -> Bool
    {
        // Each change is looked at alone: beyond a few in a hundred, all in order are quicker.
        let limit = max(1000, contents.passageCount / 50)
        guard let (changed, cursor) = try await storage.changedEntries(after: contents.cursor, limit: limit)
        else { return false }
        contents.cursor = cursor
        guard !changed.isEmpty else { return true }
        for part in contents.parts.indices {
            let rows = contents.parts[part].rows
            for row in 0..<rows.count where changed.contains(rows.id(row)) {
                contents.parts[part].dead.insert(UInt32(row))
            }
        }
        let snapshot = try await storage.snapshot()
        let rows = try await snapshot.rows(matching: EntryFilter(ids: changed))
        var page = VectorPage(
            rows: [], ids: [], ordinals: [], vectors: Matrix(rows: 0, columns: 0), next: nil)
        var elements: [Float] = []
        for row in rows {
            let found = try await snapshot.vectors(of: .passages, after: row == 0 ? nil : row - 1, limit: 1)
            guard found.rows.first == row else { continue }
            page.rows += found.rows
            page.ids += found.ids
            page.ordinals += found.ordinals
            elements += found.vectors.elements
        }
        guard !page.rows.isEmpty else { return true }
        let matrix = Matrix(
            rows: page.rows.count, columns: elements.count / page.rows.count, elements: elements)
        contents.parts.append(
            Part(
                index: FlatIndex(matrix),
                rows: PassageRows(entryRows: page.rows, ids: page.ids, ordinals: page.ordinals)))
        // Many small parts make a search slow.
        return contents.parts.count < 64
    }
}

extension PassageCatalog.Contents {
    /// The best passage of each of the `k` nearest entries, best first; of equal scores the lower id first.
    ///
    /// - Parameter entryRows: the rows of the entries that may be found, `nil` for all.
    /// - Parameter isExact: whether every vector is compared, also where there is a quicker way.
    func search(
        _ query: [Float], k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [PassageCatalog.Hit] {
        guard k > 0 else { return [] }
        var hits: [PassageCatalog.Hit] = []
        // An entry's passages are all in one part, so that the best of each part have the best of all.
        for part in parts {
            hits += try await part.search(query, k: k, among: entryRows, isExact: isExact)
        }
        hits.sort { ($1.score, $0.entry.uuidString) < ($0.score, $1.entry.uuidString) }
        return Array(hits.prefix(k))
    }
}

extension PassageCatalog.Part {
    /// The best passage of each of the `k` nearest entries, and of those as near as the last of them.
    fileprivate func search(
        _ query: [Float], k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [PassageCatalog.Hit] {
        guard index.dimension == query.count else {
            throw RoostError(
                .spaceMismatch,
                "the store has vectors of \(index.dimension) numbers, the query one of \(query.count): they "
                    + "are not of one embedding space")
        }
        // A few rows that have been overtaken are passed over afterwards.
        let graph = isExact || entryRows != nil || dead.count > rows.count / 16 ? nil : self.graph
        var allowed: RowSet?
        if graph == nil, entryRows != nil || !dead.isEmpty {
            allowed = RowSet(
                (0..<UInt32(rows.count)).lazy.filter { row in
                    !dead.contains(row) && entryRows?.contains(rows.entryRow(Int(row))) != false
                })
        }
        let queries = Matrix([query], columns: query.count)
        var reach = min(rows.count, min(k, rows.count) * 2 + 16)
        while true {
            let neighbors =
                if let graph {
                    try await graph.search(queries, k: reach, among: nil)[0]
                } else {
                    try await index.search(queries, k: reach, among: allowed)[0]
                }
            var best: [UUID: PassageCatalog.Hit] = [:]
            var scores: [Float] = []
            for neighbor in neighbors where dead.isEmpty || !dead.contains(neighbor.row) {
                let row = Int(neighbor.row)
                let hit = PassageCatalog.Hit(
                    entry: rows.id(row), ordinal: rows.ordinal(row), score: neighbor.score)
                if let other = best[hit.entry] {
                    // Neighbors come best first; of equally near passages the first counts.
                    if other.score == hit.score, hit.ordinal < other.ordinal { best[hit.entry] = hit }
                } else {
                    best[hit.entry] = hit
                    scores.append(hit.score)
                }
            }
            // Several passages of one entry may have taken the places of other entries, and entries as near
            // as the last may follow.
            let isEnough = scores.count >= k && (neighbors.last?.score ?? 0) < scores[k - 1]
            if isEnough || neighbors.count < reach || reach >= rows.count { return Array(best.values) }
            reach = min(rows.count, reach * 4)
        }
    }
}
