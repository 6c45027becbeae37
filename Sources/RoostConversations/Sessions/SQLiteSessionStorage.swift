public import Foundation
import GRDB
import RoostModel

/// A session storage that keeps sessions in a SQLite database, with a row for each message, so that the cost
/// of adding a message does not depend on the length of the session.
///
/// Each call is one transaction, which survives a power failure. Any number of processes can use the database
/// at the same time.
public struct SQLiteSessionStorage: SessionStorageProtocol, Sendable {
    let database: ConversationDatabase

    private let onDamage: DamageHandler

    /// Opens or creates a database.
    ///
    /// - Parameters:
    ///   - databasePath: The path of the database. The database and its folder are created if necessary.
    ///   - onDamage: Called for sessions that ``getAllSessions()`` omits because they cannot be read. By
    ///     default, a warning is logged.
    /// - Throws: `StorageError`: `.newerFormat`, `.damaged`, `.invalidBatch` for a database of another
    ///   program, `.inputOutput`.
    public init(databasePath: String, onDamage: DamageHandler? = nil) throws {
        database = try ConversationDatabase(path: databasePath)
        self.onDamage = onDamage ?? ConversationFormat.warn
    }

    /// Opens an existing database.
    ///
    /// - Parameters:
    ///   - url: The location of the database.
    ///   - onDamage: As in ``init(databasePath:onDamage:)``.
    /// - Throws: `StorageError` with `.notFound` if the file does not exist or is empty; the errors of
    ///   ``init(databasePath:onDamage:)``.
    public init(existing url: URL, onDamage: DamageHandler? = nil) throws {
        let path = url.resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular, attributes?[.size] as? Int ?? 0 > 0
        else {
            throw StorageError(
                .notFound, "cannot open sessions at \(url.path): it is no file, or the file is empty")
        }
        try self.init(databasePath: url.path, onDamage: onDamage)
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        try await database.write { database in
            if let number = try Self.number(of: id, database) { return try Self.touch(number, database) }
            let now = Date().milliseconds
            try database.execute(
                sql: """
                    INSERT INTO sessions (id, created, first_message, accessed, touch)
                    VALUES (?, ?, ?, ?, (SELECT coalesce(max(touch), 0) + 1 FROM sessions))
                    """, arguments: [Data(id.utf8), now, Data(firstMessage.utf8), now])
        }
    }

    /// Returns all sessions, most recently accessed first. Sessions that cannot be read are omitted and
    /// reported (``init(databasePath:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        let onDamage = onDamage
        return try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM sessions ORDER BY accessed DESC, touch DESC"
            ).compactMap { row in
                do {
                    return try Self.session(row, database)
                } catch let error as StorageError where error.code == .damaged {
                    onDamage(error)
                    return nil
                }
            }
        }
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try await database.read { database in
            try Self.row(of: id, database).map { try Self.session($0, database) }
        }
    }

    public func updateLastAccessed(id: String) async throws {
        try await database.write { try Self.touch(try Self.present(id, $0), $0) }
    }

    public func deleteSession(id: String) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM sessions WHERE id = ?", arguments: [Data(id.utf8)])
        }
    }

    public func deleteAllSessions() async throws {
        try await database.write { try $0.execute(sql: "DELETE FROM sessions") }
    }

    /// Replaces the messages of a session.
    ///
    /// - Complexity: O(*n*), where *n* is the number of messages. Only the first message that differs and
    ///   those after it are written.
    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        let encoded = try Self.encoded(messages)
        try await database.write { database in
            let number = try Self.present(id, database)
            let old = try Data.fetchAll(
                database, sql: "SELECT message FROM session_messages WHERE session = ? ORDER BY number",
                arguments: [number])
            let unchanged = zip(old, encoded).prefix { $0 == $1 }.count
            // Corrupt messages must not be overwritten.
            let decoder = ConversationFormat.decoder()
            guard
                old.dropFirst(unchanged).allSatisfy({
                    (try? decoder.decode(ChatMessage.self, from: $0)) != nil
                })
            else { throw Self.damaged("session_messages, session \(number)") }
            try database.execute(
                sql: "DELETE FROM session_messages WHERE session = ? AND number >= ?",
                arguments: [number, unchanged])
            try Self.insert(encoded.dropFirst(unchanged), at: unchanged, number, database)
            try Self.touch(number, database)
        }
    }

    /// Appends messages to a session.
    ///
    /// - Complexity: O(*n*), where *n* is the number of new messages.
    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        let encoded = try Self.encoded(messages)
        try await database.write { database in
            let number = try Self.present(id, database)
            let last = try ConversationDatabase.lastNumber(
                of: number, in: "session_messages", by: "session", database)
            try Self.insert(encoded[...], at: last.map { Int($0) + 1 } ?? 0, number, database)
            try Self.touch(number, database)
        }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        try await database.write { database in
            let number = try Self.present(oldId, database)
            let other = try Self.number(of: newId, database)
            guard other == nil || other == number else { throw SessionRules.clash }
            try database.execute(
                sql: "UPDATE sessions SET id = ? WHERE number = ?",
                arguments: [Data(newId.utf8), number])
        }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        let encoded = try Self.encoded(session.messages)
        try await database.write { database in
            // Throws if the stored session is corrupt, so that it is not overwritten.
            _ = try Self.row(of: session.id, database).map { try Self.session($0, database) }
            try database.execute(sql: "DELETE FROM sessions WHERE id = ?", arguments: [Data(session.id.utf8)])
            try database.execute(
                sql: """
                    INSERT INTO sessions (id, created, first_message, accessed, touch)
                    VALUES (?, ?, ?, ?, (SELECT coalesce(max(touch), 0) + 1 FROM sessions))
                    """,
                arguments: [
                    Data(session.id.utf8), session.createdAt.milliseconds,
                    Data(session.firstUserMessage.utf8),
                    session.lastAccessedAt.milliseconds,
                ])
            try Self.insert(encoded[...], at: 0, database.lastInsertedRowID, database)
        }
        return true
    }

    public func changeToken() async throws -> String? { try await database.changeToken() }

    // MARK: Rows

    private static func number(of id: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT number FROM sessions WHERE id = ?", arguments: [Data(id.utf8)])
    }

    private static func present(_ id: String, _ database: Database) throws -> Int64 {
        guard let number = try number(of: id, database) else { throw SessionRules.missing }
        return number
    }

    /// Updates the time of the last access. It never decreases, even if the system clock is set back.
    private static func touch(_ number: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE sessions SET accessed = max(accessed, ?),
                    touch = (SELECT max(touch) + 1 FROM sessions) WHERE number = ?
                """, arguments: [Date().milliseconds, number])
    }

    private static func insert(
        _ messages: ArraySlice<Data>, at first: Int, _ session: Int64, _ database: Database
    ) throws {
        for (index, message) in messages.enumerated() {
            try database.execute(
                sql: "INSERT INTO session_messages (session, number, message) VALUES (?, ?, ?)",
                arguments: [session, first + index, message])
        }
    }

    private static func row(of id: String, _ database: Database) throws -> Row? {
        try Row.fetchOne(database, sql: "SELECT * FROM sessions WHERE id = ?", arguments: [Data(id.utf8)])
    }

    private static func session(_ row: Row, _ database: Database) throws -> StoredSession {
        let session: Int64 = row["number"]
        let decoder = ConversationFormat.decoder()
        let stored = try Row.fetchCursor(
            database, sql: "SELECT number, message FROM session_messages WHERE session = ? ORDER BY number",
            arguments: [session])
        var messages: [ChatMessage] = []
        while let stored = try stored.next() {
            let data = (stored["message"] as DatabaseValue).storage.value as? Data
            let number: DatabaseValue = stored["number"]
            guard ConversationDatabase.messageNumber(number) != nil,
                let message = try? decoder.decode(ChatMessage.self, from: data ?? Data())
            else { throw damaged("session_messages, session \(session), number \(number)") }
            messages.append(message)
        }
        return StoredSession(
            id: try text(row, "id"), createdAt: Date(milliseconds: try row.decode(forColumn: "created")),
            firstUserMessage: try text(row, "first_message"),
            lastAccessedAt: Date(milliseconds: try row.decode(forColumn: "accessed")), messages: messages)
    }

    private static func text(_ row: Row, _ column: String) throws -> String {
        String(decoding: try row.decode(Data.self, forColumn: column), as: UTF8.self)
    }

    private static func damaged(_ location: String) -> StorageError {
        StorageError(
            .damaged,
            "cannot read the session: \(location) is corrupt")
    }

    private static func encoded(_ messages: [ChatMessage]) throws -> [Data] {
        let encoder = ConversationFormat.encoder()
        return try messages.map { try encoder.encode($0) }
    }
}
