import Foundation
import GRDB
import RoostModel

/// The tables and their migrations. A migration is never changed after its release.
///
/// Names that users provide (sources, keys, tags, labels, metadata) are stored as BLOBs in UTF-8, because
/// many SQLite functions treat a NUL character as the end of a text. The content of an entry is stored as
/// TEXT so that other tools can search it.
enum Schema {
    /// The format version that is stored in `meta` after the last migration.
    static let format = "5"
    /// The first migration that is applied only to databases whose pages have checksums.
    static let firstWithPageChecksums = "v4"

    static var migrator: DatabaseMigrator { migrator(DatabaseMigrator()) }

    /// The same migrations for a copy of a damaged database, in which rows can refer to rows that are lost.
    static var migratorOfDamaged: DatabaseMigrator {
        migrator(DatabaseMigrator().disablingDeferredForeignKeyChecks())
    }

    private static func migrator(_ empty: DatabaseMigrator) -> DatabaseMigrator {
        var migrator = empty
        migrator.registerMigration("v1") { database in
            try database.execute(sql: v1)
            for (key, value) in [("format", "1"), ("store", UUID().uuidString), ("epoch", UUID().uuidString)]
            {
                try database.execute(
                    sql: "INSERT INTO meta(key, value) VALUES (?, ?)", arguments: [key, value])
            }
            for key in ["revision", "horizon", "clusters_revision", "clusters_ordinal"] {
                try database.execute(sql: "INSERT INTO meta(key, value) VALUES (?, 0)", arguments: [key])
            }
        }
        migrator.registerMigration("v2") { database in
            // The recorded numbers of passages and vector components reveal a missing row, which a checksum
            // cannot do.
            try database.execute(
                sql: """
                    ALTER TABLE entries ADD COLUMN passages INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE entries ADD COLUMN dimension INTEGER NOT NULL DEFAULT 0;
                    UPDATE entries SET
                        passages = (SELECT count(*) FROM passages p WHERE p.row = entries.row),
                        dimension = coalesce(
                            (SELECT length(embedding) / 4 FROM vectors v WHERE v.row = entries.row), 0);
                    """)
            for table in Checksum.tables where table.firstFormat <= 2 {
                try database.execute(sql: "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER")
                try database.execute(
                    sql: "UPDATE \(table.name) SET checksum = \(table.value(of: table.name))")
            }
            try database.execute(sql: "UPDATE meta SET value = '2' WHERE key = 'format'")
            try database.execute(sql: "INSERT INTO meta(key, value) VALUES ('checksum', 0)")
            try Meta.seal(database)
        }
        migrator.registerMigration("v3") { database in
            // Locations have a separate table, so that this migration does not rewrite the entries.
            try database.execute(sql: v3)
            try database.execute(sql: "UPDATE meta SET value = '3' WHERE key = 'format'")
            try Meta.seal(database)
        }
        migrator.registerMigration("v4") { database in
            // The pages have checksums; `SQLiteStorageProvider.prepared` adds them before this migration. An
            // older version of Roost would write pages without them, so it must refuse the database.
            try database.execute(sql: "UPDATE meta SET value = '4' WHERE key = 'format'")
            try Meta.seal(database)
        }
        migrator.registerMigration("v5") { database in
            // An older version would write no rows for arrays, so it must refuse the database.
            try addArrayElements(database)
            try database.execute(sql: "UPDATE meta SET value = '5' WHERE key = 'format'")
            try Meta.seal(database)
        }
        return migrator
    }

    /// Adds the elements of arrays to the table with which filters find metadata.
    private static func addArrayElements(_ database: Database) throws {
        // Only entries with a bracket in their metadata can have arrays.
        let rows = try Row.fetchCursor(
            database, sql: "SELECT row, metadata FROM entries WHERE instr(metadata, x'5B') > 0")
        let insertion = try database.makeStatement(
            sql: "INSERT OR IGNORE INTO entry_metadata(key, text, row) VALUES (?, ?, ?)")
        while let row = try rows.next() {
            let number: Int64 = try row.value(0)
            let metadata = try Column.metadata(try row.value(1))
            for case (let key, .array(let values)) in metadata {
                for text in values.compactMap(\.text) {
                    try insertion.execute(arguments: [Column.bytes(key), Column.bytes(text), number])
                }
            }
        }
    }

    private static let v3 = """
        CREATE TABLE locations (
            row INTEGER PRIMARY KEY REFERENCES entries(row) ON DELETE CASCADE,
            line INTEGER, last_line INTEGER, page INTEGER, headings BLOB NOT NULL,
            checksum INTEGER NOT NULL
        );
        """

    private static let v1 = """
        CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
        CREATE TABLE entries (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            content TEXT NOT NULL,
            source BLOB, key BLOB,
            metadata BLOB NOT NULL, tags BLOB NOT NULL,
            created INTEGER NOT NULL, updated INTEGER NOT NULL,
            digest BLOB NOT NULL,
            revision INTEGER NOT NULL, ordinal INTEGER NOT NULL
        );
        CREATE INDEX entries_change ON entries(revision, ordinal);
        CREATE INDEX entries_source ON entries(source) WHERE source IS NOT NULL;
        CREATE INDEX entries_digest ON entries(digest);
        CREATE TABLE vectors (
            row INTEGER PRIMARY KEY REFERENCES entries(row) ON DELETE CASCADE,
            embedding BLOB NOT NULL
        );
        CREATE TABLE passages (
            row INTEGER NOT NULL REFERENCES entries(row) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, tokens INTEGER NOT NULL,
            vector BLOB,
            UNIQUE (row, ordinal)
        );
        CREATE TABLE entry_tags (
            tag BLOB NOT NULL, row INTEGER NOT NULL REFERENCES entries(row) ON DELETE CASCADE,
            PRIMARY KEY (tag, row)
        ) WITHOUT ROWID;
        CREATE INDEX entry_tags_row ON entry_tags(row);
        CREATE TABLE entry_metadata (
            key BLOB NOT NULL, text BLOB NOT NULL,
            row INTEGER NOT NULL REFERENCES entries(row) ON DELETE CASCADE,
            PRIMARY KEY (key, text, row)
        ) WITHOUT ROWID;
        CREATE INDEX entry_metadata_row ON entry_metadata(row);
        CREATE TABLE tombstones (
            id BLOB PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, ordinal INTEGER NOT NULL,
            removed INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX tombstones_change ON tombstones(revision, ordinal);
        CREATE TABLE sources (
            id BLOB PRIMARY KEY NOT NULL, fingerprint BLOB NOT NULL, ingested INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE clusters (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE, record BLOB NOT NULL, centroid BLOB NOT NULL
        );
        CREATE TABLE assignments (
            row INTEGER PRIMARY KEY REFERENCES entries(row) ON DELETE CASCADE,
            cluster BLOB, outlier TEXT, run BLOB, similarity REAL NOT NULL, confidence REAL NOT NULL
        );
        CREATE INDEX assignments_cluster ON assignments(cluster);
        """
}
