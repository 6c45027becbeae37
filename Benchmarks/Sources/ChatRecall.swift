import ArgumentParser
import Foundation
import Roost
import RoostConversations

struct ChatRecall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat-recall",
        abstract: "Measure nDCG@10 and recall@10 of recall from long conversations.",
        discussion: """
            Each question is asked of its own conversation. Questions without an answer (category 5) are \
            excluded.
            """)

    @Option(help: "The data set, a folder in retrieval/.") var set = "locomo-3"
    @OptionGroup var options: ModelOptions

    private struct Turn: Decodable {
        var id: String
        var text: String
        var conversation: String
        var speaker: String
        var dateTime: String?

        private enum CodingKeys: String, CodingKey {
            case id, text, conversation, speaker
            case dateTime = "date_time"
        }
    }

    /// Parses a date like `1:56 pm on 8 May, 2023`.
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "h:mm a 'on' d MMMM, yyyy"
        return format.date(from: text)
    }

    func run() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: try options.open())
        let memory = ConversationMemory(store)
        let turns = try Data(
            contentsOf: Material.data.appendingPathComponent("retrieval/\(set)/corpus.jsonl")
        )
        .split(separator: 10).map { try JSONDecoder().decode(Turn.self, from: $0) }
        let conversations = Dictionary(grouping: turns, by: \.conversation)
        for (conversation, turns) in conversations.sorted(by: { $0.key < $1.key }) {
            let drafts = turns.map { turn in
                // Remove the speaker's name from the text, because the memory prepends it.
                let prefix = "\(turn.speaker): "
                let text =
                    turn.text.hasPrefix(prefix) ? String(turn.text.dropFirst(prefix.count)) : turn.text
                return MessageDraft(
                    id: turn.id, role: .user, speaker: turn.speaker, content: text,
                    timestamp: turn.dateTime.flatMap(Self.date))
            }
            try await memory.remember(
                drafts, in: ChatScope(userId: "u", sessionId: conversation, agentId: "a"))
        }
        let relevant = try RetrievalQuality.judgments(of: set)
        let queries = try Material.rows("retrieval/\(set)/queries.jsonl").filter {
            relevant[$0.id] != nil && $0.category != 5
        }
        Material.line("messages", Double(turns.count), "")
        Material.line("questions", Double(queries.count), "")
        for mode in SearchMode.allCases {
            var (gain, recall, elapsed) = (0.0, 0.0, 0.0)
            for query in queries {
                guard let answers = relevant[query.id] else { continue }
                var recallOptions = RecallOptions(limit: 10, context: 0)
                recallOptions.mode = mode
                recallOptions.includesAll = true
                recallOptions.timeZone = .gmt
                var found: [String] = []
                elapsed += try await Material.seconds {
                    found = try await memory.recall(
                        query.text, in: .init(sessionId: query.conversation), recallOptions
                    )
                    .compactMap(\.message.name)
                }
                let quality = RetrievalQuality.measure(found, answers)
                gain += quality.gain
                recall += quality.recall
            }
            let count = Double(queries.count)
            Material.line("\(mode.rawValue) nDCG@10", gain / count, "")
            Material.line("\(mode.rawValue) recall@10", recall / count, "")
            Material.line("time per question, with embedding", elapsed * 1000 / count, "ms")
        }
    }
}
