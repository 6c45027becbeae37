import Foundation
import RoostModel

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

    private init(_ name: String, _ columns: KeyValuePairs<String, ColumnType>) {
        self.name = name
        self.columns = columns.map { Column(name: $0.key, type: $0.value) }
    }

    static let entries = Table(
        "entries",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "ordinal": .int8, "id": .uuid,
            "source": .bytea, "key": .bytea, "created": .int8, "updated": .int8, "digest": .bytea,
            "fingerprint": .bytea, "passages": .int8, "dimension": .int8, "location": .bytea,
            "checksum": .int8, "content": .bytea, "metadata": .bytea, "tags": .bytea,
            "structure": .bytea, "body_checksum": .int8,
        ])
    static let vectors = Table(
        "vectors",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "ordinal": .int8, "embedding": .vector,
            "checksum": .int8,
        ])
    static let passages = Table(
        "passages",
        [
            "store": .uuid, "row": .int8, "ordinal": .int8, "added_revision": .int8, "range_start": .int8,
            "range_end": .int8, "tokens": .int8, "embedding": .vector, "checksum": .int8,
        ])
    static let attributes = Table(
        "attributes",
        [
            "store": .uuid, "row": .int8, "name": .uuid, "value": .uuid, "added_revision": .int8,
            "text": .bytea, "number": .float8, "integer_number": .int8,
        ])
    static let removals = Table(
        "removals",
        [
            "store": .uuid, "revision": .int8, "ordinal": .int8, "id": .uuid, "removed": .int8,
            "checksum": .int8,
        ])
    static let sources = Table(
        "sources",
        [
            "store": .uuid, "name": .uuid, "added_revision": .int8, "id": .bytea, "fingerprint": .bytea,
            "ingested": .int8, "checksum": .int8,
        ])
    static let clusters = Table(
        "clusters",
        [
            "store": .uuid, "position": .int8, "added_revision": .int8, "id": .uuid, "record": .bytea,
            "centroid": .bytea, "checksum": .int8,
        ])
    static let assignments = Table(
        "assignments",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "entry": .uuid, "cluster": .uuid,
            "outlier": .bytea, "run": .uuid, "similarity": .float8, "confidence": .float8, "checksum": .int8,
        ])

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
    /// Returns the statement that inserts rows, which are given as one array per column.
    static func insertion(_ table: Table) -> String {
        let names = table.columns.map(\.name).joined(separator: ", ")
        let arrays = table.columns.enumerated().map { "$\($0.offset + 1)::\($0.element.type.rawValue)[]" }
        return """
            INSERT INTO roost.\(table.name) (\(names))
            SELECT * FROM unnest(\(arrays.joined(separator: ", ")))
            """
    }

    /// - Parameter revision: The first revision at which the rows are no longer valid.
    static func ending(
        _ table: Table, by key: String, _ values: Parameter, as type: ColumnType, store: UUID,
        at revision: Int64
    ) -> Statement {
        Statement(
            """
            UPDATE roost.\(table.name) SET removed_revision = $2::int8
            WHERE store = $1::uuid AND \(key) = ANY($3::\(type.rawValue)[])
                AND removed_revision = \(Table.neverRemoved)
            """, [Parameter(store), Parameter(revision), values])
    }

    /// Returns an SQL condition that is true for the rows that are valid at a revision.
    static func isValid(_ alias: String) -> String {
        "\(alias).added_revision <= $2::int8 AND \(alias).removed_revision > $2::int8"
    }

    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")

    /// Records a commit, so a commit whose response was lost is recognized.
    static func recordCommit(store: UUID, revision: Int64, batch: UUID) -> Statement {
        Statement(
            "INSERT INTO roost.commits (store, revision, batch) VALUES ($1::uuid, $2::int8, $3::uuid)",
            [Parameter(store), Parameter(revision), Parameter(batch)])
    }

    static func findCommit(store: UUID, batch: UUID) -> Statement {
        Statement(
            "SELECT revision FROM roost.commits WHERE store = $1::uuid AND batch = $2::uuid",
            [Parameter(store), Parameter(batch)])
    }

    static func batch(of revision: Revision, store: UUID) -> Statement {
        Statement(
            "SELECT batch FROM roost.commits WHERE store = $1::uuid AND revision = $2::int8",
            [Parameter(store), Parameter(Int64(revision.rawValue))])
    }

    static let analysis = Statement(
        "ANALYZE " + (Table.versioned + [.removals]).map { "roost.\($0.name)" }.joined(separator: ", "),
        isKept: false)

    // MARK: Compaction

    /// Returns the latest revision that was committed longer ago than a number of seconds; NULL if there is
    /// none.
    static func revision(store: UUID, olderThan seconds: Double) -> Statement {
        Statement(
            """
            SELECT max(revision) FROM roost.commits
            WHERE store = $1::uuid AND committed < now() - $2::float8 * interval '1 second'
            """, [Parameter(store), Parameter(seconds)])
    }

    /// Deletes the rows that no readable snapshot contains.
    static func deleteVersions(_ table: Table, store: UUID, upTo revision: Int64) -> Statement {
        Statement(
            "DELETE FROM roost.\(table.name) WHERE store = $1::uuid AND removed_revision <= $2::int8",
            [Parameter(store), Parameter(revision)])
    }

    /// Deletes the records of commits up to a revision, except recent ones.
    static func deleteCommits(store: UUID, upTo revision: Int64, olderThan seconds: Double) -> Statement {
        Statement(
            """
            DELETE FROM roost.commits WHERE store = $1::uuid AND revision < $2::int8
                AND committed < now() - $3::float8 * interval '1 second'
            """, [Parameter(store), Parameter(revision), Parameter(seconds)])
    }

    /// Returns the revision of the latest removal before a date; NULL if nothing was removed.
    static func lastRemoval(store: UUID, before date: Date) -> Statement {
        Statement(
            "SELECT max(revision) FROM roost.removals WHERE store = $1::uuid AND removed < $2::int8",
            [Parameter(store), Parameter(date.milliseconds)])
    }

    static func deleteRemovals(store: UUID, upTo revision: Int64) -> Statement {
        Statement(
            "DELETE FROM roost.removals WHERE store = $1::uuid AND revision <= $2::int8",
            [Parameter(store), Parameter(revision)])
    }
}
