import CRoostSQLite

/// The rows of the tables of a store, ready to be bound to statements.
struct TableRows {
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
                            guard count > 0, let start = sqlite3_column_blob(statement, column) else {
                                return []
                            }
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
        for sql in [
            "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=0",
            "PRAGMA foreign_keys=ON", "PRAGMA cache_size=-16000", "BEGIN IMMEDIATE",
        ] {
            try Self.execute(database, sql)
        }
        let statements = try tables.map { table in
            let parameters = Array(repeating: "?", count: table.columns).joined(separator: ",")
            return try Self.prepare(database, "INSERT INTO \(table.name) VALUES (\(parameters))")
        }
        defer { for statement in statements { sqlite3_finalize(statement) } }
        // Insert rows in the order of a commit: an entry, then its rows in the other tables.
        for index in tables[0].rows.indices {
            for (table, statement) in zip(tables, statements) where index < table.rows.count {
                try Self.insert(table.rows[index], statement)
            }
        }
        try Self.execute(database, "COMMIT")
    }

    private static func insert(_ row: [Value], _ statement: OpaquePointer) throws {
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (index, value) in row.enumerated() {
            let parameter = Int32(index + 1)
            switch value {
            case .null: sqlite3_bind_null(statement, parameter)
            case .integer(let number): sqlite3_bind_int64(statement, parameter, number)
            case .text(let bytes):
                _ = bytes.withUnsafeBytes {
                    sqlite3_bind_text(
                        statement, parameter, $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32($0.count), copying)
                }
            case .blob(let bytes):
                _ = bytes.withUnsafeBytes {
                    sqlite3_bind_blob(statement, parameter, $0.baseAddress, Int32($0.count), copying)
                }
            }
        }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw Failure(message: "cannot insert a row") }
        sqlite3_reset(statement)
    }

    struct Failure: Error { let message: String }

    private static func open(_ path: String) throws -> OpaquePointer {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK, let database else {
            throw Failure(message: "cannot open \(path)")
        }
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
