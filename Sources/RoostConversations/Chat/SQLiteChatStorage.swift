public import Foundation
import GRDB
import RoostModel

/// A chat storage that keeps histories in a SQLite database, with a row for each message.
///
/// A save is one transaction, which survives a power failure. Any number of processes can use the database at
/// the same time.
public struct SQLiteChatStorage: ChatStorage {
    let database: ConversationDatabase

    /// Opens or creates a database.
    ///
    /// - Parameter databasePath: The path of the database. The database and its folder are created if
    ///   necessary.
    /// - Throws: `StorageError`: `.newerFormat`, `.damaged`, `.invalidBatch` for a database of another
    ///   program, `.inputOutput`.
    public init(databasePath: String) throws { database = try ConversationDatabase(path: databasePath) }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        // Fetch one more message than the window holds, to find out whether the history is longer.
        let limit = maxMessages.map { max(0, $0 - $0 % 2) + 1 } ?? -1
        let messages = try await database.read { database in
            guard let id = try Self.id(of: scope, database) else { return [ConversationMessage]() }
            return try Self.messages(of: id, last: limit, database)
        }
        return ChatRules.trimmed(messages, maxMessages)
    }

    /// Appends messages to a history in one transaction.
    ///
    /// - Complexity: O(*n* + *m*), where *n* is the number of new messages and *m* the size of the window.
    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        try await database.write { database in
            let id = try Self.id(of: scope, database) ?? Self.insert(scope, database)
            let last = try Self.messages(of: id, last: 1, database)
            let added = ChatRules.adding(messages, to: last).dropFirst(last.count)
            var number =
                try ConversationDatabase.lastNumber(of: id, in: "chat_messages", by: "scope", database) ?? 0
            for message in added {
                number += 1
                try database.execute(
                    sql: """
                        INSERT INTO chat_messages (scope, number, id, role, content, timestamp)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        id, number, message.id.uuidString, Data(message.role.rawValue.utf8),
                        Data(message.content.utf8),
                        message.timestamp.milliseconds,
                    ])
            }
            guard let maxMessages else { return }
            let window = max(0, maxMessages - maxMessages % 2)
            let recent = try Self.messages(of: id, last: window + 1, database)
            guard recent.count > window else { return }
            let kept = ChatRules.trimmed(recent, maxMessages).count
            try database.execute(
                sql: """
                    DELETE FROM chat_messages WHERE scope = ? AND number <= coalesce(
                        (SELECT number FROM chat_messages WHERE scope = ?
                         ORDER BY number DESC LIMIT 1 OFFSET ?), -1)
                    """, arguments: [id, id, kept])
        }
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let scopes = try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT id, agent FROM chat_scopes WHERE user = ? AND session = ?",
                arguments: [Data(userId.utf8), Data(sessionId.utf8)]
            ).map { row in
                (
                    agent: String(decoding: try row.decode(Data.self, forColumn: "agent"), as: UTF8.self),
                    messages: try Self.messages(of: row["id"], last: -1, database)
                )
            }
        }
        return ChatRules.merged(scopes)
    }

    // MARK: Rows

    private static func id(of scope: ChatScope, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT id FROM chat_scopes WHERE user = ? AND session = ? AND agent = ?",
            arguments: arguments(scope))
    }

    private static func insert(_ scope: ChatScope, _ database: Database) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO chat_scopes (user, session, agent) VALUES (?, ?, ?)",
            arguments: arguments(scope))
        return database.lastInsertedRowID
    }

    /// Returns the ids as blobs, because many SQLite functions treat a NUL character as the end of a text.
    private static func arguments(_ scope: ChatScope) -> StatementArguments {
        [Data(scope.userId.utf8), Data(scope.sessionId.utf8), Data(scope.agentId.utf8)]
    }

    /// Returns the last messages of a scope, oldest first; all messages if `count` is -1.
    private static func messages(
        of scope: Int64, last count: Int, _ database: Database
    ) throws -> [ConversationMessage] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT number, id, role, content, timestamp FROM chat_messages WHERE scope = ?
                ORDER BY number DESC LIMIT ?
                """, arguments: [scope, count]
        ).reversed().map { row in
            guard let message = Self.message(row) else {
                throw StorageError(
                    .damaged,
                    "cannot read the history: chat_messages has a corrupt row in scope \(scope)")
            }
            return message
        }
    }

    /// Decodes the message in a row.
    ///
    /// - Returns: `nil` if the row is corrupt.
    private static func message(_ row: Row) -> ConversationMessage? {
        func bytes(_ column: String) -> Data? { (row[column] as DatabaseValue).storage.value as? Data }
        guard ConversationDatabase.messageNumber(row["number"]) != nil,
            let role = bytes("role").flatMap({ String(validating: $0, as: UTF8.self) }),
            let content = bytes("content").flatMap({ String(validating: $0, as: UTF8.self) }),
            let id = String.fromDatabaseValue(row["id"]).flatMap(UUID.init),
            let timestamp = Int64.fromDatabaseValue(row["timestamp"])
        else { return nil }
        return ConversationMessage(
            role: ConversationRole(rawValue: role), content: content,
            timestamp: Date(milliseconds: timestamp), id: id)
    }
}

/// A chat storage that keeps histories in a SQLite database at the platform's standard location: the
/// application support folder, or `$XDG_DATA_HOME` (by default `~/.local/share`) on Linux.
public struct DeviceChatStorage: ChatStorageDecorator {
    /// The database storage to which all calls are forwarded.
    public let base: any ChatStorage

    /// Opens or creates the database `conversations.sqlite` in the application's folder.
    ///
    /// - Parameters:
    ///   - name: The name of the application's folder.
    ///   - folder: The parent folder; `nil` uses the platform's standard location.
    /// - Throws: `StorageError`: `.invalidBatch` if `name` is not a valid folder name; the errors of
    ///   ``SQLiteChatStorage/init(databasePath:)``.
    public init(name: String = "roost", folder: URL? = nil) throws {
        let directory = try ApplicationSupport.folder(name, in: folder)
        base = try SQLiteChatStorage(
            databasePath: directory.appendingPathComponent("conversations.sqlite").path)
    }
}
