import Foundation
import RoostModel
import RoostText
import RoostVectors

/// The words of all entries, for search.
struct TextContents: DerivedContents {
    /// An entry that words were found in.
    struct Hit: Sendable {
        var entry: Entry.ID
        /// BM25.
        var score: Float
    }

    private var collection = TextCollection()
    /// Of each part of the collection.
    private var rows: [IndexRows] = []
    private var file: TextFile?
    var cursor = ChangeCursor.start
    var notice: String?

    init() {}

    var isMapped: Bool { file != nil }

    var reach: Int { max(1000, collection.documentCount / 4) }

    static func map(_ directory: URL, _ stamp: Stamp) throws -> TextContents? {
        guard let file = try TextFile(in: directory, for: stamp) else { return nil }
        var contents = TextContents()
        contents.file = file
        contents.collection.parts = [TextPart(file.index)]
        contents.rows = [file.rows]
        contents.cursor = file.metadata.cursor
        return contents
    }

    init(of snapshot: any StorageSnapshot) async throws {
        try await add(snapshot, matching: .all)
    }

    private mutating func add(_ snapshot: any StorageSnapshot, matching filter: EntryFilter) async throws {
        let (index, entryRows, ids) = try await TextFile.read(snapshot, matching: filter)
        guard !ids.isEmpty else { return }
        collection.parts.append(TextPart(index))
        rows.append(IndexRows(entryRows: entryRows, ids: ids))
    }

    mutating func follow(_ changed: Set<Entry.ID>, _ snapshot: any StorageSnapshot) async throws {
        for part in rows.indices {
            for row in 0..<rows[part].count where changed.contains(rows[part].id(row)) {
                collection.parts[part].remove(row)
            }
        }
        var changed = changed
        if rows.count >= Self.mostParts {
            // Many small parts make a search slow: those that were added are put together.
            for part in rows[1...] { for row in 0..<part.count { changed.insert(part.id(row)) } }
            rows.removeSubrange(1...)
            collection.parts.removeSubrange(1...)
        }
        try await add(snapshot, matching: EntryFilter(ids: changed))
    }

    private static let mostParts = 32

    /// - Throws: where a phrase cannot be looked for, since the index is damaged.
    func verify(for query: TextQuery) throws {
        if query.hasPhrases { try file?.verifyPositions() }
    }

    /// The rows of the entries that have what a query requires and not what it excludes; `nil` for a query
    /// that leaves out none.
    @concurrent
    func allowed(by query: TextQuery) async throws -> RowSet? {
        try collection.allowed(by: query).map { allowed in
            var entryRows = RowSet()
            for (rows, allowed) in zip(rows, allowed) {
                for row in allowed.indices where allowed[row] { entryRows.insert(rows.entryRow(row)) }
            }
            return entryRows
        }
    }

    /// The entries that have some of a query's words, best first; of equal scores the lower id first.
    ///
    /// - Parameter entryRows: the rows of the entries that may be found, `nil` for all.
    @concurrent
    func search(_ query: TextQuery, k: Int, among entryRows: RowSet?) async throws -> [Hit] {
        try collection.ranked(
            query, limit: k,
            isAllowed: { entryRows?.contains(rows[$0].entryRow($1)) ?? true },
            precedes: { rows[$0.part].id($0.document) < rows[$1.part].id($1.document) }
        ).map { Hit(entry: rows[$0.part].id($0.document), score: $0.score) }
    }
}
