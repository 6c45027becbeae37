import Foundation
import GRDB
import RoostFiles
import RoostModel

/// The store's own numbers: one row each in `meta`, with a checksum over all of them.
struct Meta {
    /// The version of the schema.
    let format: String
    let store: UUID
    var epoch: UUID
    var revision: Revision
    /// How many entries there are; `nil` where whoever wrote last kept no count, and they are to be counted.
    var entryCount: Int?
    /// Removals up to here have been forgotten.
    var horizon: Revision
    var clustersRevision: Revision
    var clustersOrdinal: UInt32
    /// The run that made the clusters, as JSON.
    var runRecord: Data?

    /// - Throws: ``StorageError`` with `.damaged` where a row is missing or not as it was written.
    init(_ database: Database) throws {
        let values = try Self.values(database)
        guard values["checksum"].flatMap(Int64.fromDatabaseValue) == Int64(Self.checksum(values)) else {
            throw Column.damaged("numbers of its own that are not as they were written")
        }
        func value<Value: DatabaseValueConvertible>(_ key: String, _ type: Value.Type) throws -> Value {
            guard let value = values[key].flatMap(Value.fromDatabaseValue) else {
                throw Column.damaged("no \(key)")
            }
            return value
        }
        func uuid(_ key: String) throws -> UUID {
            guard let uuid = UUID(uuidString: try value(key, String.self)) else {
                throw Column.damaged("no \(key)")
            }
            return uuid
        }
        func revision(_ key: String) throws -> Revision {
            guard let number = UInt64(exactly: try value(key, Int64.self)) else {
                throw Column.damaged("a \(key) below zero")
            }
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
        // Older versions of Roost leave both rows as they are, and go on to another revision.
        let counted = values["entries_revision"].flatMap(Int64.fromDatabaseValue)
        if counted == Int64(bitPattern: self.revision.rawValue) {
            entryCount = values["entries"].flatMap(Int.fromDatabaseValue)
        }
    }

    /// - Complexity: O(1) where a count is kept, otherwise O(entries).
    func countEntries(_ database: Database) throws -> Int {
        try entryCount ?? Int.fetchOne(database, sql: "SELECT count(*) FROM entries") ?? 0
    }

    func run() throws -> ClusteringRun? {
        try runRecord.map { try Column.value(ClusteringRun.self, $0) }
    }

    /// Writes what may have changed.
    func save(_ database: Database) throws {
        let values: [(String, (any DatabaseValueConvertible)?)] = [
            ("epoch", epoch.uuidString), ("revision", Int64(bitPattern: revision.rawValue)),
            ("horizon", Int64(bitPattern: horizon.rawValue)),
            ("clusters_revision", Int64(bitPattern: clustersRevision.rawValue)),
            ("clusters_ordinal", Int64(clustersOrdinal)), ("run", runRecord),
            ("entries", try countEntries(database)),
            ("entries_revision", Int64(bitPattern: revision.rawValue)),
        ]
        let statement = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)")
        for (key, value) in values { try statement.execute(arguments: [key, value]) }
        try Self.seal(database)
    }

    /// Writes the checksum of what is there.
    static func seal(_ database: Database) throws {
        let checksum = Int64(checksum(try values(database)))
        try database.cachedStatement(sql: "UPDATE meta SET value = ? WHERE key = 'checksum'")
            .execute(arguments: [checksum])
    }

    private static func values(_ database: Database) throws -> [String: DatabaseValue] {
        let statement = try database.cachedStatement(sql: "SELECT key, value FROM meta")
        return Dictionary(
            try Row.fetchAll(statement).map { (try $0.value(0) as String, $0[1] as DatabaseValue) }
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
