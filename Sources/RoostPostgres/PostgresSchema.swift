import Foundation
import RoostModel

/// The tables. A later version of the schema adds statements that change the tables of this version.
///
/// Every key and every index begins with the id of the store, so the tables can be distributed by it. Texts
/// are stored as `bytea`, because `text` cannot contain a NUL character. Names and values that users choose
/// can be long, so indexes contain their digests.
enum Schema {
    static let version: Int64 = 1
    /// The lowest version of the schema that a client must know to use a database with this version.
    private static let minimumClient: Int64 = 1

    static let hasMigrations = Statement("SELECT to_regclass('roost.migrations') IS NOT NULL", isKept: false)

    static let versions = Statement(
        "SELECT coalesce(max(version), 0), coalesce(max(minimum_client), 0) FROM roost.migrations",
        isKept: false)

    /// Returns the object identifier of the type `vector`, NULL if the database does not have it, and whether the
    /// database belongs to a Citus cluster.
    static let features = Statement(
        "SELECT to_regtype('vector')::oid::int8, to_regproc('create_distributed_table') IS NOT NULL",
        isKept: false)

    /// Adds the type `vector` to the database. Databases with a built-in type do not need it.
    static let createVectorType = "CREATE EXTENSION IF NOT EXISTS vector"

    /// The statements that create the tables, each of which is run outside of a transaction and can be repeated.
    static let tables =
        [
            "CREATE SCHEMA IF NOT EXISTS roost",
            // The check of the version reads this table.
            """
            CREATE TABLE IF NOT EXISTS roost.migrations (
                version int8 PRIMARY KEY, minimum_client int8 NOT NULL
            )
            """,
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
        ] + (Table.versioned + [.removals]).map(\.definition)
        + [
            ("commits_batch", "commits (store, batch)"),
            ("entries_id", "entries (store, id, added_revision)"),
            ("entries_digest", "entries (store, digest)"),
            ("entries_change", "entries (store, added_revision, ordinal)"),
            ("attributes_value", "attributes (store, name, value, row)"),
            ("removals_id", "removals (store, id, revision)"),
            ("assignments_entry", "assignments (store, entry)"),
            ("assignments_cluster", "assignments (store, cluster, row)"),
        ].map { "CREATE INDEX IF NOT EXISTS \($0) ON roost.\($1)" }

    /// Records the version after its tables were created.
    static let record = Statement(
        "INSERT INTO roost.migrations VALUES ($1::int8, $2::int8) ON CONFLICT DO NOTHING",
        [Parameter(version), Parameter(minimumClient)], isKept: false)
}

/// The statements that distribute the tables over the servers of a Citus cluster.
///
/// Each store is on one server: the id of the store is the distribution column of all tables, whose parts are
/// on the same server (`colocate_with`). The lists of stores and of migrations are copied to all servers.
enum DistributionSQL {
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

/// A table with the columns that are inserted, in this order. The first column is always the id of the store.
///
/// `checksum` covers the columns before it; `body_checksum` also covers those after `checksum`.
struct Table: Sendable {
    struct Column: Sendable {
        let name: String
        let type: ColumnType
    }

    let name: String
    let columns: [Column]
    /// The primary key after the id of the store.
    private let key: String
    /// The columns that can be NULL.
    private let optional: Set<String>

    private init(
        _ name: String, _ columns: KeyValuePairs<String, ColumnType>, key: String, optional: Set<String> = []
    ) {
        (self.name, self.key, self.optional) = (name, key, optional)
        self.columns = columns.map { Column(name: $0.key, type: $0.value) }
    }

    fileprivate var definition: String {
        let columns = columns.map { column in
            "\(column.name) \(column.type.rawValue)\(optional.contains(column.name) ? "" : " NOT NULL"), "
        }
        let removal =
            name == Self.removals.name
            ? "" : "removed_revision int8 NOT NULL DEFAULT \(Self.neverRemoved), "
        return "CREATE TABLE IF NOT EXISTS roost.\(name) (\(columns.joined())\(removal)"
            + "PRIMARY KEY (store, \(key)))"
    }

    static let entries = Table(
        "entries",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "ordinal": .int8, "id": .uuid,
            "source": .bytea, "key": .bytea, "created": .int8, "updated": .int8, "digest": .bytea,
            "fingerprint": .bytea, "passages": .int8, "dimension": .int8, "location": .bytea,
            "checksum": .int8, "content": .bytea, "metadata": .bytea, "tags": .bytea,
            "structure": .bytea, "body_checksum": .int8,
        ], key: "row, added_revision", optional: ["source", "key", "location", "structure"])
    static let vectors = Table(
        "vectors",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "ordinal": .int8, "embedding": .vector,
            "checksum": .int8,
        ], key: "row, added_revision", optional: ["ordinal"])
    static let passages = Table(
        "passages",
        [
            "store": .uuid, "row": .int8, "ordinal": .int8, "added_revision": .int8, "range_start": .int8,
            "range_end": .int8, "tokens": .int8, "embedding": .vector, "checksum": .int8,
        ], key: "row, ordinal, added_revision", optional: ["embedding"])
    static let attributes = Table(
        "attributes",
        [
            "store": .uuid, "row": .int8, "name": .uuid, "value": .uuid, "added_revision": .int8,
            "text": .bytea, "number": .float8, "integer_number": .int8,
        ], key: "row, name, value, added_revision", optional: ["text", "number", "integer_number"])
    static let removals = Table(
        "removals",
        [
            "store": .uuid, "revision": .int8, "ordinal": .int8, "id": .uuid, "removed": .int8,
            "checksum": .int8,
        ], key: "revision, ordinal")
    static let sources = Table(
        "sources",
        [
            "store": .uuid, "name": .uuid, "added_revision": .int8, "id": .bytea, "fingerprint": .bytea,
            "ingested": .int8, "checksum": .int8,
        ], key: "name, added_revision")
    static let clusters = Table(
        "clusters",
        [
            "store": .uuid, "position": .int8, "added_revision": .int8, "id": .uuid, "record": .bytea,
            "centroid": .bytea, "checksum": .int8,
        ], key: "position, added_revision")
    static let assignments = Table(
        "assignments",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "entry": .uuid, "cluster": .uuid,
            "outlier": .bytea, "run": .uuid, "similarity": .float8, "confidence": .float8, "checksum": .int8,
        ], key: "row, added_revision", optional: ["cluster", "outlier", "run"])

    /// The tables whose rows are valid from `added_revision` until before `removed_revision`.
    static let versioned = [entries, vectors, passages, attributes, sources, clusters, assignments]

    /// The number of `removed_revision` in rows that are still valid.
    static let neverRemoved = Int64.max

    /// Returns the columns after the id of the store, each with an alias of the table.
    func selection(_ alias: String) -> String {
        columns.dropFirst().map { "\(alias).\($0.name)" }.joined(separator: ", ")
    }
}

enum TableSQL {
    /// Returns an SQL condition that is true for the rows that are valid at a revision.
    static func isValid(_ alias: String) -> String {
        "\(alias).added_revision <= $2::int8 AND \(alias).removed_revision > $2::int8"
    }

    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")

    /// It skips a table whose index another client builds: waiting for its lock would be a deadlock, because the
    /// build waits for the snapshots of all others, and the server would end the build.
    static let analysis = Statement(
        "ANALYZE (SKIP_LOCKED) "
            + (Table.versioned + [.removals]).map { "roost.\($0.name)" }.joined(separator: ", "),
        isKept: false)
}
