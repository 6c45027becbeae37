import Foundation
import GRDB
import RoostFiles
import RoostModel

/// The tables of a database.
///
/// Names that users provide (sources, keys, tags, labels, metadata) are stored as BLOBs in UTF-8, because
/// many SQLite functions treat a NUL character as the end of a text. The content of an entry is stored as
/// TEXT so that other tools can search it.
enum Schema {
    static let format = 1

    /// Returns whether a database has the tables of Roost. A new one has none.
    static func isComplete(_ database: Database, path: String) throws -> Bool {
        guard try database.tableExists("meta") else { return false }
        let text = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'format'")
        // `Meta` reports a damaged number.
        if let found = text.flatMap({ Int($0) }), found > format {
            throw StorageError.newerFormat(found, of: path, supported: format)
        }
        return true
    }

    /// Creates the tables in one transaction, unless the database has them.
    static func create(in pool: DatabasePool, path: String) throws {
        try pool.write { database in
            guard try !isComplete(database, path: path) else { return }
            try database.execute(sql: tables)
            let id = UUID().uuidString
            let values: [(String, any DatabaseValueConvertible)] = [
                ("store", id), ("epoch", id), ("revision", 0), ("horizon", 0), ("entries", 0),
                ("clusters_revision", 0), ("clusters_ordinal", 0), ("checksum", 0), ("format", "\(format)"),
            ]
            for (key, value) in values {
                try database.execute(
                    sql: "INSERT INTO meta(key, value) VALUES (?, ?)", arguments: [key, value])
            }
            try Meta.seal(database)
        }
    }

    private static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
        CREATE TABLE entries (
            row INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            content TEXT NOT NULL,
            source BLOB, key BLOB,
            metadata BLOB NOT NULL, tags BLOB NOT NULL, structure BLOB,
            created INTEGER NOT NULL, updated INTEGER NOT NULL,
            digest BLOB NOT NULL,
            revision INTEGER NOT NULL, ordinal INTEGER NOT NULL,
            -- The numbers of passages and vector components reveal a missing row, which a checksum cannot do.
            passages INTEGER NOT NULL, dimension INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        );
        CREATE INDEX entries_change ON entries(revision, ordinal);
        CREATE INDEX entries_source ON entries(source) WHERE source IS NOT NULL;
        CREATE INDEX entries_digest ON entries(digest);
        CREATE TABLE vectors (
            row INTEGER PRIMARY KEY REFERENCES entries(row) ON DELETE CASCADE,
            embedding BLOB NOT NULL, checksum INTEGER NOT NULL
        );
        CREATE TABLE passages (
            row INTEGER NOT NULL REFERENCES entries(row) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, tokens INTEGER NOT NULL,
            vector BLOB, checksum INTEGER NOT NULL,
            UNIQUE (row, ordinal)
        );
        CREATE TABLE locations (
            row INTEGER PRIMARY KEY REFERENCES entries(row) ON DELETE CASCADE,
            line INTEGER, last_line INTEGER, page INTEGER, headings BLOB NOT NULL,
            checksum INTEGER NOT NULL
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
            removed INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX tombstones_change ON tombstones(revision, ordinal);
        CREATE TABLE sources (
            id BLOB PRIMARY KEY NOT NULL, fingerprint BLOB NOT NULL, ingested INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE clusters (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE, record BLOB NOT NULL, centroid BLOB NOT NULL,
            checksum INTEGER NOT NULL
        );
        CREATE TABLE assignments (
            row INTEGER PRIMARY KEY REFERENCES entries(row) ON DELETE CASCADE,
            cluster BLOB, outlier TEXT, run BLOB, similarity REAL NOT NULL, confidence REAL NOT NULL,
            checksum INTEGER NOT NULL
        );
        CREATE INDEX assignments_cluster ON assignments(cluster);
        """
}

/// The properties of the store itself. The table `meta` has one row for each property, and one for their
/// checksum.
struct Meta {
    let format: String
    var store: UUID
    var epoch: UUID
    var revision: Revision
    var entryCount: Int
    /// The revision up to which tombstones have been deleted.
    var horizon: Revision
    var clustersRevision: Revision
    var clustersOrdinal: UInt32
    /// The clustering run that created the clusters, encoded as JSON.
    var runRecord: Data?

    init(_ database: Database) throws {
        let values = try Self.values(database)
        guard values["checksum"].flatMap(Int64.fromDatabaseValue) == Int64(Self.checksum(values)) else {
            throw Column.damaged("a table meta whose checksum does not match")
        }
        func value<Value: DatabaseValueConvertible>(_ key: String, _ type: Value.Type) throws -> Value {
            guard let value = values[key].flatMap(Value.fromDatabaseValue) else {
                throw Column.damaged("no valid \(key) in the table meta")
            }
            return value
        }
        func uuid(_ key: String) throws -> UUID {
            guard let uuid = UUID(uuidString: try value(key, String.self)) else {
                throw Column.damaged("no valid \(key) in the table meta")
            }
            return uuid
        }
        func revision(_ key: String) throws -> Revision {
            guard let number = UInt64(exactly: try value(key, Int64.self)),
                Revision(rawValue: number) <= .maximum
            else { throw Column.damaged("a \(key) in the table meta that is out of range") }
            return Revision(rawValue: number)
        }
        format = try value("format", String.self)
        store = try uuid("store")
        epoch = try uuid("epoch")
        self.revision = try revision("revision")
        horizon = try revision("horizon")
        clustersRevision = try revision("clusters_revision")
        clustersOrdinal = UInt32(clamping: try value("clusters_ordinal", Int64.self))
        runRecord = values["run"].flatMap(Data.fromDatabaseValue)
        entryCount = try value("entries", Int.self)
        // Rows have 32-bit numbers.
        guard (0...Int(UInt32.max)).contains(entryCount) else {
            throw Column.damaged("a number of entries in the table meta that is out of range")
        }
    }

    static func countEntries(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM entries") ?? 0
    }

    func run() throws -> ClusteringRun? {
        try runRecord.map { try Column.value(ClusteringRun.self, $0) }
    }

    func save(_ database: Database) throws {
        let values: [(String, (any DatabaseValueConvertible)?)] = [
            ("store", store.uuidString), ("epoch", epoch.uuidString),
            ("revision", Int64(bitPattern: revision.rawValue)),
            ("horizon", Int64(bitPattern: horizon.rawValue)),
            ("clusters_revision", Int64(bitPattern: clustersRevision.rawValue)),
            ("clusters_ordinal", Int64(clustersOrdinal)), ("run", runRecord),
            ("entries", entryCount),
        ]
        let statement = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)")
        for (key, value) in values { try statement.execute(arguments: [key, value]) }
        try Self.seal(database)
    }

    static func seal(_ database: Database) throws {
        let checksum = Int64(checksum(try values(database)))
        try database.cachedStatement(sql: "UPDATE meta SET value = ? WHERE key = 'checksum'")
            .execute(arguments: [checksum])
    }

    private static func values(_ database: Database) throws -> [String: DatabaseValue] {
        let statement = try database.cachedStatement(sql: "SELECT key, value FROM meta")
        return Dictionary(
            try Row.fetchAll(statement).map {
                (try $0.decode(String.self, atIndex: 0), $0[1] as DatabaseValue)
            }
        ) { first, _ in first }
    }

    private static func checksum(_ values: [String: DatabaseValue]) -> UInt32 {
        var crc: UInt32 = 0
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where key != "checksum" {
            let text: Data =
                switch value.storage {
                case .null: Data()
                case .int64(let number): Data("\(number)".utf8)
                case .double(let number): Data("\(number)".utf8)
                case .string(let text): Data(text.utf8)
                case .blob(let data): data
                }
            for part in [Data(key.utf8), text] {
                var bytes = Data("\(part.count):".utf8)
                bytes += part
                crc = bytes.withUnsafeBytes { CRC32C.checksum($0, after: crc) }
            }
        }
        return crc
    }
}
