import Foundation
import Roost
import RoostMemory

/// The rows of lists of conversations and sessions.
enum ConversationRow {
    static let columns = [
        TableColumn(name: "last", style: .dim), TableColumn(name: "messages", isNumber: true),
        TableColumn(name: "session", isFlexible: true),
        TableColumn(name: "first message", style: .dim, isFlexible: true),
    ]

    /// Returns the row of a conversation or session.
    ///
    /// - Parameters:
    ///   - last: The time of the last message, as ISO 8601.
    ///   - names: The names of the session, the user and the agents.
    ///   - opening: The first message.
    static func row(
        last: String, messages: Int, names: [String], opening: String, document: any Encodable
    ) -> ListRow {
        ListRow(
            cells: [
                String(last.prefix(16)), "\(messages)",
                names.map { Terminal.line($0, limit: 40) }.joined(separator: " · "),
                Terminal.line(opening, limit: 60),
            ], document: document)
    }

    /// Returns one row per conversation, with the users if there are several.
    static func rows(_ all: [ConversationSummary]) -> [ListRow] {
        let hasSeveralUsers = Set(all.map { Data($0.user.utf8) }).count > 1
        return all.map { summary in
            row(
                last: DateText.string(from: summary.last), messages: summary.messages,
                names: (hasSeveralUsers ? [summary.user] : []) + [summary.session] + summary.agents,
                opening: (summary.title.map { "\($0) · " } ?? "") + summary.firstMessage, document: summary)
        }
    }
}
