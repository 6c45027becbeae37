import Foundation
import GRDB
import RoostModel
import RoostVectors

/// A read transaction that stays open, so it shows one revision regardless of later commits.
struct SQLiteSnapshot: StorageSnapshot {
    let database: SnapshotConnections.Lease
    let stamp: Stamp
    let connections: DatabaseConnections
    private let tags = SnapshotTags()

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        do {
            let value = try await database.read(body)
            try connections.readOnly?.check()
            return value
        } catch {
            throw SQLiteStorageProvider.errors(connections.url.path).mapped(error)
        }
    }

    func entries(_ ids: [Entry.ID]) async throws -> [Entry] {
        try await read { database in
            let sql = """
                SELECT \(EntryRows.columns) FROM \(EntryRows.tables) WHERE e.id = ?
                """
            let statement = try database.cachedStatement(sql: sql)
            let rows = EntryRows(database)
            return try ids.compactMap { try rows.entry(statement, [Column.bytes($0)]) }
        }
    }

    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { database in
            let condition = FilterSQL(filter, tags: try tags.tags(for: filter, database))
            let cursor = try Self.rows(
                "\(EntryRows.columns) FROM \(EntryRows.tables)", condition, after: row, limit, database)
            var page = EntryPage(entries: [], rows: [], next: nil)
            let rows = EntryRows(database)
            while let row = try cursor.next() {
                if page.entries.count == limit {
                    page.next = page.rows.last
                    break
                }
                let entry = try rows.entry(row)
                guard condition.confirms(entry) else {
                    throw Column.damaged(
                        "tags or metadata for row \(try row.value(0) as Int64) that its entry does not have")
                }
                page.entries.append(entry)
                page.rows.append(try Column.row(row.value(0)))
            }
            return page
        }
    }

    private static let headerSelection =
        "e.row, e.id, e.source, e.created, \(Checksum.entries.matches("e")) FROM entries e"

    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { database in
            let condition = FilterSQL(filter, tags: try tags.tags(for: filter, database))
            let cursor = try Self.rows(Self.headerSelection, condition, after: row, limit, database)
            var page = HeaderPage(headers: [], next: nil)
            var last: UInt32?
            while let row = try cursor.next() {
                if page.headers.count == limit {
                    page.next = last
                    break
                }
                last = try Column.row(row.value(0))
                try Checksum.check(row, 4, "an entry in row \(last ?? 0)")
                page.headers.append(
                    EntryHeader(
                        id: try Column.uuid(row.bytes(1)),
                        source: try row.bytesIfPresent(2).map(Column.text),
                        createdAt: Date(milliseconds: try row.value(3))))
            }
            return page
        }
    }

    /// The maximum number of parameters of a statement that is kept for later calls.
    private static let cachedArguments = 4

    /// Selects the rows of a page and, to show whether others follow, one more.
    private static func rows(
        _ selection: String, _ condition: FilterSQL, after row: UInt32?, _ limit: Int, _ database: Database
    ) throws -> FastDatabaseValueCursor<ResultRow> {
        let sql = "SELECT \(selection) WHERE e.row > ? AND \(condition.sql) ORDER BY e.row LIMIT ?"
        let arguments =
            [row.map { Int64($0) } ?? -1] + condition.arguments + [limit == .max ? limit : limit + 1]
        // Statements with many parameters have many forms, and a cached statement is never removed.
        let isCached = arguments.count <= cachedArguments
        let statement = try isCached ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
        return try ResultRow.fetchCursor(statement, arguments: StatementArguments(arguments))
    }

    func rows(matching filter: EntryFilter) async throws -> RowSet {
        try await read { database in
            let condition = FilterSQL(filter, tags: try tags.tags(for: filter, database))
            var found: RowSet?
            for query in condition.rowQueries where found?.isEmpty != true {
                var rows = RowSet()
                let cursor = try Int64.fetchCursor(
                    database, sql: query.sql, arguments: StatementArguments(query.arguments))
                while let row = try cursor.next() { rows.insert(try Column.row(row)) }
                if let others = found { rows.formIntersection(others) }
                found = rows
            }
            return found ?? RowSet()
        }
    }

    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        try await read { database in
            try ids.reduce(into: [:]) { $0[$1] = try EntryRows(database).revision(of: $1) }
        }
    }

    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry] {
        try await read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(EntryRows.columns) FROM \(EntryRows.tables)
                    WHERE e.digest = ? AND v.row IS NOT NULL ORDER BY e.row LIMIT 1
                    """)
            let rows = EntryRows(database)
            return try digests.reduce(into: [:]) { $0[$1] = try rows.entry(statement, [Data($1.bytes)]) }
        }
    }

    func sources(_ ids: [Source.ID]) async throws -> [Source] {
        try await read { database in
            try ids.compactMap { id in
                let sql = "SELECT \(Self.sourceColumns) FROM sources WHERE id = ?"
                let found = try ResultRow.fetchCursor(
                    database.cachedStatement(sql: sql), arguments: [Column.bytes(id)])
                guard var source = try found.map(Self.source).next() else { return nil }
                let members = try database.cachedStatement(
                    sql: """
                        SELECT e.id, \(Checksum.entries.matches("e")) FROM entries e WHERE e.source = ?
                        ORDER BY e.row
                        """)
                let rows = try ResultRow.fetchCursor(members, arguments: [Column.bytes(id)])
                while let row = try rows.next() {
                    try Checksum.check(row, 1, "an entry")
                    source.entryIDs.append(try Column.uuid(row.bytes(0)))
                }
                return source
            }
        }
    }

    func sources() async throws -> [Source] {
        try await read { database in
            let sql = "SELECT \(Self.sourceColumns) FROM sources ORDER BY id"
            return try Array(ResultRow.fetchCursor(database, sql: sql).map(Self.source))
        }
    }

    func sourceCount() async throws -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sources") ?? 0 }
    }

    static let sourceColumns = "\(Checksum.sources.columns), \(Checksum.sources.matches("sources"))"

    static func source(_ row: ResultRow) throws -> Source {
        try Checksum.check(row, 3, "a source record")
        return Source(
            id: try Column.text(row.bytes(0)), fingerprint: try Column.text(row.bytes(1)),
            ingestedAt: Date(milliseconds: try row.value(2)))
    }

    func clusters() async throws -> [Cluster] {
        try await read { try ClusterRows.clusters($0) }
    }

    func clusterRecords() async throws -> [Cluster] {
        try await read { try ClusterRows.clustersWithoutMembers($0) }
    }

    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await read { database in
            guard let ids else { return try ClusterRows.assignments(database) }
            let statement = try database.cachedStatement(sql: "\(ClusterRows.selection) WHERE e.id = ?")
            let found = try ids.compactMap { id in
                let rows = try ResultRow.fetchCursor(statement, arguments: [Column.bytes(id)])
                return try rows.map { (try $0.value(7) as Int64, try ClusterRows.assignment($0)) }.next()
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

extension SQLiteSnapshot {
    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { database in
            let first = row.map { Int64($0) } ?? -1
            // The first entry after the page. Without one, the page extends to the last row. It includes entries that
            // have a vector, but should not, so that damage is found.
            let end = try Int64.fetchOne(
                database,
                sql: "SELECT row FROM entries WHERE row > ? AND dimension > 0 ORDER BY row LIMIT 1 OFFSET ?",
                arguments: [first, limit])
            let cursor = try ResultRow.fetchCursor(
                database, sql: Self.vectorSelection(kind), arguments: [first, end ?? .max])
            var collector = VectorCollector(kind: kind)
            while let row = try cursor.next() { try collector.add(row) }
            return try collector.page(next: end.map { try Column.row($0 - 1) })
        }
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
            WHERE e.row > ? AND e.row < ? AND (e.dimension > 0 OR v.row IS NOT NULL) ORDER BY e.row
            """
        case .passages:
            """
            SELECT e.row, e.id, p.ordinal, coalesce(p.vector, v.embedding),
                \(Checksum.vectors.matches("v", id: "e.id"))
                AND (p.row IS NULL OR \(Checksum.passages.matches("p", id: "e.id"))),
                e.dimension, e.passages
            FROM entries e LEFT JOIN vectors v ON v.row = e.row LEFT JOIN passages p ON p.row = e.row
            WHERE e.row > ? AND e.row < ? AND (e.dimension > 0 OR v.row IS NOT NULL)
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

    mutating func add(_ row: ResultRow) throws {
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
        ids.append(try Column.uuid(row.bytes(1)))
        ordinals.append(ordinal ?? 0)
        let start = elements.count
        if let vector = row.bytesIfPresent(3) { try Column.append(vector, to: &elements) }
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
