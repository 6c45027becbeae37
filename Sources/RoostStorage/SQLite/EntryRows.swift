import Foundation
import GRDB
import RoostModel

struct EntryRows {
    private let database: Database

    init(_ database: Database) { self.database = database }

    static let columns = """
        e.row, e.id, CAST(e.content AS BLOB), e.source, e.key, e.metadata, e.tags,
        e.created, e.updated, e.structure, v.embedding,
        \(Checksum.entries.matches("e")) AND (v.row IS NULL OR \(Checksum.vectors.matches("v", id: "e.id")))
        AND (l.row IS NULL OR \(Checksum.locations.matches("l", id: "e.id"))),
        e.passages, e.dimension, l.line, l.last_line, l.page, l.headings
        """

    static let tables = """
        entries e LEFT JOIN vectors v ON v.row = e.row LEFT JOIN locations l ON l.row = e.row
        """

    // The texts of statements that run for each entry are constants, because composing them takes longer than
    // running them.

    private static let passageQuery = """
        SELECT ordinal, start, end, tokens, vector, \(Checksum.passages.matches("passages", id: "?2"))
        FROM passages WHERE row = ?1 ORDER BY ordinal
        """

    private static let revisionQuery =
        "SELECT e.revision, \(Checksum.entries.matches("e")) FROM entries e WHERE e.id = ?"

    func entries(rows: [Int64]) throws -> [(row: Int64, entry: Entry)] {
        let sql = "SELECT \(Self.columns) FROM \(Self.tables) WHERE e.row = ?"
        let statement = try database.cachedStatement(sql: sql)
        return try rows.compactMap { row in try entry(statement, [row]).map { (row, $0) } }
    }

    /// Returns the entry that a statement finds, which selects ``columns``; `nil` if it finds none.
    func entry(_ statement: Statement, _ arguments: StatementArguments) throws -> Entry? {
        // A cursor decodes the columns directly; `fetchOne` would copy them first. The columns are valid as
        // long as the cursor exists.
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        return try withExtendedLifetime(cursor) { try cursor.next().map(entry) }
    }

    func entry(_ row: Row) throws -> Entry {
        let number: Int64 = try row.value(0)
        try Checksum.check(row, 11, "an entry in row \(number)")
        let embeddings = try (row.value(10) as Data?).map(Column.vector) ?? []
        let passages = try passages(number, id: row.value(1), embeddings)
        guard try passages.count == row.value(12), try embeddings.count == row.value(13) else {
            throw Column.damaged("an entry in row \(number) that lacks a passage or a vector")
        }
        var entry = try entry(row, embeddings: embeddings, passages: passages)
        guard passages.allSatisfy({ $0.utf8Range.upperBound <= entry.content.utf8.count }) else {
            throw Column.damaged("an entry in row \(number) with a passage outside of its text")
        }
        entry.location = try location(row)
        return entry
    }

    private func location(_ row: Row) throws -> EntryLocation? {
        guard let headings = try row.value(17) as Data? else { return nil }
        let location = EntryLocation(
            line: try row.value(14), lastLine: try row.value(15), page: try row.value(16),
            headings: headings.isEmpty ? [] : try Column.strings(headings))
        guard location.isValid else { throw Column.damaged("a location with a number out of range") }
        return location
    }

    private func entry(_ row: Row, embeddings: [Float], passages: [Passage]) throws -> Entry {
        let metadata: Data = try row.value(5)
        let tags: Data = try row.value(6)
        let content = try Column.text(row.value(2))
        let structure = try (row.value(9) as Data?).map {
            TextStructure(coded: Array($0), length: content.utf8.count)
        }
        if let structure, structure == nil { throw Column.damaged("a structure of another text") }
        return Entry(
            id: try Column.uuid(row.value(1)), content: content, structure: structure ?? nil,
            embeddings: embeddings, passages: passages, source: try (row.value(3) as Data?).map(Column.text),
            key: try (row.value(4) as Data?).map(Column.text),
            metadata: metadata.count == 2 ? [:] : try Column.metadata(metadata),
            tags: tags.count == 2 ? [] : try Column.strings(tags),
            createdAt: Date(milliseconds: try row.value(7)), updatedAt: Date(milliseconds: try row.value(8)))
    }

    func entry(in row: Int64) throws -> Entry? { try entries(rows: [row]).first?.entry }

    /// Returns an entry without its vector, passages and location. An entry can be recovered
    /// in this way if only these parts are damaged.
    func entryWithoutVectors(in row: Int64) throws -> Entry? {
        let sql = """
            SELECT e.row, e.id, CAST(e.content AS BLOB), e.source, e.key, e.metadata, e.tags,
                e.created, e.updated, e.structure, \(Checksum.entries.matches("e"))
            FROM entries e WHERE e.row = ?
            """
        guard let found = try Row.fetchOne(database, sql: sql, arguments: [row]) else { return nil }
        try Checksum.check(found, 10, "an entry in row \(row)")
        return try entry(found, embeddings: [], passages: [])
    }

    func revision(of id: Entry.ID) throws -> Revision? {
        let statement = try database.cachedStatement(sql: Self.revisionQuery)
        guard let row = try Row.fetchOne(statement, arguments: [Column.bytes(id)]) else { return nil }
        try Checksum.check(row, 1, "an entry")
        return Revision(rawValue: UInt64(clamping: try row.value(0) as Int64))
    }

    private func passages(_ row: Int64, id: Data, _ embeddings: [Float]) throws -> [Passage] {
        let statement = try database.cachedStatement(sql: Self.passageQuery)
        let cursor = try Row.fetchCursor(statement, arguments: [row, id])
        var passages: [Passage] = []
        while let row = try cursor.next() {
            try Checksum.check(row, 5, "a passage")
            let (start, end): (Int, Int) = (try row.value(1), try row.value(2))
            guard start >= 0, start <= end else {
                throw Column.damaged("a passage with an invalid range")
            }
            passages.append(
                Passage(
                    ordinal: try row.value(0), utf8Range: start..<end, tokenCount: try row.value(3),
                    vector: try (row.value(4) as Data?).map(Column.vector) ?? embeddings))
        }
        return passages
    }
}
