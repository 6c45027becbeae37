import ArgumentParser
import Foundation
import Roost
import RoostConversations

struct Conversations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations",
        abstract: "Measure additions to short and long histories, and listing of conversations.",
        discussion: """
            All times are medians. Each addition is one message or one pair of messages and is durable. \
            Additions to the short and the long history alternate.
            """)

    @Option(help: "The number of messages in the long history.") var long = 10_000
    @Option(help: "The number of conversations to list, with 50 messages each.") var conversations = 1_000
    @Option(help: "The number of additions to measure.") var additions = 200

    private static func messages(_ count: Int) -> [ChatMessage] {
        (0..<count).map { number in
            ChatMessage(
                role: number % 2 == 0 ? .user : .assistant,
                content: "message \(number) " + String(repeating: "of some length ", count: 12))
        }
    }

    private static func pair() -> [ConversationMessage] {
        let text = String(repeating: "of some length ", count: 12)
        return [
            ConversationMessage(role: .user, content: text),
            ConversationMessage(role: .assistant, content: text),
        ]
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-benchmark-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let sessions: [(String, any SessionStorageProtocol)] = [
            (
                "SQLite",
                try SQLiteSessionStorage(databasePath: folder.appendingPathComponent("s.sqlite").path)
            )
        ]
        for (name, storage) in sessions {
            for (id, count) in [("short", 10), ("long", long)] {
                try await storage.saveSession(id: id, firstMessage: "x")
                try await storage.updateSessionMessages(id: id, messages: Self.messages(count))
            }
            var times = ["short": [Double](), "long": [Double]()]
            for _ in 0..<additions {
                for id in ["short", "long"] {
                    let one = Self.messages(1)
                    times[id]?.append(
                        try await Material.seconds {
                            try await storage.appendSessionMessages(id: id, messages: one)
                        })
                }
            }
            report("add to a session, \(name)", median(times["short"]!), median(times["long"]!))
        }
        let histories: [(String, any ChatStorage)] = [
            ("SQLite", try SQLiteChatStorage(databasePath: folder.appendingPathComponent("c.sqlite").path)),
            ("files", FileChatStorage(directory: folder.appendingPathComponent("histories"))),
        ]
        for (name, storage) in histories {
            func save(_ session: String, _ messages: [ConversationMessage]) async throws {
                try await storage.saveMessages(
                    messages, userId: "u", sessionId: session, agentId: "a", maxMessages: nil)
            }
            try await save("short", (0..<5).flatMap { _ in Self.pair() })
            try await save("long", (0..<(long / 2)).flatMap { _ in Self.pair() })
            var times = ["short": [Double](), "long": [Double]()]
            for _ in 0..<additions {
                for id in ["short", "long"] {
                    let pair = Self.pair()
                    times[id]?.append(try await Material.seconds { try await save(id, pair) })
                }
            }
            report("add to a history, \(name)", median(times["short"]!), median(times["long"]!))
        }
        try await list(folder.appendingPathComponent("store"))
    }

    private func report(_ operation: String, _ short: Double, _ long: Double) {
        Material.line("\(operation), of 10", short * 1000, "ms")
        Material.line("\(operation), of \(self.long)", long * 1000, "ms")
        Material.line("  long / short", long / short, "")
    }

    private func list(_ folder: URL) async throws {
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        let memory = ConversationMemory(store)
        for number in 0..<conversations {
            let drafts = (0..<50).map { turn in
                MessageDraft(
                    id: "\(turn)", role: turn % 2 == 0 ? .user : .assistant,
                    content: "turn \(turn) of conversation \(number), about \(number % 37) and \(turn % 11)")
            }
            try await memory.remember(
                drafts, in: ChatScope(userId: "u", sessionId: "\(number)", agentId: "a"))
        }
        var (listed, read): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            listed.append(try await Material.seconds { _ = try await memory.conversations() })
            read.append(try await Material.seconds { _ = try await memory.messages() })
        }
        Material.line("list \(conversations) conversations", median(listed) * 1000, "ms")
        Material.line("read \(conversations * 50) messages", median(read) * 1000, "ms")
        try await store.close()
    }
}
