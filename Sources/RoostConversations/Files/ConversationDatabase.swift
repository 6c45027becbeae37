import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostStorage

/// A SQLite database that stores chat histories and sessions.
///
/// As in the stores of entries, commits and checkpoints are made under a lock between processes, which
/// protects against a bug of SQLite (see ``WriteAheadLog``), and readers do not take this lock.
struct ConversationDatabase: Sendable {
    private let pool: DatabasePool
    /// The writers of this process, so that only one of them blocks a thread while it waits for the lock.
    private let writers = TaskQueue()

    private var errors: DatabaseErrorMapping { DatabaseErrorMapping(path: pool.path) }

    init(path: String) throws {
        let file = DatabaseFile(URL(fileURLWithPath: path))
        pool = try DatabaseErrorMapping(path: path).mapping {
            try FileSystem.standard.createFolder(file.url.deletingLastPathComponent())
            // Opening a pool commits an empty transaction if the log is empty.
            if try Self.hasCurrentSchema(file), WriteAheadLog.size(ofDatabase: path) > 0 {
                return try file.openPool(Self.configuration)
            }
            let lock = try Self.acquireLock(path)
            defer { lock.release() }
            try file.create()
            let pool = try file.openPool(Self.configuration)
            try Self.migrator.migrate(pool)
            return pool
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(DatabaseFile.lockTimeout)
        configuration.prepareDatabase { try WriteAheadLog.disableAutomaticCheckpoints($0) }
        return configuration
    }

    private static func acquireLock(_ path: String, isCancelled: () -> Bool = { false }) throws -> FileLock {
        try FileLock.acquire(
            URL(fileURLWithPath: path).appendingPathExtension("opening"), timeout: DatabaseFile.lockTimeout,
            isCancelled: isCancelled)
    }

    private static func hasCurrentSchema(_ file: DatabaseFile) throws -> Bool {
        let path = file.url.path
        // A file without a size does not exist; opening it reports any other fault.
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return false }
        let (tables, applied): (Set<String>, Set<String>)
        do {
            (tables, applied) = try contents(of: file, isReadOnly: true)
        } catch let error as DatabaseError
            where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
        {
            // A process that was killed while creating the database leaves a journal that only a writer can
            // roll back.
            (tables, applied) = try contents(of: file, isReadOnly: false)
        }
        // While a database is being created, `grdb_migrations` exists before all other tables.
        guard tables.subtracting(["grdb_migrations"]).isEmpty || tables.contains("conversation_meta") else {
            throw StorageError.invalid(
                "cannot store conversations in \(path): it is a database of another program; use another file"
            )
        }
        try migrator.check(applied: applied, path: path)
        return applied.count == migrator.migrations.count
    }

    private static func contents(
        of file: DatabaseFile, isReadOnly: Bool
    ) throws -> (tables: Set<String>, applied: Set<String>) {
        let queue =
            try isReadOnly
            ? file.openReadOnly(configuration)
            : DatabaseQueue(path: file.url.path, configuration: configuration)
        return try queue.read { database in
            (
                try String.fetchSet(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"),
                try migrator.appliedIdentifiers(database)
            )
        }
    }

    /// Returns the `synchronous` setting of the writing connection, for tests: 2 is `FULL`.
    func synchronousSetting() throws -> Int? { try pool.synchronousSetting() }

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
                    CREATE INDEX sessions_by_touch ON sessions (touch);
                    CREATE TABLE session_messages (
                        session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
                        number INTEGER NOT NULL, message BLOB NOT NULL,
                        PRIMARY KEY (session, number)) WITHOUT ROWID;
                    """)
        }
        return migrator
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let pool = pool
        return try await errors.runBlocking { _ in try pool.read(body) }
    }

    /// Runs a transaction that holds the write lock from the start.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let (pool, errors) = (pool, errors)
        return try await writers.run {
            try await errors.runBlocking { isCancelled in
                try Self.write(body, pool, isCancelled)
            }
        }
    }

    private static func write<Value>(
        _ body: (Database) throws -> Value, _ pool: DatabasePool, _ isCancelled: () -> Bool
    ) throws -> Value {
        let lock = try acquireLock(pool.path, isCancelled: isCancelled)
        defer { lock.release() }
        return try pool.commit { database in
            let value = try body(database)
            try database.execute(sql: "UPDATE conversation_meta SET changes = changes + 1")
            if isCancelled() { throw CancellationError() }
            return value
        }
    }

    /// Returns a value that changes with every transaction of any process.
    func changeToken() async throws -> String {
        try await read { database in
            "\(try Int64.fetchOne(database, sql: "SELECT changes FROM conversation_meta") ?? 0)"
        }
    }

    /// The maximum number of a message in its conversation. No conversation can reach it, and the numbers of
    /// further messages do not overflow.
    private static let maximumNumber: Int64 = 1 << 52

    /// Returns the number of a message in its conversation; `nil` if it is corrupt. The columns are not typed
    /// strictly, so it can even be a text.
    static func messageNumber(_ value: DatabaseValue) -> Int64? {
        Int64.fromDatabaseValue(value).flatMap { (0...maximumNumber).contains($0) ? $0 : nil }
    }

    /// Returns the number of the last message of a conversation; `nil` if it has no messages.
    static func lastNumber(
        of conversation: Int64, in table: String, by column: String, _ database: Database
    ) throws -> Int64? {
        let last = try DatabaseValue.fetchOne(
            database, sql: "SELECT max(number) FROM \(table) WHERE \(column) = ?", arguments: [conversation])
        guard let last, !last.isNull else { return nil }
        guard let number = messageNumber(last) else {
            throw StorageError(
                .damaged,
                "cannot add messages: \(table) has a row with a corrupt number in \(column) \(conversation)")
        }
        return number
    }
}
