import ArgumentParser
import Foundation
import Roost
import RoostConversations

struct RecallTimes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recall-times",
        abstract: "Measure recalls from one memory in SQLite, including the embedding of the question.",
        discussion: "The messages and questions are those of a set of the retrieval data, repeated.")

    @Option(help: "The data set, a folder in retrieval/.") var set = "locomo-3"
    @Option(help: "The number of messages.") var messages = 5000
    @Option(help: "The number of questions.") var questions = 200
    @Option(help: "The number of messages before and after each hit.") var context = 1
    @OptionGroup var options: ModelOptions

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-recall-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await KnowledgeStore.create(at: folder, embedder: try options.open())
        let memory = ConversationMemory(store)
        let rows = try Material.rows("retrieval/\(set)/corpus.jsonl")
        for (session, start) in stride(from: 0, to: messages, by: rows.count).enumerated() {
            let drafts = rows.prefix(messages - start).enumerated().map { number, row in
                MessageDraft(
                    id: row.id, role: number % 2 == 0 ? .user : .assistant, content: row.text,
                    timestamp: Date(timeIntervalSince1970: 1.7e9 + Double(start + number) * 60))
            }
            try await memory.remember(
                drafts, in: ChatScope(userId: "u", sessionId: "\(session)", agentId: "a"))
        }
        try await store.index.build()
        let texts = try Material.rows("retrieval/\(set)/queries.jsonl").map(\.text).prefix(questions)
        let recallOptions = RecallOptions(limit: 10, context: context)
        for text in texts.prefix(10) { _ = try await memory.recall(text, in: .all, recallOptions) }
        var times = CallTimes()
        for text in texts {
            try await times.measure { _ = try await memory.recall(text, in: .all, recallOptions) }
        }
        times.report("recall among \(messages) messages")
        try await store.close()
    }
}
