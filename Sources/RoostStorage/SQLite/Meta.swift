import Foundation
import GRDB
import RoostFiles
import RoostModel

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
