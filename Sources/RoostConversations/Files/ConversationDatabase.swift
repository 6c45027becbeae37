import Foundation
import GRDB
import RoostFiles
import RoostModel

/// A SQLite database of histories and sessions.
struct ConversationDatabase: Sendable {
    private let pool: DatabasePool

    init(path: String) throws {
        let url = URL(fileURLWithPath: path)
        do {
            try FileSystem.standard.createFolder(url.deletingLastPathComponent())
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        pool = try Self.translating(path) {
            if try Self.isOfPresentSchema(url) { return try Self.open(url) }
            // Two processes that make the same database at the same moment: one of them waits.
            let lock = try FileLock.acquire(url.appendingPathExtension("opening"), timeout: 30)
            defer { lock.release() }
            // What is said is nobody else's; the log gets the rights that the database has.
            try Self.makeFile(url)
            let pool = try Self.open(url)
            _ = try Self.migrate(pool)
            return pool
        }
    }

    private static func open(_ url: URL) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        let pool = try DatabasePool(path: url.path, configuration: configuration)
        // GRDB sets NORMAL on its writer when it turns the log on, after a configuration is applied.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }

    /// Makes the file where there is none, readable by its owner only.
    ///
    /// One that is there is never opened but by SQLite: a process that closes any descriptor of a file loses
    /// all locks that it has on it (POSIX `fcntl`), those of its other connections too, and another process
    /// would take itself for the last one and remove the log under them.
    private static func makeFile(_ url: URL) throws {
        do {
            _ = try FileDescriptor(url.path, O_RDWR | O_CREAT | O_EXCL)
        } catch let error as FileError where error.errno == EEXIST {
            return
        }
    }

    /// Whether there is a database that can be opened as it is. Another's is not given tables of ours.
    ///
    /// - Throws: ``StorageError`` with `.invalidBatch` for another program's, `.newerFormat`.
    private static func isOfPresentSchema(_ url: URL) throws -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        guard let size, size > 0 else { return false }
        let (tables, applied): (Set<String>, Set<String>)
        do {
            (tables, applied) = try contents(of: url, isReadOnly: true)
        } catch let error as DatabaseError
            where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
        {
            // One who was killed while making it has left what only a writer can take back.
            (tables, applied) = try contents(of: url, isReadOnly: false)
        }
        // One that is being made, or whose maker was killed, may have that table only.
        guard tables.subtracting(["grdb_migrations"]).isEmpty || tables.contains("conversation_meta") else {
            throw StorageError.invalid(
                "\(url.path) is a database of something else; give conversations a file of their own")
        }
        try check(applied, url.path)
        return applied.count == schemaVersion
    }

    /// The tables of a database, and the migrations that were made.
    private static func contents(
        of url: URL, isReadOnly: Bool
    ) throws -> (tables: Set<String>, applied: Set<String>) {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: url.path, configuration: configuration).read { database in
            (
                try String.fetchSet(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"),
                try migrator.appliedIdentifiers(database)
            )
        }
    }

    private static func check(_ applied: Set<String>, _ path: String) throws {
        guard applied.isSubset(of: Set(migrator.migrations)) else {
            throw StorageError(
                .newerFormat, "a newer version of Roost wrote \(path); update Roost to open it")
        }
    }

    /// The schema that this program writes.
    static var schemaVersion: Int { migrator.migrations.count }

    /// - Returns: the version that the database had, 0 for a new one.
    /// - Throws: ``StorageError`` with `.newerFormat`.
    private static func migrate(_ pool: DatabasePool) throws -> Int {
        let migrator = migrator
        let applied = try pool.read { try migrator.appliedIdentifiers($0) }
        try check(applied, pool.path)
        try migrator.migrate(pool)
        return applied.count
    }

    func migrateIfNeeded() async throws -> Int {
        let pool = pool
        return try await BlockingWork.run { _ in
            try Self.translating(pool.path) { try Self.migrate(pool) }
        }
    }

    /// What SQLite says of the connection that commits: 2 for `FULL`.
    func synchronousSetting() throws -> Int? {
        try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE conversation_meta (changes INTEGER NOT NULL);
                    INSERT INTO conversation_meta (changes) VALUES (0);
                    CREATE TABLE chat_scopes (
                        id INTEGER PRIMARY KEY, user BLOB NOT NULL, session BLOB NOT NULL,
                        agent BLOB NOT NULL, UNIQUE (user, session, agent));
                    CREATE TABLE chat_messages (
                        scope INTEGER NOT NULL REFERENCES chat_scopes (id) ON DELETE CASCADE,
                        number INTEGER NOT NULL, id TEXT NOT NULL, role BLOB NOT NULL,
                        content BLOB NOT NULL, timestamp INTEGER NOT NULL,
                        PRIMARY KEY (scope, number)) WITHOUT ROWID;
                    CREATE TABLE sessions (
                        number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, created INTEGER NOT NULL,
                        first_message BLOB NOT NULL, accessed INTEGER NOT NULL, touch INTEGER NOT NULL);
                    CREATE INDEX sessions_by_access ON sessions (accessed, touch);
                    CREATE TABLE session_messages (
                        session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
                        number INTEGER NOT NULL, message BLOB NOT NULL,
                        PRIMARY KEY (session, number)) WITHOUT ROWID;
                    """)
        }
        // Rows that could not be read, kept for people: whose they were, where, and what they had. The last
        // touch is looked for with each change.
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE damaged_messages (
                        at INTEGER NOT NULL, user BLOB, session BLOB NOT NULL, agent BLOB,
                        number INTEGER NOT NULL, id, role, content, timestamp, message);
                    CREATE INDEX sessions_by_touch ON sessions (touch);
                    """)
        }
        return migrator
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let pool = pool
        return try await BlockingWork.run { _ in try Self.translating(pool.path) { try pool.read(body) } }
    }

    /// In one transaction, that holds the database from its beginning.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let pool = pool
        return try await BlockingWork.run { isCancelled in
            try Self.translating(pool.path) {
                var value: Value?
                try pool.writeWithoutTransaction { database in
                    try database.inTransaction(.immediate) {
                        value = try body(database)
                        try database.execute(sql: "UPDATE conversation_meta SET changes = changes + 1")
                        if isCancelled() { throw CancellationError() }
                        return .commit
                    }
                }
                guard let value else { throw StorageError(.inputOutput, "the transaction was not run") }
                return value
            }
        }
    }

    /// Another after each transaction of any process.
    func changeToken() async throws -> String {
        try await read { database in
            "\(try Int64.fetchOne(database, sql: "SELECT changes FROM conversation_meta") ?? 0)"
        }
    }

    /// Numbers of rows, for people.
    static func places(_ numbers: [Int64]) -> String {
        "number " + numbers.prefix(5).map(String.init).joined(separator: ", ")
            + (numbers.count > 5 ? " and \(numbers.count - 5) more" : "")
    }

    private static func translating<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            let code: StorageError.Code =
                switch error.resultCode {
                case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
                case .SQLITE_FULL: .full
                case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
                default: .inputOutput
                }
            let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
            throw StorageError(
                code,
                error.resultCode == .SQLITE_NOTADB ? "\(path) is no SQLite database" : "\(path): \(reason)",
                underlying: error, isRetryable: code == .locked)
        } catch let error as RowDecodingError {
            throw StorageError(
                .damaged, "\(path) has a row that is not as it was written", underlying: error)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        } catch let error as LockTimeout {
            throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
        }
    }
}
