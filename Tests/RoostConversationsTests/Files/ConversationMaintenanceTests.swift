import Foundation
import GRDB
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostConversations

/// Tests of newer schemas, and of damaged data, in files and databases.
@Suite(.temporaryFolders) struct ConversationMaintenanceTests {
    private let folder = TemporaryFolder.unusedURL()
    /// The file of the database.
    private var path: String { folder.appendingPathComponent("c.sqlite").path }

    private func isNewer(_ error: any Error) -> Bool { (error as? StorageError)?.code == .newerFormat }
    private func isDamage(_ error: any Error) -> Bool { (error as? StorageError)?.code == .damaged }

    @Test func `data from a newer program is neither read nor changed`() async throws {
        let histories = folder.appendingPathComponent("h")
        let chats = FileChatStorage(directory: histories)
        func save() async throws {
            try await chats.save(
                ConversationMessage(role: .user, content: "x"), userId: "u", sessionId: "s", agentId: "a",
                maxMessages: nil)
        }
        try await save()
        let description = histories.appendingPathComponent("schema.json")
        let text = try String(contentsOf: description, encoding: .utf8)
        #expect(text == "{\"kind\":\"histories\",\"schema\":1}\n")
        try text.replacing("\"schema\":1", with: "\"schema\":99")
            .write(to: description, atomically: true, encoding: .utf8)
        let before = try TemporaryFolder.files(in: folder)
        await #expect(performing: { try await save() }, throws: isNewer)
        await #expect(
            performing: { try await chats.fetchAllChats(userId: "u", sessionId: "s") }, throws: isNewer)
        #expect(try TemporaryFolder.files(in: folder) == before)

        _ = try SQLiteSessionStorage(databasePath: path)
        try await DatabaseQueue(path: path).write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')")
        }
        #expect(performing: { try SQLiteSessionStorage(databasePath: path) }, throws: isNewer)
        #expect(performing: { try SQLiteChatStorage(databasePath: path) }, throws: isNewer)
        try await withDefaults { suite in
            let storage = UserDefaultsSessionStorage(suiteName: suite)
            try await storage.saveSession(id: "a", firstMessage: "x")
            UserDefaults(suiteName: suite)?.set(99, forKey: "roost.session.#schema")
            UserDefaults(suiteName: suite)?.synchronize()
            await #expect(performing: { try await storage.getAllSessions() }, throws: isNewer)
            await #expect(performing: { try await storage.deleteSession(id: "a") }, throws: isNewer)
        }
    }

    @Test func `a database whose creation was interrupted can be opened`() async throws {
        let (original, interrupted) = (
            folder.appendingPathComponent("original"), folder.appendingPathComponent("interrupted")
        )
        for folder in [original, interrupted] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        // Copies the files during a transaction that has been partly written and not committed.
        try DatabaseQueue(path: original.appendingPathComponent("c.sqlite").path).inDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = 1; BEGIN; CREATE TABLE other (text)")
            for _ in 0..<200 {
                try database.execute(
                    sql: "INSERT INTO other VALUES (?)", arguments: [String(repeating: "x", count: 5000)])
            }
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(
                    at: original.appendingPathComponent("c.sqlite" + suffix),
                    to: interrupted.appendingPathComponent("c.sqlite" + suffix))
            }
            try database.execute(sql: "ROLLBACK")
        }
        let path = interrupted.appendingPathComponent("c.sqlite").path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) > 0)
        let storage = try SQLiteSessionStorage(databasePath: path)
        try await storage.saveSession(id: "a", firstMessage: "x")
        #expect(try await storage.getAllSessions().count == 1)
    }

    // MARK: Files and databases

    private func messages(_ texts: String...) -> [ChatMessage] {
        texts.map { ChatMessage(role: .user, content: $0) }
    }

    private func save(
        _ chats: SQLiteChatStorage, _ texts: [(role: ConversationRole, text: String)]
    ) async throws {
        try await chats.saveMessages(
            texts.map { ConversationMessage(role: $0.role, content: $0.text) }, userId: "u", sessionId: "s",
            agentId: "a", maxMessages: nil)
    }

    private func filledDatabase() async throws -> (chats: SQLiteChatStorage, sessions: SQLiteSessionStorage) {
        let chats = try SQLiteChatStorage(databasePath: path)
        let sessions = try SQLiteSessionStorage(databasePath: path)
        try await save(chats, [(.user, "one"), (.assistant, "two")])
        try await sessions.saveSession(id: "s", firstMessage: "one")
        for text in ["one", "two"] {
            try await sessions.appendSessionMessages(id: "s", messages: messages(text))
        }
        return (chats, sessions)
    }

    @Test func `a corrupt row of a session affects only this session, and is not overwritten`() async throws {
        let reported = Mutex<[StorageError]>([])
        let storage = try SQLiteSessionStorage(databasePath: path) { damage in
            reported.withLock { $0.append(damage) }
        }
        for id in ["intact", "damaged"] {
            try await storage.saveSession(id: id, firstMessage: "first")
            try await storage.appendSessionMessages(id: id, messages: messages("one", "two", "three"))
        }
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    UPDATE session_messages SET message = CAST('{' AS BLOB) WHERE number = 1
                    AND session = (SELECT number FROM sessions WHERE id = CAST('damaged' AS BLOB))
                    """)
        }
        #expect(try await storage.getAllSessions().map(\.id) == ["intact"])
        #expect(reported.withLock { $0.map(\.code) } == [.damaged])
        await #expect { try await storage.getSession(id: "damaged") } throws: {
            ($0 as? StorageError)?.code == .damaged && "\($0)".contains("session 2, number 1")
        }
        await #expect(throws: StorageError.self) {
            try await storage.updateSessionMessages(id: "damaged", messages: messages("other"))
        }
        await #expect(throws: StorageError.self) {
            try await storage.importSession(
                StoredSession(
                    id: "damaged", createdAt: Date(), firstUserMessage: "", lastAccessedAt: Date()))
        }
        try await storage.deleteSession(id: "damaged")
        #expect(try await storage.getAllSessions().map(\.id) == ["intact"])
        #expect(reported.withLock { $0.count } == 1)
    }

    @Test func `corrupt rows of a history affect only this history`() async throws {
        let storage = try SQLiteChatStorage(databasePath: path)
        for session in ["damaged", "intact"] {
            try await storage.saveMessages(
                ["one", "two", "three"].enumerated().map {
                    ConversationMessage(role: $0 % 2 == 0 ? .user : .assistant, content: $1)
                }, userId: "u", sessionId: session, agentId: "a", maxMessages: nil)
        }
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    UPDATE chat_messages SET id = 'none' WHERE scope = 1 AND number = 1;
                    UPDATE chat_messages SET content = x'FF' WHERE scope = 1 AND number = 2;
                    """)
        }
        func texts(_ session: String) async throws -> [String] {
            try await storage.fetch(userId: "u", sessionId: session, agentId: "a", maxMessages: nil)
                .map(\.content)
        }
        await #expect(throws: StorageError.self) { try await texts("damaged") }
        #expect(try await texts("intact") == ["one", "two", "three"])
        await #expect(throws: StorageError.self) {
            try await storage.fetchAllChats(userId: "u", sessionId: "damaged")
        }
    }

    @Test(arguments: ["'x'", "9223372036854775807", "-1"])
    func `a row with a corrupt number is reported`(number: String) async throws {
        let (chats, sessions) = try await filledDatabase()
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    UPDATE chat_messages SET number = \(number) WHERE number = 1;
                    UPDATE session_messages SET number = \(number) WHERE number = 1;
                    """)
        }
        if number != "-1" {
            await #expect(throws: StorageError.self) { try await save(chats, [(.user, "three")]) }
            await #expect(throws: StorageError.self) {
                try await sessions.appendSessionMessages(id: "s", messages: messages("three"))
            }
        }
        await #expect(performing: { try await sessions.getSession(id: "s") }, throws: isDamage)
        await #expect(
            performing: {
                try await chats.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            }, throws: isDamage)
    }
}
