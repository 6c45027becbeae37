import Foundation
import Roost
import RoostConversations

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

    /// Returns one row per conversation. Tables show the users if there are several.
    static func rows(_ all: [ConversationSummary]) -> [ListRow] {
        let hasSeveralUsers = Set(all.map { Data($0.user.utf8) }).count > 1
        func text(_ texts: [String]) -> String {
            texts.map { Terminal.line($0, limit: maximumLength) }.joined(separator: " · ")
        }
        return all.map { chat in
            ListRow(
                cells: [
                    DateText.string(from: chat.last), DateText.minutes(of: chat.last), "\(chat.messages)",
                    chat.session, chat.user,
                    chat.agents.map { Terminal.line($0, limit: .max) }.joined(separator: ";"),
                    Terminal.line(chat.title ?? "", limit: .max),
                    Terminal.line(chat.firstMessage, limit: .max),
                    text((hasSeveralUsers ? [chat.user] : []) + [chat.session] + chat.agents),
                    text((chat.title.map { [$0] } ?? []) + [chat.firstMessage]),
                ], document: chat)
        }
    }
}
