import Foundation
import GRDB
import RoostModel

/// An SQLite database of another program, whose contents are imported.
protocol ImportedDatabase {
    /// The database file.
    var url: URL { get }
}

extension ImportedDatabase {
    func failure(_ fault: String) -> StorageError {
        StorageError(.invalidBatch, "cannot import \(url.path): \(fault)")
    }

    /// Checks that everything that is read is a table without computed columns. A view or a computed column
    /// of a hostile file could produce rows and values without end.
    ///
    /// - Throws: `StorageError` with `.invalidBatch`.
    func checkTables(_ required: [String], optional: [String] = [], _ database: Database) throws {
        for name in required where try !database.tableExists(name) {
            throw failure("the table \(name) is missing")
        }
        for name in required + optional {
            let computed = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden <> 0",
                arguments: [name])
            guard computed == 0 else { throw failure("the table \(name) has computed columns") }
        }
    }

    /// Reads the database without changing it. Functions in its schema are not called, because they can come
    /// from a hostile file.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: url.path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read(body)
    }
}
