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
                        id: try Column.uuid(row.value(1)),
                        source: try (row.value(2) as Data?).map(Column.text),
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
    ) throws -> RowCursor {
        let sql = "SELECT \(selection) WHERE e.row > ? AND \(condition.sql) ORDER BY e.row LIMIT ?"
        let arguments =
            [row.map { Int64($0) } ?? -1] + condition.arguments + [limit == .max ? limit : limit + 1]
        // Statements with many parameters have many forms, and a cached statement is never removed.
        let isCached = arguments.count <= cachedArguments
        let statement = try isCached ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
        return try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
    }

    func rows(matching filter: EntryFilter) async throws -> RowSet {
        try await read { database in
            let condition = FilterSQL(filter, tags: try tags.tags(for: filter, database))
            let cursor = try Int64.fetchCursor(
                database, sql: "SELECT e.row FROM entries e WHERE \(condition.sql)",
                arguments: StatementArguments(condition.arguments))
            var rows = RowSet()
            while let row = try cursor.next() { rows.insert(try Column.row(row)) }
            return rows
        }
    }

    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        try await read { database in
            var found: [UUID: Revision] = [:]
            for id in ids { found[id] = try EntryRows(database).revision(of: id) }
            return found
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
                    sql: """
                        SELECT e.id, \(Checksum.entries.matches("e")) FROM entries e WHERE e.source = ?
                        ORDER BY e.row
                        """)
                source.entryIDs = try Row.fetchAll(members, arguments: [Column.bytes(id)]).map { row in
                    try Checksum.check(row, 1, "an entry")
                    return try Column.uuid(row.value(0))
                }
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

    func sourceCount() async throws -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sources") ?? 0 }
    }

    static let sourceColumns = "\(Checksum.sources.columns), \(Checksum.sources.matches("sources"))"

    static func source(_ row: Row) throws -> Source {
        try Checksum.check(row, 3, "a source record")
        return Source(
            id: try Column.text(row.value(0)), fingerprint: try Column.text(row.value(1)),
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
