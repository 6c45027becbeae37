import Foundation
import Roost
import RoostMemory

/// The rows of lists of conversations and sessions.
enum ConversationRow {
    static let columns = [
        // Tables show the minute in the local time zone.
        TableColumn(name: "last", isDetail: true),
        TableColumn(name: "last", style: .dim, isTableOnly: true),
        TableColumn(name: "messages", isNumber: true), TableColumn(name: "session", isDetail: true),
        TableColumn(name: "user", isDetail: true), TableColumn(name: "agents", isDetail: true),
        TableColumn(name: "title", isDetail: true), TableColumn(name: "first message", isDetail: true),
        TableColumn(name: "session", isFlexible: true, isTableOnly: true),
        TableColumn(name: "first message", style: .dim, isFlexible: true, isTableOnly: true),
    ]
    /// The maximum number of characters of a text in a table.
    private static let maximumLength = 200

    /// Returns the row of a conversation or session.
    ///
    /// - Parameters:
    ///   - last: The time of the last message.
    ///   - user: The user; empty if it is not known.
    ///   - showsUser: Whether tables show the user before the session.
    ///   - title: The title of the conversation; `nil` if it has no title.
    ///   - opening: The first message.
    static func row(
        last: Date, messages: Int, session: String, user: String = "", showsUser: Bool = false,
        agents: [String] = [], title: String? = nil, opening: String, document: any Encodable
    ) -> ListRow {
        func text(_ texts: [String]) -> String {
            texts.map { Terminal.line($0, limit: maximumLength) }.joined(separator: " · ")
        }
        return ListRow(
            cells: [
                DateText.string(from: last), DateText.minutes(of: last), "\(messages)", session, user,
                agents.map { Terminal.line($0, limit: .max) }.joined(separator: ";"),
                Terminal.line(title ?? "", limit: .max), Terminal.line(opening, limit: .max),
                text((showsUser ? [user] : []) + [session] + agents),
                text((title.map { [$0] } ?? []) + [opening]),
            ], document: document)
    }

    /// Returns one row per conversation. Tables show the users if there are several.
    static func rows(_ all: [ConversationSummary]) -> [ListRow] {
        let hasSeveralUsers = Set(all.map { Data($0.user.utf8) }).count > 1
        return all.map { summary in
            row(
                last: summary.last, messages: summary.messages,
                session: summary.session, user: summary.user, showsUser: hasSeveralUsers,
                agents: summary.agents, title: summary.title, opening: summary.firstMessage,
                document: summary)
        }
    }
}
