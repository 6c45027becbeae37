import Crypto
import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostConversations

/// Rules, damage, other processes, and what is kept beneath the window.
struct ChatStorageTests {
    private func message(_ role: ConversationRole, _ content: String) -> ConversationMessage {
        ConversationMessage(role: role, content: content)
    }

    private func history(_ roles: String) -> [ConversationMessage] {
        roles.enumerated().map { message($0.element == "u" ? .user : .assistant, "\($0.offset)") }
    }

    @Test(
        arguments: [
            ("uaua", nil, "0123"), ("uaua", 4, "0123"), ("uaua", 3, "23"), ("uaua", 2, "23"), ("uaua", 1, ""),
            ("uaua", 0, ""), ("uaua", -5, ""), ("", 4, ""), ("auau", 4, "0123"), ("auaua", 4, "1234"),
            ("auaua", 3, "34"), ("uauau", 2, "4"), ("uauau", 4, "234"), ("aaaa", 2, "23"), ("u", 2, "0"),
        ] as [(String, Int?, String)])
    func `a window is whole pairs that begin with a question`(roles: String, most: Int?, expected: String) {
        let trimmed = InMemoryChatStorage().trimToEvenPairs(history(roles), maxMessages: most)
        #expect(trimmed.map(\.content).joined() == expected)
    }

    @Test func `a message in a row of one role is told`() {
        let storage = InMemoryChatStorage()
        #expect(!storage.isConsecutiveSameRole([], message(.user, "")))
        #expect(storage.isConsecutiveSameRole(history("u"), message(.user, "")))
        #expect(!storage.isConsecutiveSameRole(history("ua"), message(.user, "")))
        #expect(!storage.isConsecutiveSameRole(history("u"), message(.tool, "")))
    }

    @Test func `an agent's name stands before its messages once`() {
        let answer = message(.assistant, "yes")
        #expect(answer.attributed(agentId: "a").content == "[a] yes")
        #expect(answer.attributed(agentId: "a").attributed(agentId: "a").content == "[a] yes")
        #expect(answer.attributed(agentId: "a").attributed(agentId: "b").content == "[b] [a] yes")
        #expect(message(.user, "yes").attributed(agentId: "a").content == "yes")
    }

    @Test func `dates are milliseconds since 1970 in files, pinned`() async throws {
        try await withFolder { folder in
            let storage = FileChatStorage(directory: folder)
            let said = ConversationMessage(
                role: .user, content: "x", timestamp: Date(timeIntervalSince1970: 1_700_000_000.1239),
                id: UUID(uuidString: "00000000-0000-4000-8000-000000000001")!)
            try await storage.save(said, userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".jsonl") })
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            #expect(
                text
                    == """
                    {"append":[{"content":"x","id":"00000000-0000-4000-8000-000000000001","role":"user",\
                    "timestamp":1700000000124}],"scope":{"agentId":"a","sessionId":"s","userId":"u"}}

                    """)
        }
    }

    @Test(arguments: [true, false])
    func `what falls out of the window is kept, or is not`(isFile: Bool) async throws {
        for retention in [ChatRetention.window, .everything] {
            try await withFolder { folder in
                let storage: any ChatStorage =
                    isFile
                    ? FileChatStorage(directory: folder, retention: retention)
                    : try SQLiteChatStorage(
                        databasePath: folder.appendingPathComponent("c").path, retention: retention)
                for number in 0..<400 {
                    try await storage.saveMessages(
                        [message(.user, "q\(number)"), message(.assistant, "a\(number)")], userId: "u",
                        sessionId: "s", agentId: "a", maxMessages: 6)
                }
                func count(_ most: Int?) async throws -> Int {
                    try await storage.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: most)
                        .count
                }
                #expect(try await count(6) == 6)
                #expect(try await count(nil) == (retention == .window ? 6 : 800))
                let all = try await storage.fetchAllChats(userId: "u", sessionId: "s")
                #expect(all.count == (retention == .window ? 6 : 800))
            }
        }
    }

    @Test func `a half-written line is no line, and is cut off by the next save`() async throws {
        try await withFolder { folder in
            let storage = FileChatStorage(directory: folder)
            func save(_ role: ConversationRole, _ text: String) async throws {
                try await storage.save(
                    message(role, text), userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            }
            func texts() async throws -> [String] {
                try await storage.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
                    .map(\.content)
            }
            try await save(.user, "one")
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".jsonl") })
            let url = folder.appendingPathComponent(name)
            let whole = try Data(contentsOf: url)
            try await save(.assistant, "two")
            let both = try Data(contentsOf: url)
            for length in whole.count..<both.count {
                try both.prefix(length).write(to: url)
                #expect(try await texts() == ["one"], "\(length) bytes")
                try await save(.assistant, "two")
                #expect(try await texts() == ["one", "two"], "\(length) bytes")
            }
        }
    }

    @Test func `a file that is damaged is of one scope only, and is set aside`() async throws {
        try await withFolder { folder in
            let storage = FileChatStorage(directory: folder)
            for session in ["one", "two"] {
                for (role, text) in [(ConversationRole.user, "q"), (.assistant, "a")] {
                    try await storage.save(
                        message(role, text), userId: "u", sessionId: session, agentId: "a", maxMessages: nil)
                }
            }
            let url = folder.appendingPathComponent(
                ChatScope(userId: "u", sessionId: "one", agentId: "a").digest + ".jsonl")
            var lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
            lines[1] = "{\"append\": nonsense}"
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
            func fetch(_ session: String) async throws -> Int {
                try await storage.fetch(userId: "u", sessionId: session, agentId: "a", maxMessages: nil).count
            }
            await #expect { try await fetch("one") } throws: {
                ($0 as? StorageError)?.code == .damaged && "\($0)".contains("line 2")
            }
            await #expect(throws: StorageError.self) {
                try await storage.fetchAllChats(userId: "u", sessionId: "one")
            }
            await #expect(throws: StorageError.self) {
                try await storage.save(
                    message(.user, "x"), userId: "u", sessionId: "one", agentId: "a", maxMessages: nil)
            }
            #expect(try await fetch("two") == 2)
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "two").count == 2)
            let found = try await storage.setDamagedAside()
            #expect(found.map(\.readable) == [1] && found[0].subject?.sessionId == "one")
            #expect(FileManager.default.fileExists(atPath: found[0].aside ?? ""))
            #expect(try await fetch("one") == 1)
            #expect(try await storage.setDamagedAside().isEmpty)
        }
    }

    @Test func `a file whose first line is damaged is told of, and the history goes on`() async throws {
        try await withFolder { folder in
            let told = Mutex<[ConversationDamage<ChatScope>]>([])
            let storage = FileChatStorage(directory: folder) { damage in told.withLock { $0.append(damage) } }
            for agent in ["a", "b"] {
                for (role, text) in [(ConversationRole.user, "q"), (.assistant, "r")] {
                    try await storage.save(
                        message(role, text), userId: "u", sessionId: "s", agentId: agent, maxMessages: nil)
                }
            }
            let url = folder.appendingPathComponent(
                ChatScope(userId: "u", sessionId: "s", agentId: "a").digest + ".jsonl")
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            try Data("{\"append\":[]\n\(lines[1])\n".utf8).write(to: url)
            // Every line says whose it is.
            await #expect(throws: StorageError.self) {
                try await storage.fetchAllChats(userId: "u", sessionId: "s")
            }
            try Data("nonsense\n".utf8).write(to: url)
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "s").count == 2)
            #expect(told.withLock { $0.map(\.readable) } == [0])
            try Data("{\"append\":[]\n\(lines[1])\n".utf8).write(to: url)
            #expect(try await storage.setDamagedAside().map(\.readable) == [1])
            #expect(try await storage.fetchAllChats(userId: "u", sessionId: "s").count == 3)
        }
    }

    @Test func `large messages that fell out of the window do not stay in the file`() async throws {
        try await withFolder { folder in
            let storage = FileChatStorage(directory: folder)
            let text = String(repeating: "x", count: 1 << 20)
            for _ in 0..<12 {
                try await storage.saveMessages(
                    [message(.user, text), message(.assistant, "short")], userId: "u", sessionId: "s",
                    agentId: "a", maxMessages: 2)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let name = try #require(names.first { $0.hasSuffix(".jsonl") })
            let path = folder.appendingPathComponent(name).path
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(try #require(size) < 4 << 20)
            #expect(
                try await storage.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil).count
                    == 2)
        }
    }

    @Test(arguments: [true, false])
    func `several handles on one place lose nothing`(isFile: Bool) async throws {
        try await withFolder { folder in
            func open() throws -> any ChatStorage {
                isFile
                    ? FileChatStorage(directory: folder)
                    : try SQLiteChatStorage(databasePath: folder.appendingPathComponent("c").path)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        let storage = try open()
                        for number in 0..<50 {
                            try await storage.saveMessages(
                                [
                                    message(.user, "\(task).\(number)"),
                                    message(.assistant, "\(task).\(number)"),
                                ],
                                userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await open().fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            #expect(found.count == 400 && Set(found.map(\.content)).count == 200)
        }
    }

    @Test func `what is sealed is not readable, and opens with its key in its session only`() async throws {
        try await withFolder { folder in
            let bare = FileChatStorage(directory: folder)
            let key = SymmetricKey(size: .bits256)
            let sealed = EncryptedChatStorage(wrapping: bare, key: key)
            try await sealed.saveMessages(
                [message(.user, "my secret"), message(.assistant, "is safe")], userId: "u", sessionId: "s",
                agentId: "a", maxMessages: nil)
            let stored = try await bare.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            #expect(stored.allSatisfy { !$0.content.contains("secret") && !$0.content.contains("safe") })
            #expect(
                try await sealed.fetchAllChats(userId: "u", sessionId: "s").map(\.content)
                    == ["my secret", "[a] is safe"])
            let other = EncryptedChatStorage(wrapping: bare, key: SymmetricKey(size: .bits256))
            await #expect(throws: StorageError.self) {
                try await other.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            }
            // The same bytes in another session are nobody's.
            try await bare.saveMessages(stored, userId: "u", sessionId: "t", agentId: "a", maxMessages: nil)
            await #expect(throws: StorageError.self) {
                try await sealed.fetch(userId: "u", sessionId: "t", agentId: "a", maxMessages: nil)
            }
        }
    }

    @Test func `a database of a newer version, and one that is none, are refused`() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let none = folder.appendingPathComponent("none")
            try Data(repeating: 7, count: 8192).write(to: none)
            #expect { try SQLiteChatStorage(databasePath: none.path) } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
            #expect(try Data(contentsOf: none) == Data(repeating: 7, count: 8192))
        }
    }

    @Test func `a turn of tools that is longer than the window is not lost`() async throws {
        let tool = ConversationRole.tool
        let turn = [
            message(.user, "q"), message(.assistant, "1"), message(tool, "2"), message(.assistant, "3"),
            message(tool, "4"),
        ]
        let storage = InMemoryChatStorage()
        #expect(storage.trimToEvenPairs(turn, maxMessages: 4).map(\.content) == ["1", "2", "3", "4"])
        try await storage.saveMessages(turn, userId: "u", sessionId: "s", agentId: "a", maxMessages: 4)
        #expect(
            try await storage.fetch(userId: "u", sessionId: "s", agentId: "a", maxMessages: 4).count == 4)
    }

    @Test func `a commit to a database survives a loss of power, and nobody else reads it`() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appendingPathComponent("c.sqlite").path
            let storage = try SQLiteChatStorage(databasePath: path)
            #expect(try storage.database.synchronousSetting() == 2)
            try await storage.save(
                message(.user, "x"), userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            for suffix in ["", "-wal"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
            }
        }
    }

    @Test func `many handles may make one database at once`() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("c.sqlite").path
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await SQLiteChatStorage(databasePath: path).save(
                            message(.user, "\(number)"), userId: "u", sessionId: "\(number)", agentId: "a",
                            maxMessages: nil)
                    }
                }
                try await group.waitForAll()
            }
            let storage = try SQLiteChatStorage(databasePath: path)
            for number in 0..<8 {
                #expect(
                    try await storage.fetchAllChats(userId: "u", sessionId: "\(number)").count == 1)
            }
        }
    }

    @Test func `a message of 50 MB is a message`() async throws {
        try await withFolder { folder in
            let text = String(repeating: "x", count: 50 << 20)
            for storage in [
                FileChatStorage(directory: folder) as any ChatStorage,
                try SQLiteChatStorage(databasePath: folder.appendingPathComponent("c").path),
            ] {
                try await storage.save(
                    message(.user, text), userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
                let found = try await storage.fetch(
                    userId: "u", sessionId: "s", agentId: "a", maxMessages: 10)
                #expect(found.first?.content.utf8.count == 50 << 20)
            }
        }
    }
}
