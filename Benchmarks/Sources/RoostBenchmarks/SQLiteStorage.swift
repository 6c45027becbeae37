import ArgumentParser
import CSQLite
import Foundation
import Roost

/// One commit of many entries beside the least that SQLite could do: a loop of prepared statements over the same tables and
/// indexes, with values that were made before, in one transaction.
struct SQLiteStorage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sqlite-storage", abstract: "One commit of 100,000 × 384 beside a bare loop over the same tables.")

    @Option var count = 100_000
    @Option var dimension = 384
    @Option(help: "How many times; the two take turns.") var rounds = 3

    func run() async throws {
        let vectors = Material.vectors(count, dimension)
        let entries = (0..<count).map { number in
            Entry(
                content: "entry number \(number) about swifts and what they do in the air", embeddings: vectors.row(number),
                source: "file:///notes/\(number / 50).md", key: "id:\(number)", metadata: ["year": .integer(Int64(2000 + number % 25))],
                tags: ["t\(number % 20)"])
        }
        var (ours, bare): ([Double], [Double]) = ([], [])
        for round in 1...rounds {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-bench-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = folder.appendingPathComponent("roost.sqlite")
            let store = try await SQLiteStorageProvider(databaseURL: url)
            try await store.copy(to: folder.appendingPathComponent("bare.sqlite"))
            var start = ContinuousClock.now
            _ = try await store.commit(WriteBatch(upserts: entries))
            ours.append(seconds(since: start))
            try await store.close()
            let rows = try Rows(reading: url.path)
            start = ContinuousClock.now
            try rows.write(to: folder.appendingPathComponent("bare.sqlite").path)
            bare.append(seconds(since: start))
            print(String(format: "round %d: commit %.2f s, bare loop %.2f s, ratio %.2f", round, ours[round - 1], bare[round - 1], ours[round - 1] / bare[round - 1]))
        }
        let ratio = ours.sorted()[rounds / 2] / bare.sorted()[rounds / 2]
        print(String(format: "%d × %d: %.0f entries/s, median ratio to the bare loop %.2f", count, dimension, Double(count) / ours.sorted()[rounds / 2], ratio))
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        let duration = ContinuousClock.now - start
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

/// Everything that the tables hold, ready to be bound.
private struct Rows {
    enum Value {
        case null
        case integer(Int64)
        case text([UInt8])
        case blob([UInt8])
    }

    struct Table {
        let name: String
        let columns: Int
        var rows: [[Value]] = []
    }

    var tables: [Table] = []

    init(reading path: String) throws {
        let database = try Self.open(path)
        defer { sqlite3_close(database) }
        for name in ["entries", "vectors", "entry_tags", "entry_metadata"] {
            let statement = try Self.prepare(database, "SELECT * FROM \(name)")
            defer { sqlite3_finalize(statement) }
            var table = Table(name: name, columns: Int(sqlite3_column_count(statement)))
            while sqlite3_step(statement) == SQLITE_ROW {
                table.rows.append(
                    (0..<Int32(table.columns)).map { column in
                        let bytes = { () -> [UInt8] in
                            let count = Int(sqlite3_column_bytes(statement, column))
                            guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
                            return Array(UnsafeRawBufferPointer(start: start, count: count))
                        }
                        return switch sqlite3_column_type(statement, column) {
                        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
                        case SQLITE_TEXT: .text(bytes())
                        case SQLITE_NULL: .null
                        default: .blob(bytes())
                        }
                    })
            }
            tables.append(table)
        }
    }

    func write(to path: String) throws {
        let database = try Self.open(path)
        defer { sqlite3_close(database) }
        for sql in ["PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=0", "PRAGMA foreign_keys=ON", "PRAGMA cache_size=-16000", "BEGIN IMMEDIATE"] {
            try Self.execute(database, sql)
        }
        let statements = try tables.map { table in
            let marks = Array(repeating: "?", count: table.columns).joined(separator: ",")
            return try Self.prepare(database, "INSERT INTO \(table.name) VALUES (\(marks))")
        }
        defer { for statement in statements { sqlite3_finalize(statement) } }
        // In the order of a commit: an entry, then its parts.
        for index in tables[0].rows.indices {
            for (table, statement) in zip(tables, statements) where index < table.rows.count {
                try Self.insert(table.rows[index], statement)
            }
        }
        try Self.execute(database, "COMMIT")
    }

    private static func insert(_ row: [Value], _ statement: OpaquePointer) throws {
        for (index, value) in row.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .null: sqlite3_bind_null(statement, place)
            case .integer(let number): sqlite3_bind_int64(statement, place, number)
            case .text(let bytes):
                _ = bytes.withUnsafeBytes {
                    sqlite3_bind_text(statement, place, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                }
            case .blob(let bytes):
                _ = bytes.withUnsafeBytes {
                    sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                }
            }
        }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw Failure(message: "a row was refused") }
        sqlite3_reset(statement)
    }

    struct Failure: Error { let message: String }

    private static func open(_ path: String) throws -> OpaquePointer {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK, let database else { throw Failure(message: "cannot open \(path)") }
        return database
    }

    private static func prepare(_ database: OpaquePointer, _ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw Failure(message: "\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
        return statement
    }

    private static func execute(_ database: OpaquePointer, _ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: "\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
    }
}
