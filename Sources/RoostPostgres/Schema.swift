/// The tables and their migrations. A migration is never changed after its release.
///
/// Every key and every index begins with the id of the store, so the tables can be distributed by it. Texts
/// are stored as `bytea`, because `text` cannot contain a NUL character. Names and values that users choose
/// can be long, so indexes contain their digests.
enum Schema {
    struct Migration: Sendable {
        let version: Int64
        /// The lowest version of the schema that a client must know to use a database with this migration.
        let minimumClient: Int64
        /// The statements, each of which is run outside of a transaction and can be repeated.
        let statements: [String]
    }

    static let version: Int64 = 1

    static let migrations = [
        Migration(version: 1, minimumClient: 1, statements: v1)
    ]

    /// Creates the table that the check of the version reads.
    static let preparation = [
        "CREATE SCHEMA IF NOT EXISTS roost",
        """
        CREATE TABLE IF NOT EXISTS roost.migrations (
            version int8 PRIMARY KEY, minimum_client int8 NOT NULL
        )
        """,
    ]

    static let hasMigrations = Statement("SELECT to_regclass('roost.migrations') IS NOT NULL", isKept: false)

    static let versions = Statement(
        "SELECT coalesce(max(version), 0), coalesce(max(minimum_client), 0) FROM roost.migrations",
        isKept: false)

    static func record(_ migration: Migration) -> Statement {
        Statement(
            """
            INSERT INTO roost.migrations (version, minimum_client) VALUES ($1::int8, $2::int8)
            ON CONFLICT DO NOTHING
            """, [Parameter(migration.version), Parameter(migration.minimumClient)], isKept: false)
    }

    /// Returns the object identifier of the type `vector`; NULL if the database does not have it.
    static let vectorType = Statement("SELECT to_regtype('vector')::oid::int8", isKept: false)

    /// Adds the type `vector` to the database. Databases with a built-in type do not need it.
    static let createVectorType = "CREATE EXTENSION IF NOT EXISTS vector"

    private static let validity = """
        added_revision int8 NOT NULL, removed_revision int8 NOT NULL DEFAULT \(Table.neverRemoved)
        """

    private static let v1 = [
        """
        CREATE TABLE IF NOT EXISTS roost.stores (name bytea PRIMARY KEY, store uuid NOT NULL, space bytea)
        """,
        """
        CREATE TABLE IF NOT EXISTS roost.heads (
            store uuid PRIMARY KEY, epoch uuid NOT NULL, revision int8 NOT NULL, horizon int8 NOT NULL,
            readable_from int8 NOT NULL, next_row int8 NOT NULL, next_position int8 NOT NULL,
            entries int8 NOT NULL, clusters int8 NOT NULL, vectors int8 NOT NULL, dimension int8 NOT NULL,
            clusters_revision int8 NOT NULL, clusters_ordinal int8 NOT NULL, run bytea,
            checksum int8 NOT NULL
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS roost.commits (
            store uuid NOT NULL, revision int8 NOT NULL, batch uuid NOT NULL,
            committed timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (store, revision)
        )
        """,
        "CREATE INDEX IF NOT EXISTS commits_batch ON roost.commits (store, batch)",
        """
        CREATE TABLE IF NOT EXISTS roost.entries (
            store uuid NOT NULL, row int8 NOT NULL, \(validity), ordinal int8 NOT NULL, id uuid NOT NULL,
            source bytea, key bytea, created int8 NOT NULL, updated int8 NOT NULL, digest bytea NOT NULL,
            fingerprint bytea NOT NULL, passages int8 NOT NULL, dimension int8 NOT NULL, location bytea,
            checksum int8 NOT NULL, content bytea NOT NULL, metadata bytea NOT NULL, tags bytea NOT NULL,
            structure bytea, body_checksum int8 NOT NULL, PRIMARY KEY (store, row, added_revision)
        )
        """,
        "CREATE INDEX IF NOT EXISTS entries_id ON roost.entries (store, id, added_revision)",
        "CREATE INDEX IF NOT EXISTS entries_digest ON roost.entries (store, digest)",
        "CREATE INDEX IF NOT EXISTS entries_change ON roost.entries (store, added_revision, ordinal)",
        """
        CREATE TABLE IF NOT EXISTS roost.vectors (
            store uuid NOT NULL, row int8 NOT NULL, \(validity), ordinal int8, embedding vector NOT NULL,
            checksum int8 NOT NULL, PRIMARY KEY (store, row, added_revision)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS roost.passages (
            store uuid NOT NULL, row int8 NOT NULL, ordinal int8 NOT NULL, \(validity),
            range_start int8 NOT NULL, range_end int8 NOT NULL, tokens int8 NOT NULL, embedding vector,
            checksum int8 NOT NULL, PRIMARY KEY (store, row, ordinal, added_revision)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS roost.attributes (
            store uuid NOT NULL, row int8 NOT NULL, name uuid NOT NULL, value uuid NOT NULL, \(validity),
            text bytea, number float8, integer_number int8,
            PRIMARY KEY (store, row, name, value, added_revision)
        )
        """,
        "CREATE INDEX IF NOT EXISTS attributes_value ON roost.attributes (store, name, value, row)",
        """
        CREATE TABLE IF NOT EXISTS roost.removals (
            store uuid NOT NULL, revision int8 NOT NULL, ordinal int8 NOT NULL, id uuid NOT NULL,
            removed int8 NOT NULL, checksum int8 NOT NULL, PRIMARY KEY (store, revision, ordinal)
        )
        """,
        "CREATE INDEX IF NOT EXISTS removals_id ON roost.removals (store, id, revision)",
        """
        CREATE TABLE IF NOT EXISTS roost.sources (
            store uuid NOT NULL, name uuid NOT NULL, \(validity), id bytea NOT NULL,
            fingerprint bytea NOT NULL, ingested int8 NOT NULL, checksum int8 NOT NULL,
            PRIMARY KEY (store, name, added_revision)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS roost.clusters (
            store uuid NOT NULL, position int8 NOT NULL, \(validity), id uuid NOT NULL,
            record bytea NOT NULL, centroid bytea NOT NULL, checksum int8 NOT NULL,
            PRIMARY KEY (store, position, added_revision)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS roost.assignments (
            store uuid NOT NULL, row int8 NOT NULL, \(validity), entry uuid NOT NULL, cluster uuid,
            outlier bytea, run uuid, similarity float8 NOT NULL, confidence float8 NOT NULL,
            checksum int8 NOT NULL, PRIMARY KEY (store, row, added_revision)
        )
        """,
        "CREATE INDEX IF NOT EXISTS assignments_entry ON roost.assignments (store, entry)",
        "CREATE INDEX IF NOT EXISTS assignments_cluster ON roost.assignments (store, cluster, row)",
    ]
}

/// The statements that distribute the tables over the servers of a Citus cluster.
///
/// Each store is on one server: the id of the store is the distribution column of all tables, whose parts are
/// on the same server (`colocate_with`). The lists of stores and of migrations are copied to all servers.
enum DistributionSQL {
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
