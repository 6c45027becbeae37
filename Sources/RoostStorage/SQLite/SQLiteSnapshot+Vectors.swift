import Foundation
import GRDB
import RoostModel
import RoostVectors

extension SQLiteSnapshot {
    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { database in
            let first = row.map { Int64($0) } ?? -1
            let (last, isFull) = try Self.lastRowOfPage(after: first, limit: limit, database)
            let cursor = try Row.fetchCursor(
                database, sql: Self.vectorSelection(kind), arguments: [first, last])
            var collector = VectorCollector(kind: kind)
            while let row = try cursor.next() { try collector.add(row) }
            let hasMore = try isFull && Self.hasVectors(after: last, database)
            return try collector.page(next: hasMore ? UInt32(last) : nil)
        }
    }

    /// Returns the last row of a page, and whether the page has the maximum number of entries.
    ///
    /// Entries that should have a vector are counted even if the vector is missing, so the loss of a vector
    /// is detected.
    private static func lastRowOfPage(
        after row: Int64, limit: Int, _ database: Database
    ) throws -> (last: Int64, isFull: Bool) {
        let span = try Row.fetchOne(
            database,
            sql: """
                SELECT max(row), count(*) FROM (
                    SELECT row FROM (
                        SELECT row FROM entries WHERE row > ?1 AND dimension > 0 ORDER BY row LIMIT ?2)
                    UNION SELECT row FROM (
                        SELECT row FROM vectors WHERE row > ?1 ORDER BY row LIMIT ?2)
                    ORDER BY row LIMIT ?2)
                """,
            arguments: [row, limit])
        return (try span?.value(0) as Int64? ?? -1, try span?.value(1) == limit)
    }

    private static func hasVectors(after row: Int64, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM entries WHERE row > ?1 AND dimension > 0)
                    OR EXISTS (SELECT 1 FROM vectors WHERE row > ?1)
                """, arguments: [row]) == true
    }

    /// Returns the SQL statement that selects the vectors between two rows. The result columns are the row,
    /// id, ordinal, vector, whether the checksums match, the dimension, and the number of passages.
    private static func vectorSelection(_ kind: VectorPage.Kind) -> String {
        switch kind {
        case .entries:
            """
            SELECT e.row, e.id, 0, v.embedding, \(Checksum.vectors.matches("v", id: "e.id")),
                e.dimension, 0
            FROM entries e LEFT JOIN vectors v ON v.row = e.row
            WHERE e.row > ? AND e.row <= ? AND (e.dimension > 0 OR v.row IS NOT NULL) ORDER BY e.row
            """
        case .passages:
            """
            SELECT e.row, e.id, p.ordinal, coalesce(p.vector, v.embedding),
                \(Checksum.vectors.matches("v", id: "e.id"))
                AND (p.row IS NULL OR \(Checksum.passages.matches("p", id: "e.id"))),
                e.dimension, e.passages
            FROM entries e LEFT JOIN vectors v ON v.row = e.row LEFT JOIN passages p ON p.row = e.row
            WHERE e.row > ? AND e.row <= ? AND (e.dimension > 0 OR v.row IS NOT NULL)
            ORDER BY e.row, p.ordinal
            """
        }
    }
}

/// Builds a page of vectors from result rows, and checks that no entry lacks any of its vectors.
struct VectorCollector {
    let kind: VectorPage.Kind
    private var rows: [UInt32] = []
    private var ids: [UUID] = []
    private var ordinals: [UInt32] = []
    private var elements: [Float] = []
    private var dimension: Int?
    /// The number of passages of the current entry that have not been read yet.
    private var missing = 0

    init(kind: VectorPage.Kind) { self.kind = kind }

    mutating func add(_ row: Row) throws {
        try Checksum.check(row, 4, "a vector")
        let number = try Column.row(row.value(0))
        if rows.last != number {
            try checkComplete()
            missing = try row.value(6)
            guard missing >= 0 else {
                throw Column.damaged("an entry with a number of passages that is out of range")
            }
        }
        let ordinal = try row.value(2) as UInt32?
        if kind == .passages, ordinal != nil { missing -= 1 }
        rows.append(number)
        ids.append(try row.withUnsafeData(atIndex: 1) { try Column.uuid($0 ?? Data()) })
        ordinals.append(ordinal ?? 0)
        let start = elements.count
        try row.withUnsafeData(atIndex: 3) { try Column.append($0 ?? Data(), to: &elements) }
        let found = elements.count - start
        guard try found == row.value(5), found == dimension ?? found else {
            throw Column.damaged("a vector with the unexpected dimension \(found)")
        }
        dimension = found
    }

    private func checkComplete() throws {
        guard missing == 0 else { throw Column.damaged("an entry that lacks a vector") }
    }

    func page(next: UInt32?) throws -> VectorPage {
        try checkComplete()
        return VectorPage(
            rows: rows, ids: ids, ordinals: ordinals,
            vectors: Matrix(rows: rows.count, columns: dimension ?? 0, elements: elements), next: next)
    }
}
