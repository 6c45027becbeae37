import Foundation
import RoostFiles
public import RoostModel

extension PostgresStorageProvider {
    public var workRecords: (any WorkRecords)? { PostgresWorkRecords(provider: self) }
}

/// Work records in the table `work`. A record is replaced by one statement, so readers see all of it.
private struct PostgresWorkRecords: WorkRecords {
    let provider: PostgresStorageProvider

    private var store: UUID { provider.store }

    func write(_ data: Data, as name: String) async throws {
        try WorkRecordLimits.check(data, name)
        let contents = [UInt8](data)
        let statement = WorkSQL.writing(
            store, Array(name.utf8), checksum: checksum(name, contents), contents)
        try await provider.withConnection { connection, limits in _ = try connection.run(statement, limits) }
    }

    func read(_ name: String) async throws -> Data? {
        let statement = WorkSQL.reading(store, Array(name.utf8))
        return try await provider.withConnection { connection, limits in
            guard let row = try connection.run(statement, limits).rows.first else { return nil }
            let contents = row.bytes(1)
            guard try row.int64(0) == checksum(name, contents) else {
                throw Stored.damaged("a work record whose checksum does not match")
            }
            return Data(contents)
        }
    }

    func names(withPrefix prefix: String) async throws -> [String] {
        let statement = WorkSQL.names(store, from: Array(prefix.utf8), before: Self.end(of: prefix))
        return try await provider.withConnection { connection, limits in
            try connection.run(statement, limits).rows.map { try $0.text(0) }
        }
    }

    func remove(withPrefix prefix: String) async throws {
        let statement = WorkSQL.removal(store, from: Array(prefix.utf8), before: Self.end(of: prefix))
        try await provider.withConnection { connection, limits in _ = try connection.run(statement, limits) }
    }

    /// Returns a name that follows all permitted names with a prefix: their bytes are below 0x7F.
    private static func end(of prefix: String) -> [UInt8] { Array(prefix.utf8) + [0x7F] }

    /// Returns a checksum that covers the store and the name too, so a copied row is detected.
    private func checksum(_ name: String, _ contents: [UInt8]) -> Int64 {
        let seed = Stored.checksumSeed(store)
        let named = Array(name.utf8).withUnsafeBytes { CRC32C.checksum($0, after: seed) }
        return Int64(contents.withUnsafeBytes { CRC32C.checksum($0, after: named) })
    }
}
