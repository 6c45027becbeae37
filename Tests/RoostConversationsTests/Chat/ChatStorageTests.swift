import Foundation
import RoostFiles
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostConversations

extension ChatStorage {
    /// Saves the messages of one call.
    fileprivate func save(
        _ messages: ConversationMessage..., to session: String = "s", agent: String = "a", window: Int? = nil
    ) async throws {
        try await saveMessages(
            messages, userId: "u", sessionId: session, agentId: agent, maxMessages: window)
    }

    fileprivate func messages(_ session: String = "s", window: Int? = nil) async throws
        -> [ConversationMessage]
    { try await fetch(userId: "u", sessionId: session, agentId: "a", maxMessages: window) }
}

/// Tests of message windows, damage and concurrent storages.
@Suite(.temporaryFolders) struct ChatStorageTests {
    private let folder = TemporaryFolder.unusedURL()

    private func files() -> FileChatStorage { FileChatStorage(directory: folder) }
    private func database() throws -> SQLiteChatStorage { try SQLiteChatStorage(databasePath: path) }
    private func storage(isFile: Bool) throws -> any ChatStorage { isFile ? files() : try database() }

    /// The file of the database.
    private var path: String { folder.appendingPathComponent("c.sqlite").path }

    /// Returns the file of a history, which has the agent "a".
    private func history(of session: String = "s") -> URL {
        let scope = ChatScope(userId: "u", sessionId: session, agentId: "a")
        return folder.appendingPathComponent(scope.digest + ".jsonl")
    }

    private func message(_ role: ConversationRole, _ content: String) -> ConversationMessage {
        ConversationMessage(role: role, content: content)
    }

    @Test func `the agent's id is added once before assistant messages`() {
        let answer = message(.assistant, "yes")
        #expect(answer.attributed(agentId: "a").content == "[a] yes")
        #expect(answer.attributed(agentId: "a").attributed(agentId: "a").content == "[a] yes")
        #expect(answer.attributed(agentId: "a").attributed(agentId: "b").content == "[b] [a] yes")
        #expect(message(.user, "yes").attributed(agentId: "a").content == "yes")
    }

    @Test func `files contain dates in milliseconds since 1970`() async throws {
        let storage = files()
        let sent = ConversationMessage(
            role: .user, content: "x", timestamp: Date(timeIntervalSince1970: 1_700_000_000.1239),
            id: UUID(uuidString: "00000000-0000-4000-8000-000000000001")!)
        try await storage.save(sent)
        let text = """
            {"append":[{"content":"x","id":"00000000-0000-4000-8000-000000000001","role":"user",\
            "timestamp":1700000000124}],"scope":{"agentId":"a","sessionId":"s","userId":"u"}}

            """
        #expect(try String(contentsOf: history(), encoding: .utf8) == text)
    }

    @Test(arguments: [true, false])
    func `messages outside the window are removed`(isFile: Bool) async throws {
        let storage = try storage(isFile: isFile)
        for number in 0..<400 {
            try await storage.save(
                message(.user, "q\(number)"), message(.assistant, "a\(number)"), window: 6)
        }
        for window in [6, nil] { #expect(try await storage.messages(window: window).count == 6) }
        #expect(try await storage.fetchAllChats(userId: "u", sessionId: "s").count == 6)
    }

    @Test func `a truncated file is reported and not overwritten`() async throws {
        let storage = files()
        func save() async throws {
            try await storage.save(message(.user, "one"), message(.assistant, "two"))
        }
        try await save()
        let url = history()
        let whole = try Data(contentsOf: url)
        let lines = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }
        // A file that ends after a line has the messages up to there.
        for length in whole.indices where !lines.contains(length - 1) {
            try whole.prefix(length).write(to: url)
            await #expect { try await save() } throws: { ($0 as? StorageError)?.code == .damaged }
            #expect(try Data(contentsOf: url) == whole.prefix(length))
        }
    }

    @Test func `a damaged file affects only its scope and is reported`() async throws {
        let storage = files()
        for session in ["one", "two"] {
            try await storage.save(message(.user, "q"), to: session)
            try await storage.save(message(.assistant, "a"), to: session)
        }
        let url = history(of: "one")
        var lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
        lines[1] = "{\"append\": nonsense}"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
        await #expect { try await storage.messages("one") } throws: {
            ($0 as? StorageError)?.code == .damaged && "\($0)".contains("line 2")
        }
        await #expect(throws: StorageError.self) {
            try await storage.fetchAllChats(userId: "u", sessionId: "one")
        }
        await #expect(throws: StorageError.self) { try await storage.save(message(.user, "x"), to: "one") }
        #expect(try await storage.messages("two").count == 2)
        #expect(try await storage.fetchAllChats(userId: "u", sessionId: "two").count == 2)
    }

    @Test func `a file whose first line is corrupt is reported`() async throws {
        let reported = Mutex<[StorageError]>([])
        let storage = FileChatStorage(directory: folder) { damage in
            reported.withLock { $0.append(damage) }
        }
        for agent in ["a", "b"] {
            try await storage.save(message(.user, "q"), agent: agent)
            try await storage.save(message(.assistant, "r"), agent: agent)
        }
        let url = history()
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        try Data("{\"append\":[]\n\(lines[1])\n".utf8).write(to: url)
        // The second line still identifies the scope, so the error is thrown for this session.
        await #expect(throws: StorageError.self) {
            try await storage.fetchAllChats(userId: "u", sessionId: "s")
        }
        try Data("nonsense\n".utf8).write(to: url)
        #expect(try await storage.fetchAllChats(userId: "u", sessionId: "s").count == 2)
        #expect(reported.withLock { $0.map { $0.message.contains(url.path) } } == [true])
    }

    @Test func `large messages outside the window are removed from the file`() async throws {
        let storage = files()
        let text = String(repeating: "x", count: 1 << 20)
        for _ in 0..<12 {
            try await storage.save(message(.user, text), message(.assistant, "short"), window: 2)
        }
        let size = try FileManager.default.attributesOfItem(atPath: history().path)[.size] as? Int
        #expect(try #require(size) < 4 << 20)
        #expect(try await storage.messages().count == 2)
    }

    @Test(arguments: [true, false])
    func `concurrent saves by several storages are not lost`(isFile: Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let storage = try storage(isFile: isFile)
                    for number in 0..<50 {
                        let text = "\(task).\(number)"
                        try await storage.save(message(.user, text), message(.assistant, text))
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try await storage(isFile: isFile).messages()
        #expect(found.count == 400 && Set(found.map(\.content)).count == 200)
    }

    @Test func `a file that is not a database is rejected and not changed`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("none")
        try Data(repeating: 7, count: 8192).write(to: file)
        #expect { try SQLiteChatStorage(databasePath: file.path) } throws: {
            ($0 as? StorageError)?.code == .damaged
        }
        #expect(try Data(contentsOf: file) == Data(repeating: 7, count: 8192))
    }

    @Test func `an exchange with tools that exceeds the window is kept`() async throws {
        let tool = ConversationRole.tool
        let exchange = [
            message(.user, "q"), message(.assistant, "1"), message(tool, "2"), message(.assistant, "3"),
            message(tool, "4"),
        ]
        let storage = InMemoryChatStorage()
        #expect(storage.trimToEvenPairs(exchange, maxMessages: 4).map(\.content) == ["1", "2", "3", "4"])
        try await storage.saveMessages(exchange, userId: "u", sessionId: "s", agentId: "a", maxMessages: 4)
        #expect(try await storage.messages(window: 4).count == 4)
    }

    @Test func `databases are synchronized on commit and have private permissions`() async throws {
        let storage = try database()
        #expect(try storage.database.synchronousSetting() == 2)
        try await storage.save(message(.user, "x"))
        for suffix in ["", "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test func `the log of a database does not stay long after a checkpoint`() async throws {
        let storage = try database()
        // A log of more than 8 MiB is followed by a checkpoint, and the next commit shortens it.
        try await storage.save(message(.user, String(repeating: "x", count: 9 << 20)))
        try await storage.save(message(.assistant, "y"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
        #expect(try #require(attributes[.size] as? Int) < 8 << 20)
    }

    @Test(arguments: [true, false]) func `saves that wait for another process block one thread`(
        isDatabase: Bool
    ) async throws {
        let storage = try storage(isFile: !isDatabase)
        func save(_ number: Int) async throws {
            try await storage.save(message(.user, "x"), to: "\(number)")
        }
        try await save(0)
        let name = isDatabase ? "c.sqlite.opening" : "lock"
        let lock = try FileLock.acquire(folder.appendingPathComponent(name), timeout: 0)
        let saves = (1...100).map { number in Task { try await save(number) } }
        try await Task.sleep(for: .milliseconds(200))
        // Without the queue, the saves would occupy all threads until they give up.
        let start = ContinuousClock.now
        try await BlockingWork.run { _ in }
        #expect(start.duration(to: .now) < .seconds(15))
        lock.release()
        for save in saves { try await save.value }
        #expect(try await storage.fetchAllChats(userId: "u", sessionId: "100").count == 1)
    }

    @Test func `several storages can create the same database concurrently`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await database().save(message(.user, "\(number)"), to: "\(number)")
                }
            }
            try await group.waitForAll()
        }
        let storage = try database()
        for number in 0..<8 {
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "\(number)").count == 1)
        }
    }

    @Test func `messages of 50 MB can be stored`() async throws {
        let text = String(repeating: "x", count: 50 << 20)
        for storage in [files(), try database()] as [any ChatStorage] {
            try await storage.save(message(.user, text))
            #expect(try await storage.messages(window: 10).first?.content.utf8.count == 50 << 20)
        }
    }

    @Test func `a folder that cannot be listed is not treated as empty`() async throws {
        let storage = files()
        #expect(try await storage.fetchAllChats(userId: "u", sessionId: "s").isEmpty)
        try Data("a file".utf8).write(to: folder)
        await #expect(throws: StorageError.self) {
            try await storage.fetchAllChats(userId: "u", sessionId: "s")
        }
    }
}
