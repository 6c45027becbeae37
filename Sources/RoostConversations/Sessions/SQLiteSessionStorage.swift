import Foundation
import GRDB
import RoostModel

/// Sessions in a SQLite database, a row for each message: adding to a long history costs what adding to a
/// short one does.
///
/// Each call is one transaction that survives a loss of power. Any number of processes may use the database.
public struct SQLiteSessionStorage: SessionStorageProtocol, Sendable {
    let database: ConversationDatabase

    /// - Parameter databasePath: made with its folder where there is none.
    /// - Throws: ``StorageError``: `.newerFormat`, `.damaged`, `.inputOutput`.
    public init(databasePath: String) throws { database = try ConversationDatabase(path: databasePath) }

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

    /// Those that cannot be read are left out; ``damagedSessions()`` names them.
    public func getAllSessions() async throws -> [StoredSession] {
        try await database.read { database in
            try Self.rows(database).compactMap { row in
                do {
                    return try Self.session(row, database)
                } catch let error as StorageError where error.code == .damaged {
                    return nil
                }
            }
        }
    }

    /// The ids of sessions with a message that is not as it was written.
    ///
    /// - Throws: ``StorageError``.
    public func damagedSessions() async throws -> [String] {
        try await database.read { database in
            try Self.rows(database).compactMap { row in
                do {
                    _ = try Self.session(row, database)
                    return nil
                } catch let error as StorageError where error.code == .damaged {
                    return String(decoding: row["id"] as Data, as: UTF8.self)
                }
            }
        }
    }

    private static func rows(_ database: Database) throws -> [Row] {
        try Row.fetchAll(database, sql: "SELECT * FROM sessions ORDER BY accessed DESC, touch DESC")
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try await database.read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM sessions WHERE id = ?", arguments: [Data(id.utf8)]
            ).map { try Self.session($0, database) }
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

    /// - Complexity: reads all messages, and writes those from the first on that is another than before.
    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        let encoded = try Self.encoded(messages)
        try await database.write { database in
            let number = try Self.present(id, database)
            let old = try Data.fetchAll(
                database, sql: "SELECT message FROM session_messages WHERE session = ? ORDER BY number",
                arguments: [number])
            let same = zip(old, encoded).prefix { $0 == $1 }.count
            try database.execute(
                sql: "DELETE FROM session_messages WHERE session = ? AND number >= ?",
                arguments: [number, same])
            try Self.insert(encoded.dropFirst(same), at: same, number, database)
            try Self.touch(number, database)
        }
    }

    /// - Complexity: as many rows as there are messages to add.
    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        let encoded = try Self.encoded(messages)
        try await database.write { database in
            let number = try Self.present(id, database)
            let last = try Int.fetchOne(
                database, sql: "SELECT max(number) FROM session_messages WHERE session = ?",
                arguments: [number])
            try Self.insert(encoded[...], at: last.map { $0 + 1 } ?? 0, number, database)
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

    /// A clock that goes back does not make a session older than it was.
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
        for (place, message) in messages.enumerated() {
            try database.execute(
                sql: "INSERT INTO session_messages (session, number, message) VALUES (?, ?, ?)",
                arguments: [session, first + place, message])
        }
    }

    private static func session(_ row: Row, _ database: Database) throws -> StoredSession {
        let messages = try Data.fetchAll(
            database, sql: "SELECT message FROM session_messages WHERE session = ? ORDER BY number",
            arguments: [row["number"] as Int64])
        let decoder = ConversationMessage.decoder()
        return StoredSession(
            id: String(decoding: row["id"] as Data, as: UTF8.self),
            createdAt: Date(milliseconds: row["created"]),
            firstUserMessage: String(decoding: row["first_message"] as Data, as: UTF8.self),
            lastAccessedAt: Date(milliseconds: row["accessed"]),
            messages: try messages.map { data in
                guard let message = try? decoder.decode(ChatMessage.self, from: data) else {
                    throw StorageError(.damaged, "a message of a session is not as it was written")
                }
                return message
            })
    }

    private static func encoded(_ messages: [ChatMessage]) throws -> [Data] {
        let encoder = ConversationMessage.encoder()
        return try messages.map { try encoder.encode($0) }
    }
}
