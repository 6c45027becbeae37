import Foundation
import RoostModel
import RoostText

/// The words of all entries, for searching: one main part and newer parts with the entries that have changed
/// since.
struct TextContents: DerivedContents {
    /// An entry that was found by its words.
    struct Hit: Sendable {
        var entry: Entry.ID
        /// The BM25 score.
        var score: Float
    }

    private var collection = TextCollection()
    /// For each part of the collection, the entries that its documents represent.
    private var rows: [IndexRows] = []
    /// The mapped file of the first part; `nil` if the contents were built from the entries.
    private var file: TextFile?
    var cursor = ChangeCursor.start
    var notice: SearchNotice?

    init() {}

    var isMapped: Bool { file != nil }

    var maximumChanges: Int { CatchUpLimit.maximumChanges(of: collection.documentCount) }

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
        try await append(.all, from: snapshot)
    }

    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {
        remove(changed)
        var changed = changed
        if rows.count >= CatchUpLimit.maximumParts { changed.formUnion(removeNewerParts()) }
        try await append(EntryFilter(ids: changed), from: snapshot)
    }

    private mutating func remove(_ ids: Set<Entry.ID>) {
        for part in rows.indices {
            for row in 0..<rows[part].count where ids.contains(rows[part].id(row)) {
                collection.parts[part].remove(row)
            }
        }
    }

    /// Removes all parts but the first.
    ///
    /// - Returns: The entries of the removed parts.
    private mutating func removeNewerParts() -> Set<Entry.ID> {
        var ids = Set<Entry.ID>()
        for part in rows[1...] { for row in 0..<part.count { ids.insert(part.id(row)) } }
        rows.removeSubrange(1...)
        collection.parts.removeSubrange(1...)
        return ids
    }

    /// Appends a part with the entries that match a filter.
    private mutating func append(_ filter: EntryFilter, from snapshot: any StorageSnapshot) async throws {
        let texts = try await IndexedTexts(of: snapshot, matching: filter)
        guard !texts.ids.isEmpty else { return }
        collection.parts.append(TextPart(texts.index))
        rows.append(IndexRows(entryRows: texts.entryRows, ids: texts.ids))
    }
}

// MARK: - Search

extension TextContents {
    /// Verifies the sections that a query needs in addition to those that have been verified already.
    ///
    /// - Throws: ``IndexFault/corruptPositions`` if the query has phrases and the positions of words are
    ///   corrupt.
    func verify(for query: TextQuery) throws {
        guard query.hasPhrases, let file else { return }
        do {
            try file.verifyPositions()
        } catch {
            throw IndexFault.corruptPositions
        }
    }

    /// Returns the rows of the entries that contain everything that a query requires and nothing that it
    /// excludes; `nil` for a query that neither requires nor excludes anything.
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

    /// Returns the entries that contain any of a query's words, best first. If scores are equal, the lower id
    /// comes first.
    ///
    /// - Parameters:
    ///   - query: The words to search for.
    ///   - k: The maximum number of entries.
    ///   - entryRows: The rows of the entries that may be found; `nil` for all.
    @concurrent
    func search(_ query: TextQuery, k: Int, among entryRows: RowSet?) async throws -> [Hit] {
        try collection.ranked(
            query, limit: k,
            isAllowed: { entryRows?.contains(rows[$0].entryRow($1)) ?? true },
            precedes: { rows[$0.part].id($0.document) < rows[$1.part].id($1.document) }
        ).map { Hit(entry: rows[$0.part].id($0.document), score: $0.score) }
    }
}
