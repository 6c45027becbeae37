/// The statements that distribute the tables over the servers of a Citus cluster.
///
/// Each store is on one server: the id of the store is the distribution column of all tables, whose parts are
/// on the same server (`colocate_with`). The lists of stores and of migrations are copied to all servers.
enum DistributionSQL {
    /// Returns whether the database can distribute tables.
    static let isAvailable = Statement(
        "SELECT to_regproc('create_distributed_table') IS NOT NULL", isKept: false)

    static func isDistributed(_ table: String) -> Statement {
        Statement(
            """
            SELECT count(*) > 0 FROM pg_dist_partition WHERE logicalrelid = to_regclass('roost.\(table)')
            """, isKept: false)
    }

    /// The first distributed table, with which the others are placed.
    private static let first = "heads"

    /// The tables with the statements that distribute them, in their order.
    static let distributions: [(table: String, sql: String)] =
        ["stores", "migrations"].map { ($0, "SELECT create_reference_table('roost.\($0)')") }
        + [(first, "SELECT create_distributed_table('roost.\(first)', 'store', colocate_with => 'none')")]
        + (["commits"] + (Table.versioned + [.removals]).map(\.name)).map {
            (
                $0,
                "SELECT create_distributed_table('roost.\($0)', 'store', colocate_with => 'roost.\(first)')"
            )
        }
}
