import GRDB
import RoostModel

/// Reads the sources and clusters of a damaged database.
struct SalvageReader {
    private let source: DatabaseQueue

    init(_ source: DatabaseQueue) { self.source = source }

    /// Returns the values of the intact rows, and the number of damaged rows.
    private func rows<Value>(
        _ sql: String, _ database: Database, _ value: (Row) throws -> Value
    ) throws -> ([Value], lost: Int) {
        let rows = try Row.fetchAll(database, sql: sql)
        var values: [Value] = []
        for row in rows {
            do {
                values.append(try value(row))
            } catch  where DatabaseErrorMapping.reportsDamage(error) {}
        }
        return (values, rows.count - values.count)
    }

    func sources() async throws -> ([Source], lost: Int) {
        try await source.read { database in
            try rows(
                "SELECT \(SQLiteSnapshot.sourceColumns) FROM sources ORDER BY id", database,
                SQLiteSnapshot.source)
        }
    }

    func clustering() async throws -> (
        run: ClusteringRun?, clusters: [Cluster], assignments: [Assignment], lost: Int
    ) {
        try await source.read { database in
            let clusters = try rows(ClusterRows.clusterSelection, database, ClusterRows.cluster)
            let known = Set(clusters.0.map(\.id))
            let all = try rows(
                "\(ClusterRows.selection) ORDER BY a.row", database, ClusterRows.assignment)
            let assignments = all.0.filter { $0.cluster.map(known.contains) != false }
            var run: ClusteringRun?
            do {
                run = try Meta(database).run()
            } catch  where DatabaseErrorMapping.reportsDamage(error) {
                // Damaged properties of the store are reported by `copyRest`.
            }
            return (
                run, clusters.0, assignments,
                clusters.lost + all.lost + all.0.count - assignments.count
            )
        }
    }
}
