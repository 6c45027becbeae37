import Foundation
import RoostModel
import RoostVectors

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
            let headers = try headerRows(try results[1].rows.map { try $0.int64(0) }, run)
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

    /// Returns the headers of entries, in the order of their rows.
    private func headerRows(
        _ rows: [Int64], _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> [ResultRow] {
        guard !rows.isEmpty else { return [] }
        let statement = Statement(
            """
            SELECT \(EntryRows.headerColumns) FROM roost.entries e
            WHERE \(Self.isVisible) AND e.row = ANY($3::int8[]) ORDER BY e.row
            """, parameters + [Parameter(rows)])
        return try run([statement])[0].rows
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

    // The server sorts all records, because ids can be too long for an index. It sends those of the page.
    func sources(after id: Source.ID?, limit: Int) async throws -> SourcePage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { run in
            let isAfter = id == nil ? "" : "AND s.id > $4::bytea"
            let statement = Statement(
                """
                SELECT \(SourceRows.columns) FROM roost.sources s
                WHERE s.store = $1::uuid AND \(TableSQL.isValid("s")) \(isAfter)
                ORDER BY s.id LIMIT $3::int8
                """,
                parameters + [Parameter(limit == .max ? limit : limit + 1)]
                    + (id.map { [Parameter(Array($0.utf8))] } ?? []))
            let records = try run([statement])[0].rows.map { try SourceRows.source($0, store: store) }
            return SourcePage(records, limit: limit)
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
            let stored = try storedIDs(among: clusters.flatMap(\.representatives), run)
            for index in clusters.indices {
                clusters[index].members = members[clusters[index].id] ?? []
                clusters[index].representatives.removeAll { !stored.contains($0) }
            }
            return clusters
        }
    }

    private func storedIDs(
        among ids: [Entry.ID], _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> Set<Entry.ID> {
        guard !ids.isEmpty else { return [] }
        let statement = Statement(
            "SELECT e.id FROM roost.entries e WHERE \(Self.isVisible) AND e.id = ANY($3::uuid[])",
            parameters + [Parameter(Set(ids))])
        return Set(try run([statement])[0].rows.map { try $0.uuid(0) })
    }

    func clusterRecords() async throws -> [Cluster] {
        try await read { run in
            var clusters = try run([clusterStatement])[0].rows.map {
                try ClusterRows.positioned($0, store: store).cluster
            }
            let stored = try storedIDs(among: clusters.flatMap(\.representatives), run)
            for index in clusters.indices {
                clusters[index].representatives.removeAll { !stored.contains($0) }
            }
            return clusters
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
