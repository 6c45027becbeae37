import CRoostSQLite

/// An in-memory SQLite database with a contentless FTS5 table.
final class FullTextDatabase {
    private struct Failure: Error { var message: String }
    private var database: OpaquePointer?

    init() throws {
        sqlite3_open(":memory:", &database)
        try run("CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = 'porter unicode61')")
    }

    deinit { sqlite3_close(database) }

    private func run(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    private func each(_ sql: String, _ values: [String]) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
        defer { sqlite3_finalize(statement) }
        for value in values {
            sqlite3_bind_text(statement, 1, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            var state = sqlite3_step(statement)
            while state == SQLITE_ROW { state = sqlite3_step(statement) }
            guard state == SQLITE_DONE else {
                throw Failure(message: String(cString: sqlite3_errmsg(database)))
            }
            sqlite3_reset(statement)
        }
    }

    /// Adds texts in one transaction.
    func fill(_ texts: [String]) throws {
        try run("BEGIN")
        try each("INSERT INTO texts (text) VALUES (?)", texts)
        try run("COMMIT")
    }

    /// Reads the ids of the 100 best matches.
    func search(_ match: String) throws {
        try each("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 100", [match])
    }
}
