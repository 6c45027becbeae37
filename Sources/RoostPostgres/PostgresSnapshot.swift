import Foundation
import RoostModel
import RoostVectors

/// A view of one revision of a store: every statement selects the rows that are valid at that revision. No
/// transaction stays open between calls.
struct PostgresSnapshot: StorageSnapshot {
    let head: Head
    let pool: ConnectionPool
    let retryTimeout: TimeInterval
    /// See ``PostgresStorageProvider/Options/exactSearchLimit``.
    let exactSearchLimit: Int
    private let storeTags = SnapshotTags()

    var stamp: Stamp { head.stamp }
    var store: UUID { head.store }

    /// The first two parameters of every statement.
    var parameters: [Parameter] { [Parameter(store), Parameter(head.revision)] }

    /// A function that runs statements in one round trip.
    typealias Run = ([Statement]) throws -> [QueryResult]

    static func unreadable(_ revision: Revision) -> StorageError {
        StorageError(
            .notFound,
            "cannot read revision \(revision) of the store: a compaction deleted its superseded data; take a "
                + "new snapshot")
    }

    /// Runs statements in one round trip and converts their results.
    ///
    /// The last statement checks that the revision was still readable after the others had read, because a
    /// compaction first marks revisions as unreadable and then deletes rows.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (_ run: Run) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await pool.call(retryTimeout: retryTimeout) { connection, limits in
            try body { statements in
                let results = try connection.run(statements + [Head.readability(store)], limits)
                guard let readable = try results.last?.rows.first?.revision(0) else {
                    throw BatchReading.missing
                }
                guard readable <= head.revision else { throw Self.unreadable(head.revision) }
                return results
            }
        }
    }

    // MARK: Entries

    /// The condition that a row `e` belongs to the snapshot.
    static let isVisible = "e.store = $1::uuid AND \(TableSQL.isValid("e"))"

    /// Returns the rows of entries in the snapshot that meet a condition.
    func entryRows(
        _ columns: String, where condition: String, _ value: Parameter, _ run: Run
    ) throws -> [ResultRow] {
        let sql = "SELECT \(columns) FROM roost.entries e WHERE \(Self.isVisible) AND \(condition)"
        return try run([Statement(sql, parameters + [value])])[0].rows
    }

    /// These are read by separate statements, because the server estimates the number of rows of a store
    /// badly until it has collected statistics, and then joins tables in quadratic time.
    private func entries(
        _ rows: [ResultRow], _ run: Run
    ) throws -> [EntryRows.Found] {
        let parts = try parts(of: rows, withPassages: true, run)
        return try rows.map { row in
            try EntryRows.entry(row, parts: parts[try row.int64(0)] ?? EntryParts(), store: store)
        }
    }

    /// - Parameter rows: Rows that begin with the columns of a header.
    func parts(
        of rows: some Collection<ResultRow>, withPassages: Bool,
        _ run: Run
    ) throws -> [Int64: EntryParts] {
        let numbers = try rows.map { try $0.int64(0) }
        guard !numbers.isEmpty else { return [:] }
        let divided = try withPassages ? rows.filter { try $0.int(10) > 0 }.map { try $0.int64(0) } : []
        var statements = [
            Statement(
                """
                SELECT \(EntryRows.vectorColumns) FROM roost.vectors v
                WHERE v.store = $1::uuid AND v.row = ANY($3::int8[]) AND \(TableSQL.isValid("v"))
                """, parameters + [Parameter(numbers)])
        ]
        if !divided.isEmpty {
            statements.append(
                Statement(
                    """
                    SELECT \(EntryRows.passageColumns) FROM roost.passages p
                    WHERE p.store = $1::uuid AND p.row = ANY($3::int8[]) AND \(TableSQL.isValid("p"))
                    ORDER BY p.row, p.ordinal
                    """, parameters + [Parameter(divided)]))
        }
        let results = try run(statements)
        var parts: [Int64: EntryParts] = [:]
        for row in results[0].rows { parts[try row.int64(0), default: EntryParts()].vector = row }
        guard !divided.isEmpty else { return parts }
        for row in results[1].rows { parts[try row.int64(0), default: EntryParts()].passages.append(row) }
        return parts
    }

    func entries(_ ids: [Entry.ID]) async throws -> [Entry] {
        guard !ids.isEmpty else { return [] }
        return try await read { run in
            let rows = try entryRows(
                EntryRows.columns, where: "e.id = ANY($3::uuid[])", Parameter(Set(ids)), run)
            let found = try entries(rows, run)
            let byID = Dictionary(found.map { ($0.entry.id, $0.entry) }) { first, _ in first }
            return ids.compactMap { byID[$0] }
        }
    }

    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { run in
            let (statement, condition) = try page(
                "SELECT \(EntryRows.columns) FROM roost.entries e", after: row, limit, filter, run)
            let rows = try run([statement])[0].rows
            let found = try entries(Array(rows.prefix(limit)), run)
            guard found.allSatisfy({ condition.confirms($0.entry) }) else {
                throw Stored.damaged("tags or metadata that their entry does not have")
            }
            return EntryPage(
                entries: found.map(\.entry), rows: found.map(\.row),
                next: rows.count > limit ? found.last?.row : nil)
        }
    }

    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { run in
            let (statement, _) = try page(
                "SELECT \(EntryRows.headerColumns) FROM roost.entries e", after: row, limit, filter, run)
            let rows = try run([statement])[0].rows
            let found = try rows.prefix(limit).map { try EntryRows.entryHeader($0, store: store) }
            return HeaderPage(
                headers: found.map(\.header), next: rows.count > limit ? found.last?.row : nil)
        }
    }

    func tags(for filter: EntryFilter, _ run: Run) throws -> [String] {
        try storeTags.tags(for: filter, of: store, run)
    }

    /// Returns the statement that reads one row more than a page has.
    private func page(
        _ selection: String, after row: UInt32?, _ limit: Int, _ filter: EntryFilter,
        _ run: Run
    ) throws -> (Statement, FilterSQL) {
        let condition = FilterSQL(
            filter, tags: try tags(for: filter, run),
            after: parameters + [
                Parameter(row.map { Int64($0) } ?? -1), Parameter(limit == .max ? limit : limit + 1),
            ])
        let sql = """
            \(selection) WHERE \(Self.isVisible) AND e.row > $3::int8 AND \(condition.sql)
            ORDER BY e.row LIMIT $4::int8
            """
        return (Statement(sql, condition.parameters, isKept: filter.matchesAll), condition)
    }

    /// Returns the statement that selects from the entries that match a filter.
    func selection(
        _ columns: String, matching filter: EntryFilter, tags: [String], _ value: Parameter? = nil,
        _ rest: String = ""
    ) -> Statement {
        let condition = FilterSQL(
            filter, tags: tags, after: parameters + [value].compactMap(\.self))
        let sql =
            "SELECT \(columns) FROM roost.entries e WHERE \(Self.isVisible) AND \(condition.sql) \(rest)"
        return Statement(sql, condition.parameters, isKept: filter.matchesAll)
    }

    func rows(matching filter: EntryFilter) async throws -> RowSet {
        try await read { run in
            let statement = selection("e.row", matching: filter, tags: try tags(for: filter, run))
            var rows = RowSet()
            for row in try run([statement])[0].rows { rows.insert(try row.row(0)) }
            return rows
        }
    }

    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        guard !ids.isEmpty else { return [:] }
        return try await read { run in
            let headers = try entryRows(
                EntryRows.headerColumns, where: "e.id = ANY($3::uuid[])", Parameter(Set(ids)), run
            ).map { try EntryRows.Header($0, store: store) }
            return Dictionary(headers.map { ($0.id, $0.position.revision) }) { first, _ in first }
        }
    }

    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry] {
        guard !digests.isEmpty else { return [:] }
        return try await read { run in
            // Any number of entries can have the same content. The first one of each is read.
            let first = """
                e.row IN (
                    SELECT min(e.row) FROM roost.entries e
                    WHERE \(Self.isVisible) AND e.digest = ANY($3::bytea[]) AND e.dimension > 0
                    GROUP BY e.digest)
                """
            let rows = try entryRows(
                EntryRows.columns, where: first, Parameter(digests.map(\.bytes)), run)
            let found = try rows.map { row in
                let bytes = row.bytes(8)
                guard bytes.count == 32 else { throw Stored.damaged("a digest of \(bytes.count) bytes") }
                return ContentDigest(bytes: bytes)
            }
            return Dictionary(zip(found, try entries(rows, run).map(\.entry))) { first, _ in first }
        }
    }
}

extension PostgresSnapshot {
    func sources(_ ids: [Source.ID]) async throws -> [Source] {
        guard !ids.isEmpty else { return [] }
        return try await read { run in
            let results = try run([
                Statement(
                    """
                    SELECT \(SourceRows.columns) FROM roost.sources s
                    WHERE s.store = $1::uuid AND \(TableSQL.isValid("s")) AND s.name = ANY($3::uuid[])
                    """, parameters + [Parameter(Set(ids.map(SourceRows.name)))]),
                Statement(
                    """
                    SELECT a.row FROM roost.attributes a
                    WHERE a.store = $1::uuid AND a.name = $3::uuid AND a.value = ANY($4::uuid[])
                        AND \(TableSQL.isValid("a"))
                    """,
                    parameters + [
                        Parameter(Attribute.source), Parameter(Set(ids.map(Attribute.value))),
                    ]),
            ])
            let rows = try results[1].rows.map { try $0.int64(0) }
            let headers =
                try rows.isEmpty
                ? []
                : entryRows(
                    EntryRows.headerColumns, where: "e.row = ANY($3::int8[]) ORDER BY e.row",
                    Parameter(rows), run)
            let records = try results[0].rows.map { try SourceRows.source($0, store: store) }
            let byID = Dictionary(records.map { (ExactText($0.id), $0) }) { first, _ in first }
            var members: [ExactText: [Entry.ID]] = [:]
            for row in headers {
                let header = try EntryRows.entryHeader(row, store: store).header
                guard let source = header.source else { continue }
                members[ExactText(source), default: []].append(header.id)
            }
            return ids.compactMap { id in
                guard var source = byID[ExactText(id)] else { return nil }
                source.entryIDs = members[ExactText(id)] ?? []
                return source
            }
        }
    }

    func sources() async throws -> [Source] {
        try await read { run in
            let statement = Statement(
                """
                SELECT \(SourceRows.columns) FROM roost.sources s
                WHERE s.store = $1::uuid AND \(TableSQL.isValid("s")) ORDER BY s.id
                """, parameters)
            return try run([statement])[0].rows.map { try SourceRows.source($0, store: store) }
        }
    }

    func sourceCount() async throws -> Int {
        try await read { run in
            let statement = Statement(
                """
                SELECT count(*) FROM roost.sources s WHERE s.store = $1::uuid AND \(TableSQL.isValid("s"))
                """, parameters)
            return try run([statement])[0].rows.first?.int(0) ?? 0
        }
    }

    // MARK: Clusters

    private var clusterStatement: Statement {
        Statement(
            """
            SELECT \(ClusterRows.columns) FROM roost.clusters c
            WHERE c.store = $1::uuid AND \(TableSQL.isValid("c")) ORDER BY c.position
            """, parameters)
    }

    private static let assignmentSelection = """
        SELECT \(ClusterRows.assignmentColumns) FROM roost.assignments a
        WHERE a.store = $1::uuid AND \(TableSQL.isValid("a"))
        """

    private var assignmentStatement: Statement {
        Statement(Self.assignmentSelection + " ORDER BY a.row", parameters)
    }

    func clusters() async throws -> [Cluster] {
        try await read { run in
            let results = try run([clusterStatement, assignmentStatement])
            var clusters = try results[0].rows.map { try ClusterRows.positioned($0, store: store).cluster }
            var members: [Cluster.ID: [Entry.ID]] = [:]
            for row in results[1].rows {
                let assignment = try ClusterRows.assignment(row, store: store)
                if let cluster = assignment.cluster { members[cluster, default: []].append(assignment.entry) }
            }
            for index in clusters.indices { clusters[index].members = members[clusters[index].id] ?? [] }
            return try withStoredRepresentatives(clusters, run)
        }
    }

    private func withStoredRepresentatives(
        _ clusters: [Cluster], _ run: Run
    ) throws -> [Cluster] {
        let ids = Set(clusters.flatMap(\.representatives))
        guard !ids.isEmpty else { return clusters }
        let rows = try entryRows("e.id", where: "e.id = ANY($3::uuid[])", Parameter(ids), run)
        let stored = Set(try rows.map { try $0.uuid(0) })
        var clusters = clusters
        for index in clusters.indices { clusters[index].representatives.removeAll { !stored.contains($0) } }
        return clusters
    }

    func clusterRecords() async throws -> [Cluster] {
        try await read { run in
            let clusters = try run([clusterStatement])[0].rows.map {
                try ClusterRows.positioned($0, store: store).cluster
            }
            return try withStoredRepresentatives(clusters, run)
        }
    }

    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await read { run in
            var statement = assignmentStatement
            if let ids {
                statement = Statement(
                    Self.assignmentSelection + " AND a.entry = ANY($3::uuid[]) ORDER BY a.row",
                    parameters + [Parameter(Set(ids))])
            }
            return try run([statement])[0].rows.map { try ClusterRows.assignment($0, store: store) }
        }
    }

    func clusteringRun() async throws -> ClusteringRun? { try head.run() }

    func clustersRevision() async throws -> Revision { head.clustersRevision }
}
