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
        _ clusters: [Cluster], _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> [Cluster] {
        let ids = Set(clusters.flatMap(\.representatives))
        guard !ids.isEmpty else { return clusters }
        let statement = Statement(
            "SELECT e.id FROM roost.entries e WHERE \(Self.isVisible) AND e.id = ANY($3::uuid[])",
            parameters + [Parameter(ids)])
        let stored = Set(try run([statement])[0].rows.map { try $0.uuid(0) })
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
