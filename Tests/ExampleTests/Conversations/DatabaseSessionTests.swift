import Foundation
import GRDB
import RoostConversations
import RoostModel
import RoostTestKit
import Testing

// Code as it would appear in programs that follow the guide on session storage and use a custom database.

/// Stores sessions in a database table, with the messages of each session in one JSON blob.
actor DatabaseSessionStorage: SessionStorageProtocol {
    private let db: DatabaseQueue

    init(databasePath: String) throws {
        self.db = try DatabaseQueue(path: databasePath)
        try Self.createTablesIfNeeded(db)
    }

    private static func createTablesIfNeeded(_ db: DatabaseQueue) throws {
        try db.write {
            try $0.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS sessions (
                        id TEXT PRIMARY KEY, created_at DOUBLE, first_message TEXT, last_accessed DOUBLE,
                        messages_data BLOB)
                    """)
        }
    }

    private static func session(_ row: Row) throws -> StoredSession {
        let messagesData: Data = row["messages_data"]
        let messages =
            try messagesData.isEmpty ? [] : JSONDecoder().decode([ChatMessage].self, from: messagesData)
        return StoredSession(
            id: row["id"],
            createdAt: Date(timeIntervalSince1970: row["created_at"]),
            firstUserMessage: row["first_message"],
            lastAccessedAt: Date(timeIntervalSince1970: row["last_accessed"]),
            messages: messages
        )
    }

    func saveSession(id: String, firstMessage: String) async throws {
        do {
            try await db.write { db in
                let now = Date().timeIntervalSince1970
                try db.execute(
                    sql: """
                        INSERT INTO sessions VALUES (?, ?, ?, ?, ?)
                        ON CONFLICT (id) DO UPDATE SET last_accessed = excluded.last_accessed
                        """, arguments: [id, now, firstMessage, now, Data()])
            }
        } catch {
            print("Failed to save session: \(error)")
            throw StorageError.saveFailed(error)
        }
    }

    func getAllSessions() async throws -> [StoredSession] {
        var sessions: [StoredSession] = []
        let rows = try db.read {
            try Row.fetchAll($0, sql: "SELECT * FROM sessions ORDER BY last_accessed DESC")
        }
        for row in rows { sessions.append(try Self.session(row)) }
        return sessions
    }

    func getSession(id: String) async throws -> StoredSession? {
        try db.read { try Row.fetchOne($0, sql: "SELECT * FROM sessions WHERE id = ?", arguments: [id]) }
            .map(Self.session)
    }

    func updateLastAccessed(id: String) async throws {
        try await db.write {
            try $0.execute(
                sql: "UPDATE sessions SET last_accessed = ? WHERE id = ?",
                arguments: [Date().timeIntervalSince1970, id])
        }
    }

    func deleteSession(id: String) async throws {
        try await db.write { try $0.execute(sql: "DELETE FROM sessions WHERE id = ?", arguments: [id]) }
    }

    func deleteAllSessions() async throws {
        try await db.write { try $0.execute(sql: "DELETE FROM sessions") }
    }

    func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        let messagesData = try JSONEncoder().encode(messages)
        try await db.write {
            try $0.execute(
                sql: "UPDATE sessions SET messages_data = ?, last_accessed = ? WHERE id = ?",
                arguments: [messagesData, Date().timeIntervalSince1970, id])
        }
    }

    func updateSessionId(oldId: String, newId: String) async throws {
        try await db.write {
            try $0.execute(sql: "UPDATE sessions SET id = ? WHERE id = ?", arguments: [newId, oldId])
        }
    }
}

@Suite struct DatabaseSessionTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test(arguments: SessionStorageLaw.basic)
    func `a custom storage in a database obeys the basic laws`(law: SessionStorageLaw) async throws {
        try await withFolder { folder in
            try await law.check(
                try DatabaseSessionStorage(
                    databasePath: folder.appendingPathComponent("sessions.sqlite").path))
        }
    }

    @Test func `sessions of a custom database can be migrated to a wrapped library storage`() async throws {
        try await withFolder { folder in
            let custom = try DatabaseSessionStorage(
                databasePath: folder.appendingPathComponent("custom.sqlite").path)
            try await custom.saveSession(id: "a", firstMessage: "Hello, Claude!")
            try await custom.updateSessionMessages(id: "a", messages: SessionStorageLaw.messages)

            let customStorage = try SQLiteSessionStorage(
                databasePath: folder.appendingPathComponent("database.sqlite").path)
            let dependencies = DependencyContainer(
                globalPreferences: GlobalPreferencesStorage(),
                customSessionStorage: CachingSessionStorage(wrapping: customStorage)
            )
            for session in try await custom.getAllSessions() {
                try await dependencies.sessionStorage.importSession(session)
            }
            let debug = DebugSessionStorage(wrapping: dependencies.sessionStorage)
            #expect(try await debug.getAllSessions().map(\.messages) == [SessionStorageLaw.messages])
        }
    }
}
