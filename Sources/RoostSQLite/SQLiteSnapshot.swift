import Foundation
import GRDB
import RoostModel
import RoostVectors

/// A read transaction that stays open: one revision, whatever is committed meanwhile.
struct SQLiteSnapshot: StorageSnapshot {
    let database: DatabaseSnapshot
    let stamp: Stamp

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        do {
            return try await database.read(body)
        } catch {
            throw SQLiteStorageProvider.translated(error, database.path)
        }
    }

    func entries(_ ids: [Entry.ID]) async throws -> [Entry] {
        try await read { database in
            let sql = """
                SELECT \(EntryRows.columns) FROM entries e LEFT JOIN vectors v ON v.row = e.row WHERE e.id = ?
                """
            let statement = try database.cachedStatement(sql: sql)
            let rows = EntryRows(database)
            return try ids.compactMap { id in
                try Row.fetchOne(statement, arguments: [Column.bytes(id)]).map(rows.entry)
            }
        }
    }

    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage {
        precondition(limit >= 1, "a page of \(limit) entries")
        return try await read { database in
            let condition = FilterSQL(filter)
            let sql = """
                SELECT \(EntryRows.columns) FROM entries e LEFT JOIN vectors v ON v.row = e.row
                WHERE e.row > ? AND \(condition.sql) ORDER BY e.row LIMIT ?
                """
            let arguments =
                [row.map { Int64($0) } ?? -1] + condition.arguments + [limit == .max ? limit : limit + 1]
            let cursor = try Row.fetchCursor(database, sql: sql, arguments: StatementArguments(arguments))
            var page = EntryPage(entries: [], rows: [], next: nil)
            let rows = EntryRows(database)
            while let row = try cursor.next() {
                if page.entries.count == limit {
                    page.next = page.rows.last
                    break
                }
                page.entries.append(try rows.entry(row))
                page.rows.append(try Column.row(row[0]))
            }
            return page
        }
    }

    func rows(matching filter: EntryFilter) async throws -> RowSet {
        try await read { database in
            let condition = FilterSQL(filter)
            let cursor = try Int64.fetchCursor(
                database, sql: "SELECT e.row FROM entries e WHERE \(condition.sql)",
                arguments: StatementArguments(condition.arguments))
            var rows = RowSet()
            while let row = try cursor.next() { rows.insert(try Column.row(row)) }
            return rows
        }
    }

    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        precondition(limit >= 1, "a page of \(limit) entries")
        return try await read { database in
            // `last` is the row that the page ends with; what follows begins after it.
            let span = try Row.fetchOne(
                database,
                sql: """
                    SELECT max(row), count(*)
                    FROM (SELECT row FROM vectors WHERE row > ? ORDER BY row LIMIT ?)
                    """,
                arguments: [row.map { Int64($0) } ?? -1, limit])
            let last = (span?[0] as Int64?) ?? -1
            let sql =
                switch kind {
                case .entries:
                    """
                    SELECT v.row, e.id, 0, v.embedding, \(Checksum.holds(Checksum.vectors, "v."))
                    FROM vectors v JOIN entries e ON e.row = v.row
                    WHERE v.row > ? AND v.row <= ? ORDER BY v.row
                    """
                case .passages:
                    """
                    SELECT v.row, e.id, coalesce(p.ordinal, 0), coalesce(p.vector, v.embedding),
                        \(Checksum.holds(Checksum.vectors, "v."))
                        AND (p.row IS NULL OR \(Checksum.holds(Checksum.passages, "p.")))
                    FROM vectors v JOIN entries e ON e.row = v.row LEFT JOIN passages p ON p.row = v.row
                    WHERE v.row > ? AND v.row <= ? ORDER BY v.row, p.ordinal
                    """
                }
            let cursor = try Row.fetchCursor(
                database, sql: sql, arguments: [row.map { Int64($0) } ?? -1, last])
            var (rows, ids, ordinals): ([UInt32], [UUID], [UInt32]) = ([], [], [])
            var elements: [Float] = []
            var dimension: Int?
            while let row = try cursor.next() {
                try Checksum.check(row, 4, "a vector")
                rows.append(try Column.row(row[0]))
                ids.append(try row.withUnsafeData(atIndex: 1) { try Column.uuid($0 ?? Data()) })
                ordinals.append(row[2])
                let before = elements.count
                try row.withUnsafeData(atIndex: 3) { try Column.append($0 ?? Data(), to: &elements) }
                let found = elements.count - before
                if let dimension, dimension != found {
                    throw Column.damaged("vectors of \(dimension) and \(found) numbers")
                }
                dimension = found
            }
            let isFull = (span?[1] as Int?) == limit
            let more =
                try isFull
                && Bool.fetchOne(
                    database, sql: "SELECT EXISTS (SELECT 1 FROM vectors WHERE row > ?)", arguments: [last])
                    == true
            return VectorPage(
                rows: rows, ids: ids, ordinals: ordinals,
                vectors: Matrix(rows: rows.count, columns: dimension ?? 0, elements: elements),
                next: more ? UInt32(last) : nil)
        }
    }

    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        try await read { database in
            let statement = try database.cachedStatement(sql: "SELECT revision FROM entries WHERE id = ?")
            var found: [UUID: Revision] = [:]
            for id in ids {
                if let revision = try Int64.fetchOne(statement, arguments: [Column.bytes(id)]) {
                    found[id] = Revision(rawValue: UInt64(clamping: revision))
                }
            }
            return found
        }
    }

    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry] {
        try await read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(EntryRows.columns) FROM entries e JOIN vectors v ON v.row = e.row
                    WHERE e.digest = ? ORDER BY e.row LIMIT 1
                    """)
            let rows = EntryRows(database)
            var found: [ContentDigest: Entry] = [:]
            for digest in digests {
                if let row = try Row.fetchOne(statement, arguments: [Data(digest.bytes)]) {
                    found[digest] = try rows.entry(row)
                }
            }
            return found
        }
    }

    func sources(_ ids: [Source.ID]) async throws -> [Source] {
        try await read { database in
            try ids.compactMap { id in
                let sql = "SELECT \(Self.sourceColumns) FROM sources WHERE id = ?"
                guard
                    let row = try Row.fetchOne(
                        database.cachedStatement(sql: sql), arguments: [Column.bytes(id)])
                else { return nil }
                var source = try Self.source(row)
                let members = try database.cachedStatement(
                    sql: "SELECT id FROM entries WHERE source = ? ORDER BY row")
                source.entryIDs = try Data.fetchAll(members, arguments: [Column.bytes(id)]).map(Column.uuid)
                return source
            }
        }
    }

    func sources() async throws -> [Source] {
        try await read { database in
            try Row.fetchAll(database, sql: "SELECT \(Self.sourceColumns) FROM sources ORDER BY id")
                .map(Self.source)
        }
    }

    static let sourceColumns = "\(Checksum.sources), \(Checksum.holds(Checksum.sources))"

    static func source(_ row: Row) throws -> Source {
        try Checksum.check(row, 3, "a source record")
        return Source(
            id: try Column.text(row[0]), fingerprint: try Column.text(row[1]),
            ingestedAt: Date(milliseconds: row[2]))
    }

    func clusters() async throws -> [Cluster] {
        try await read { try ClusterRows.clusters($0, members: true) }
    }

    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await read { database in
            guard let ids else { return try ClusterRows.assignments(database) }
            let statement = try database.cachedStatement(sql: "\(ClusterRows.selection) WHERE e.id = ?")
            let order = try database.cachedStatement(sql: "SELECT row FROM entries WHERE id = ?")
            let found = try ids.compactMap { id -> (Int64, Assignment)? in
                guard let row = try Row.fetchOne(statement, arguments: [Column.bytes(id)]) else { return nil }
                let assignment = try ClusterRows.assignment(row)
                return (try Int64.fetchOne(order, arguments: [Column.bytes(id)]) ?? 0, assignment)
            }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    func clusteringRun() async throws -> ClusteringRun? {
        try await read { try Meta($0).run() }
    }

    func clustersRevision() async throws -> Revision {
        try await read { try Meta($0).clustersRevision }
    }
}
