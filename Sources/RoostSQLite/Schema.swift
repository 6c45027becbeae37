import Foundation
import GRDB
import RoostModel

/// The tables, and how older ones become newer ones. A migration that has been released is never changed.
///
/// Names that users give (sources, keys, tags, labels, metadata) are UTF-8 in BLOBs, since SQLite's text
/// ends at a NUL for many of its functions; an entry's content is TEXT, so that other tools can search it.
enum Schema {

    /// What `meta` says after the last migration.
    static let format = "2"

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
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
            // How many passages and numbers an entry has: that one is missing shows in no row of its own.
            try database.execute(
                sql: """
                    ALTER TABLE entries ADD COLUMN passages INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE entries ADD COLUMN dimension INTEGER NOT NULL DEFAULT 0;
                    UPDATE entries SET
                        passages = (SELECT count(*) FROM passages p WHERE p.row = entries.row),
                        dimension = coalesce(
                            (SELECT length(embedding) / 4 FROM vectors v WHERE v.row = entries.row), 0);
                    """)
            for table in Checksum.tables {
                try database.execute(sql: "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER")
                try database.execute(
                    sql: "UPDATE \(table.name) SET checksum = \(table.value(of: table.name))")
            }
            try database.execute(sql: "UPDATE meta SET value = '2' WHERE key = 'format'")
            try database.execute(sql: "INSERT INTO meta(key, value) VALUES ('checksum', 0)")
            try Meta.seal(database)
        }
        return migrator
    }

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

/// How values lie in columns.
enum Column {
    static func bytes(_ id: UUID) -> Data { withUnsafeBytes(of: id.uuid) { Data($0) } }

    static func bytes(_ text: String) -> Data { Data(text.utf8) }

    /// As SQLite's `hex` writes it.
    static func hexadecimal(_ bytes: Data) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Little-endian Float32.
    static func bytes(_ vector: [Float]) -> Data {
        #if _endian(little)
            vector.withUnsafeBytes { Data($0) }
        #else
            vector.map { $0.bitPattern.littleEndian }.withUnsafeBytes { Data($0) }
        #endif
    }

    static func uuid(_ data: Data) throws -> UUID {
        guard data.count == 16 else { throw damaged("an id of \(data.count) bytes") }
        return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    static func row(_ number: Int64) throws -> UInt32 {
        guard let row = UInt32(exactly: number) else { throw damaged("an entry in row \(number)") }
        return row
    }

    static func text(_ data: Data) throws -> String {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw damaged("a text that is not UTF-8")
        }
        return text
    }

    static func vector(_ data: Data) throws -> [Float] {
        var vector: [Float] = []
        try append(data, to: &vector)
        return vector
    }

    /// Appends the numbers of a vector's bytes.
    static func append(_ data: Data, to vector: inout [Float]) throws {
        guard data.count % 4 == 0 else { throw damaged("a vector of \(data.count) bytes") }
        data.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                vector.append(Float(bitPattern: bits))
            }
        }
    }

    static func json(_ value: MetadataValue) -> Data {
        var text: [UInt8] = []
        text.append(metadata: value)
        return Data(text)
    }

    static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static func value<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw damaged("a \(type) that cannot be read")
        }
    }

    static func damaged(_ what: String) -> StorageError {
        StorageError(.damaged, "the database has \(what); `roost doctor` tells what can be recovered")
    }
}
