import Foundation
import RoostModel
import RoostText
import RoostVectors

/// The words of all entries, for searching: one main part and newer parts with the entries that have changed
/// since.
struct TextContents: DerivedContents {
    /// An entry that was found by its words.
    struct Hit: Sendable {
        var entry: Entry.ID
        /// The storage's row of the entry.
        var entryRow: UInt32
        /// The score by words.
        var score: Float
    }

    private(set) var collection = TextCollection()
    /// For each part of the collection, the entries that its documents represent.
    private(set) var rows: [IndexRows] = []
    /// The mapped file of the first part; `nil` if the contents were built from the entries.
    private(set) var isMapped = false
    var cursor = ChangeCursor.start
    var notice: SearchNotice?

    init() {}

    var maximumChanges: Int { CatchUpLimit.maximumChanges(of: collection.documentCount) }

    static func map(_ directory: URL, _ stamp: Stamp) throws -> TextContents? {
        guard let file = try TextFile(in: directory, for: stamp) else { return nil }
        var contents = TextContents()
        contents.isMapped = true
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
    /// Returns a query whose words have been looked up in the index.
    ///
    /// - Parameters:
    ///   - correctsSpelling: Whether unknown words are replaced with similar words.
    ///   - visible: The rows of the entries whose words decide about corrections and among which the rarity
    ///     of words is measured; `nil` for all.
    ///   - embedder: The model. A word of its vocabulary is never corrected.
    /// - Throws: `CancellationError`.
    @concurrent
    func resolved(
        _ query: TextQuery, correctsSpelling: Bool, among visible: RowSet? = nil,
        with embedder: (any Embedder)? = nil
    ) async throws -> TextQuery {
        try collection.resolved(query, correctsSpelling: correctsSpelling, among: documents(of: visible)) {
            embedder?.vocabularyContains($0) ?? false
        }
    }

    /// Returns the documents that represent the entries in some rows; `nil` for all.
    private func documents(of entryRows: RowSet?) -> VisibleDocuments? {
        entryRows.map { entryRows in VisibleDocuments { entryRows.contains(rows[$0].entryRow($1)) } }
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

    /// Returns the scores of all entries for a query.
    ///
    /// - Parameter visible: The rows of the entries among which the rarity of words is measured; `nil` for
    ///   all.
    /// - Throws: `CancellationError`.
    @concurrent
    func scores(for query: TextQuery, among visible: RowSet? = nil) async throws -> WordScores {
        WordScores(
            scores: try collection.scores(for: query, among: documents(of: visible)), rows: rows,
            parts: collection.parts)
    }
}
