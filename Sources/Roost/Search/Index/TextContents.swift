import Foundation
import RoostModel
import RoostText
import RoostVectors

/// The words of all entries, for searching: one main part and newer parts with the entries that have changed
/// since.
struct TextContents: DerivedContents {
    private(set) var collection = TextCollection()
    /// For each part of the collection, the entries that its documents represent.
    private(set) var rows: [IndexRows] = []
    var cursor = ChangeCursor.start
    var notice: SearchNotice?

    init() {}

    var maximumChanges: Int { CatchUpLimit.maximumChanges(of: collection.documentCount) }

    static func map(_ folder: IndexFolder, _ stamp: Stamp) throws -> TextContents? {
        guard let file = try TextFile(in: folder, for: stamp) else { return nil }
        var contents = TextContents()
        contents.collection.parts = [TextPart(file.index)]
        contents.rows = [file.rows]
        contents.cursor = file.metadata.cursor
        return contents
    }

    init(of snapshot: any StorageSnapshot) async throws {
        try await append(.all, from: snapshot)
    }

    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {
        for part in rows.indices {
            for (row, id) in rows[part].ids.enumerated() where changed.contains(id) {
                collection.parts[part].remove(row)
            }
        }
        var changed = changed
        if rows.count >= CatchUpLimit.maximumParts {
            for part in rows[1...] { changed.formUnion(part.ids) }
            rows.removeSubrange(1...)
            collection.parts.removeSubrange(1...)
        }
        try await append(EntryFilter(ids: changed), from: snapshot)
    }

    private mutating func append(_ filter: EntryFilter, from snapshot: any StorageSnapshot) async throws {
        let texts = try await IndexedTexts(of: snapshot, matching: filter)
        guard texts.rows.count > 0 else { return }
        collection.parts.append(TextPart(texts.index))
        rows.append(texts.rows)
    }

    /// Returns a query whose words have been looked up in the index.
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
        entryRows.map { entryRows in VisibleDocuments { entryRows.contains(rows[$0].entryRows[$1]) } }
    }

    /// Returns the rows of the entries that contain everything that a query requires and nothing that it
    /// excludes; `nil` for a query that neither requires nor excludes anything.
    @concurrent
    func allowed(by query: TextQuery) async throws -> RowSet? {
        try collection.allowed(by: query).map { allowed in
            var entryRows = RowSet()
            for (rows, allowed) in zip(rows, allowed) {
                for row in allowed.indices where allowed[row] { entryRows.insert(rows.entryRows[row]) }
            }
            return entryRows
        }
    }

    /// Returns the scores of all entries for a query.
    @concurrent
    func scores(for query: TextQuery, among visible: RowSet? = nil) async throws -> WordScores {
        WordScores(
            scores: try collection.scores(for: query, among: documents(of: visible)), rows: rows,
            parts: collection.parts)
    }
}

struct WordScores: Sendable {
    let scores: TextScores
    let rows: [IndexRows]
    let parts: [TextPart]

    /// Returns the entries that contain any of the query's words, best first. If scores are equal, the lower
    /// id comes first.
    @concurrent
    func best(_ k: Int, among entryRows: RowSet?) async throws -> [Candidate] {
        try scores.best(
            k, isAllowed: { entryRows?.contains(rows[$0].entryRows[$1]) ?? true },
            precedes: { rows[$0.part].ids[$0.document] < rows[$1.part].ids[$1.document] }
        ).map {
            Candidate(
                id: rows[$0.part].ids[$0.document], row: rows[$0.part].entryRows[$0.document])
        }
    }

    /// Adds what the index of words states about a candidate.
    func complete(_ candidate: inout Candidate) {
        guard let found = document(of: candidate.id, candidate.row) else { return }
        candidate.document = found
        candidate.wordScore = scores[found.part, found.document]
        candidate.isTitled = scores.isTitled(part: found.part, document: found.document)
    }

    /// Returns the parts of the scores of some candidates.
    func breakdowns(of candidates: ArraySlice<Candidate>) -> [Entry.ID: TextScores.Breakdown] {
        var documents = [[Int: Entry.ID]](repeating: [:], count: parts.count)
        for candidate in candidates {
            if let found = candidate.document { documents[found.part][found.document] = candidate.id }
        }
        var result: [Entry.ID: TextScores.Breakdown] = [:]
        for (part, ids) in documents.enumerated() where !ids.isEmpty {
            for (document, breakdown) in scores.breakdowns(ofPart: part, Array(ids.keys)) {
                if let id = ids[document] { result[id] = breakdown }
            }
        }
        return result
    }

    private func document(of entry: Entry.ID, _ row: UInt32) -> (part: Int, document: Int)? {
        for part in rows.indices.reversed() {
            guard let document = rows[part].firstRow(ofEntryRow: row), rows[part].ids[document] == entry,
                !parts[part].isRemoved(document)
            else { continue }
            return (part, document)
        }
        return nil
    }
}
