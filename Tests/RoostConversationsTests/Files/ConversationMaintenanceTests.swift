import Foundation
import GRDB
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostConversations

/// Tests of older and newer schemas, and of damaged data, in files and databases.
@Suite(.temporaryFolders)
struct ConversationMaintenanceTests {
    @Test func `a migrator runs the missing steps, and repeats a failed one`() throws {
        struct Failure: Error {}
        var (done, saved, fails) = ([Int](), [Int](), true)
        let migrator = SchemaMigrator(steps: [
            .init(version: 2) { done.append(2) },
            .init(version: 3) {
                if fails { throw Failure() }
                done.append(3)
            },
            .init(version: 5) { done.append(5) },
        ])
        #expect(migrator.version == 5)
        #expect(throws: Failure.self) { try migrator.migrateIfNeeded(stored: nil) { saved.append($0) } }
        #expect(done == [2] && saved == [2])
        fails = false
        #expect(try migrator.migrateIfNeeded(stored: saved.last) { saved.append($0) } == 2)
        #expect(done == [2, 3, 5] && saved == [2, 3, 5])
        #expect(try migrator.migrateIfNeeded(stored: 5) { saved.append($0) } == 5)
        #expect(saved == [2, 3, 5])
        #expect(try migrator.migrateIfNeeded(stored: nil, isEmpty: true) { saved.append($0) } == 5)
        #expect(done == [2, 3, 5] && saved == [2, 3, 5, 5])
        for (version, code) in [(6, StorageError.Code.newerFormat), (0, .damaged), (-1, .damaged)] {
            #expect { try migrator.migrateIfNeeded(stored: version) { _ in } } throws: {
                ($0 as? StorageError)?.code == code
            }
        }
    }

    private func isNewer(_ error: any Error) -> Bool { (error as? StorageError)?.code == .newerFormat }

    @Test func `data from a newer program is neither read nor changed`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let (histories, sessions) = (
            folder.appendingPathComponent("h"), folder.appendingPathComponent("s")
        )
        let files = (
            chats: FileChatStorage(directory: histories),
            sessions: FileSessionStorage(directory: sessions)
        )
        try await files.chats.save(
            ConversationMessage(role: .user, content: "x"), userId: "u", sessionId: "s", agentId: "a",
            maxMessages: nil)
        try await files.sessions.saveSession(id: "a", firstMessage: "x")
        #expect(try await files.chats.migrateIfNeeded() == 1)
        #expect(try await files.sessions.migrateIfNeeded() == 1)
        for folder in [histories, sessions] {
            let description = folder.appendingPathComponent("schema.json")
            let text = try String(contentsOf: description, encoding: .utf8)
            try text.replacing("\"schema\":1", with: "\"schema\":99")
                .write(to: description, atomically: true, encoding: .utf8)
        }
        let before = try contents(of: folder)
        await #expect(performing: { try await files.sessions.getAllSessions() }, throws: isNewer)
        await #expect(performing: { try await files.sessions.deleteAllSessions() }, throws: isNewer)
        await #expect(
            performing: { try await files.sessions.saveSession(id: "a", firstMessage: "") },
            throws: isNewer)
        await #expect(
            performing: { try await files.chats.fetchAllChats(userId: "u", sessionId: "s") },
            throws: isNewer)
        await #expect(performing: { try await files.chats.setDamagedAside() }, throws: isNewer)
        #expect(try contents(of: folder) == before)

        let path = folder.appendingPathComponent("c.sqlite").path
        let database = try SQLiteSessionStorage(databasePath: path)
        #expect(try await database.migrateIfNeeded() == SQLiteSessionStorage.schemaVersion)
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

    private func contents(of folder: URL) throws -> [String: Data] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: paths.map { path in
                (
                    path,
                    FileManager.default.contents(atPath: folder.appendingPathComponent(path).path) ?? Data()
                )
            })
    }

    @Test func `a folder without a description opens, and a folder has only one kind of data`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let storage = FileSessionStorage(directory: folder)
        try await storage.saveSession(id: "a", firstMessage: "x")
        let description = folder.appendingPathComponent("schema.json")
        #expect(
            try String(contentsOf: description, encoding: .utf8)
                == "{\"kind\":\"sessions\",\"schema\":1}\n")
        try FileManager.default.removeItem(at: description)
        #expect(try await storage.getAllSessions().map(\.id) == ["a"])
        try await storage.updateLastAccessed(id: "a")
        #expect(FileManager.default.fileExists(atPath: description.path))
        let other = FileChatStorage(directory: folder)
        await #expect {
            try await other.save(
                ConversationMessage(role: .user, content: "x"), userId: "u", sessionId: "s",
                agentId: "a", maxMessages: nil)
        } throws: { "\($0)".contains("the folder contains sessions") }
        #expect(try await other.migrateIfNeededFails(with: .invalidBatch))
        try Data("{".utf8).write(to: description)
        await #expect { try await storage.getAllSessions() } throws: { "\($0)".contains("schema.json") }
    }

    @Test func `a database of an older version is migrated`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let path = folder.appendingPathComponent("c.sqlite").path
        try await SQLiteSessionStorage(databasePath: path).saveSession(id: "a", firstMessage: "x")
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    DROP TABLE damaged_messages; DROP INDEX sessions_by_touch;
                    DELETE FROM grdb_migrations WHERE identifier = '2'
                    """
            )
        }
        let storage = try SQLiteSessionStorage(databasePath: path)
        #expect(try await storage.getAllSessions().map(\.id) == ["a"])
        #expect(try await storage.setDamagedAside().isEmpty)
    }

    @Test func `a database whose creation was interrupted can be opened`() async throws {
        let folder = TemporaryFolder.unusedURL()
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

    @Test func `a file whose renaming record is corrupt does not restore the old session id`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let storage = FileSessionStorage(directory: folder) { _ in }
        try await storage.saveSession(id: "old", firstMessage: "x")
        try await storage.updateSessionId(oldId: "old", newId: "new")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let file = folder.appendingPathComponent(try #require(names.first { $0.hasSuffix(".jsonl") }))
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("\"renamed\"", with: "\"renamed").write(
            to: file, atomically: true, encoding: .utf8)
        #expect(try await storage.getAllSessions().isEmpty)
        let aside = try await storage.setDamagedAside()
        #expect(aside.map(\.subject) == [nil] && aside.map(\.readable) == [0])
        #expect(try await storage.getAllSessions().isEmpty)
        try await storage.saveSession(id: "new", firstMessage: "again")
        // A file without this record does not match any session. It is reported and not overwritten.
        let truncated =
            text.split(separator: "\n").filter { !$0.contains("renamed") }.joined(separator: "\n") + "\n"
        try truncated.write(to: file, atomically: true, encoding: .utf8)
        await #expect(throws: StorageError.self) { try await storage.updateLastAccessed(id: "new") }
        #expect(try await storage.damage().count == 1)
        await #expect(throws: StorageError.self) {
            try await storage.saveSession(id: "new", firstMessage: "")
        }
    }

    // MARK: Files and databases

    private func messages(_ texts: String...) -> [ChatMessage] {
        texts.map { ChatMessage(role: .user, content: $0) }
    }

    /// Saves messages of one conversation.
    private func save(
        _ chats: SQLiteChatStorage, _ texts: [(role: ConversationRole, text: String)]
    ) async throws {
        try await chats.saveMessages(
            texts.map { ConversationMessage(role: $0.role, content: $0.text) }, userId: "u", sessionId: "s",
            agentId: "a", maxMessages: nil)
    }

    /// Creates a database with a history and a session of two messages each.
    private func filledDatabase() async throws -> (
        path: String, chats: SQLiteChatStorage, sessions: SQLiteSessionStorage
    ) {
        let path = TemporaryFolder.unusedURL().appendingPathComponent("c.sqlite").path
        let chats = try SQLiteChatStorage(databasePath: path)
        let sessions = try SQLiteSessionStorage(databasePath: path)
        try await save(chats, [(.user, "one"), (.assistant, "two")])
        try await sessions.saveSession(id: "s", firstMessage: "one")
        for text in ["one", "two"] {
            try await sessions.appendSessionMessages(id: "s", messages: messages(text))
        }
        return (path, chats, sessions)
    }

    /// Damages the second message of the session `damaged`.
    private func damageSecondMessage(isFile: Bool, in folder: URL, databasePath path: String) async throws {
        if isFile {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".jsonl") {
                let url = folder.appendingPathComponent(name)
                let text = try String(contentsOf: url, encoding: .utf8)
                guard text.contains("\"damaged\"") else { continue }
                try text.replacing("\"content\":\"two\"", with: "\"con").write(
                    to: url, atomically: true, encoding: .utf8)
            }
        } else {
            try await DatabaseQueue(path: path).write {
                try $0.execute(
                    sql: """
                        UPDATE session_messages SET message = CAST('{' AS BLOB) WHERE number = 1
                        AND session = (SELECT number FROM sessions WHERE id = CAST('damaged' AS BLOB))
                        """)
            }
        }
    }

    @Test(arguments: [true, false])
    func `corrupt lines and rows of sessions are set aside, and the remainder is usable`(
        isFile: Bool
    ) async throws {
        let folder = TemporaryFolder.unusedURL()
        let reported = Mutex<[ConversationDamage<String>]>([])
        let report: DamageHandler<String> = { damage in reported.withLock { $0.append(damage) } }
        let path = folder.appendingPathComponent("c.sqlite").path
        let storage: any SessionStorageProtocol & Sendable & MaintainedStorage<String> =
            isFile
            ? FileSessionStorage(directory: folder, onDamage: report)
            : try SQLiteSessionStorage(databasePath: path, onDamage: report)
        for id in ["intact", "damaged"] {
            try await storage.saveSession(id: id, firstMessage: "first")
            for text in ["one", "two", "three", "four"] {
                try await storage.appendSessionMessages(id: id, messages: messages(text))
            }
        }
        try await damageSecondMessage(isFile: isFile, in: folder, databasePath: path)
        #expect(try await storage.getAllSessions().map(\.id) == ["intact"])
        #expect(reported.withLock { $0.map(\.subject) } == ["damaged"])
        #expect(reported.withLock { $0.map(\.readable) } == [3])
        await #expect { try await storage.getSession(id: "damaged") } throws: {
            ($0 as? StorageError)?.code == .damaged && ($0 as? StorageError)?.remedy == .setDamagedAside
        }
        #expect(try await storage.damage().count == 1)
        // Corrupt messages are not overwritten.
        await #expect(throws: StorageError.self) {
            try await storage.updateSessionMessages(id: "damaged", messages: messages("other"))
        }
        await #expect(throws: StorageError.self) {
            try await storage.importSession(
                StoredSession(
                    id: "damaged", createdAt: Date(), firstUserMessage: "", lastAccessedAt: Date()))
        }
        #expect(try await storage.damage().count == 1)
        let aside = try await storage.setDamagedAside()
        #expect(aside.count == 1 && aside[0].readable == 3)
        let kept = isFile ? try #require(aside[0].movedTo) : path
        #expect(FileManager.default.fileExists(atPath: kept))
        #expect(try await storage.damage().isEmpty)
        func texts() async throws -> [String] {
            try await storage.getSession(id: "damaged")?.messages.map(\.content) ?? []
        }
        #expect(try await texts() == ["one", "three", "four"])
        try await storage.appendSessionMessages(id: "damaged", messages: messages("five"))
        #expect(try await texts() == ["one", "three", "four", "five"])
        let all = try #require(try await storage.getSession(id: "damaged")).messages
        try await storage.updateSessionMessages(id: "damaged", messages: all + messages("six"))
        #expect(try await texts() == ["one", "three", "four", "five", "six"])
        #expect(try await storage.getAllSessions().map(\.id) == ["damaged", "intact"])
    }

    @Test func `corrupt rows of histories are set aside`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let path = folder.appendingPathComponent("c.sqlite").path
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
        let aside = try await storage.setDamagedAside()
        #expect(aside.map(\.subject?.sessionId) == ["damaged"] && aside[0].readable == 1)
        #expect(try await texts("damaged") == ["three"])
        let kept = try DatabaseQueue(path: path).read {
            try Row.fetchAll($0, sql: "SELECT number, content FROM damaged_messages ORDER BY number")
        }
        #expect(kept.map { $0["number"] as Int } == [1, 2])
        #expect(kept.map { $0["content"] as Data } == [Data("one".utf8), Data([0xFF])])
    }

    @Test func `a row whose number is a text is set aside`() async throws {
        let (path, chats, sessions) = try await filledDatabase()
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    UPDATE chat_messages SET number = 'x', content = x'FF' WHERE number = 1;
                    UPDATE session_messages SET number = 'x', message = x'FF' WHERE number = 1;
                    """)
        }
        #expect(try await chats.damage().map(\.readable) == [1])
        #expect(try await sessions.damage().map(\.readable) == [1])
        let location = try await chats.setDamagedAside().first?.location
        #expect(location?.contains("\"x\"") == true, "\(location ?? "")")
        #expect(try await sessions.setDamagedAside().count == 1)
        #expect(try await chats.damage().isEmpty)
        #expect(try await sessions.damage().isEmpty)
    }

    @Test(arguments: ["'x'", "9223372036854775807", "-1"])
    func `messages can be added after a row with a corrupt number was set aside`(number: String) async throws
    {
        let (path, chats, sessions) = try await filledDatabase()
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
        #expect(try await chats.setDamagedAside().map(\.readable) == [1])
        #expect(try await sessions.setDamagedAside().map(\.readable) == [1])
        try await save(chats, [(.user, "three")])
        try await sessions.appendSessionMessages(id: "s", messages: messages("three"))
        let history = try await chats.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
        #expect(history.map(\.content) == ["two", "three"])
        #expect(try await sessions.getSession(id: "s")?.messages.map(\.content) == ["one", "three"])
    }
}

extension MaintainedStorage {
    fileprivate func migrateIfNeededFails(with code: StorageError.Code) async throws -> Bool {
        do {
            try await migrateIfNeeded()
            return false
        } catch let error as StorageError {
            return error.code == code
        }
    }
}
