import Foundation
import Roost
package import RoostConversations
import RoostModel

package struct MessageSelection: Decodable, Sendable {
    package var user: String?
    package var session: String?
    package var agent: String?
    package var since: String?
    package var until: String?

    package init() {}

    private static let maximumName = 1_000

    static let names = ["user", "session", "agent"].map { name in
        Argument(name, Schema.string("The \(name) of the conversation.", maximum: maximumName))
    }

    /// The names of a conversation to which messages are added.
    static let defaultedNames = ["user", "session", "agent"].map { name in
        Argument(
            name,
            Schema.string(
                "The \(name) of the conversation; '\(defaultName)' by default.", maximum: maximumName),
            name == "session" ? .optional : .programs)
    }

    static let parameters = names + EntrySelection.periodParameters("messages")

    private static let defaultName = "default"

    var isEmpty: Bool {
        user == nil && session == nil && agent == nil && since == nil && until == nil
    }

    /// Returns the filter for visible messages.
    package func filter(
        under rules: AccessRules = AccessRules()
    ) throws(OperationError) -> ConversationMemory.Filter {
        try checkNames(under: rules)
        var filter =
            rules.scope.map { ConversationMemory.Filter($0) }
            ?? ConversationMemory.Filter(userId: user, sessionId: session, agentId: agent)
        filter.since = try TimeText.period("since", since)?.times.lowerBound
        filter.until = try TimeText.period("until", until)?.times.upperBound
        return filter
    }

    func scope(under rules: AccessRules) throws(OperationError) -> ChatScope {
        try checkNames(under: rules)
        return rules.scope
            ?? ChatScope(
                userId: user ?? Self.defaultName, sessionId: session ?? Self.defaultName,
                agentId: agent ?? Self.defaultName)
    }

    private func checkNames(under rules: AccessRules) throws(OperationError) {
        let names = [
            ("user", user, rules.scope?.userId), ("session", session, rules.scope?.sessionId),
            ("agent", agent, rules.scope?.agentId),
        ]
        for (name, given, own) in names {
            guard let given else { continue }
            if let own, own != given {
                throw OperationError("this server is limited to one conversation; omit '\(name)'")
            }
            // A model that passes an empty text usually means no conversation in particular.
            guard !given.allSatisfy(\.isWhitespace) else {
                throw OperationError("'\(name)' is empty; omit it, or give a name")
            }
        }
    }
}

struct ListConversations: Operation {
    struct Conversation: Codable, Sendable {
        var user: String
        var session: String
        var agents: [String]
        var messages: Int
        /// The times of the first and the last message.
        var first: String
        var last: String
        var firstMessage: String
        var title: String?
    }

    struct Output: Codable, Sendable {
        var conversations: [Conversation]
        var count: Int
        var nextCursor: String?
    }

    static let name = "conversations"
    static let summary = "List the conversations, the one with the latest message first."
    static let access = OperationAccess(.reads, .messages)
    static let route = OperationRoute(.get, "/conversations")
    static let parameters =
        MessageSelection.parameters + OperationContext.pageParameters(maximum: 1_000, standard: 100)

    func run(in context: OperationContext) async throws -> Output {
        let filter = try context.decode(MessageSelection.self).filter(under: context.rules)
        let all = try await ConversationMemory(context.store).conversations(filter, in: context.snapshot)
        let (page, next) = try context.page(of: all, standard: 100, context.budget)
        let conversations = page.map { found in
            Conversation(
                user: found.user, session: found.session, agents: found.agents, messages: found.messages,
                first: DateText.string(from: found.first), last: DateText.string(from: found.last),
                firstMessage: found.firstMessage, title: found.title)
        }
        return Output(conversations: conversations, count: all.count, nextCursor: next)
    }
}

struct ListMessages: Operation {
    struct Output: Codable, Sendable {
        var messages: [MessageDocument]
        var count: Int
        var nextCursor: String?
    }

    static let name = "messages"
    static let summary = "List the messages of conversations, oldest first."
    static let access = OperationAccess(.reads, .messages)
    static let route = OperationRoute(.get, "/conversations/messages")
    static let parameters =
        MessageSelection.parameters + OperationContext.pageParameters(maximum: 1_000, standard: 100)

    func run(in context: OperationContext) async throws -> Output {
        let filter = try context.decode(MessageSelection.self).filter(under: context.rules)
        let all = try await ConversationMemory(context.store).messages(filter, in: context.snapshot)
        let (page, next) = try context.page(of: all, standard: 100, context.budget)
        return Output(
            messages: page.map { MessageDocument($0) }, count: all.count, nextCursor: next)
    }
}

struct RememberMessages: Operation {
    struct Message: Decodable, Sendable {
        var role: String
        var content: String
        var speaker: String?
        var name: String?
        var timestamp: String?
    }

    struct Output: Codable, Sendable {
        var new: Int
        /// The number of messages that were stored before, including removed ones.
        var known: Int
    }

    var messages: [Message]

    static let name = "remember_messages"
    static let summary =
        "Store the messages that continue a conversation."
    static let details =
        "Known messages are skipped. Use a separate 'session' for each conversation."
    static let access = OperationAccess(.adds, .messages)
    static let route = OperationRoute(.post, "/conversations/messages")
    static let isTool = true
    // A model can store the turns of a conversation in several calls at once.
    static let keepsOrder = true
    private static let maximumName = 1_000

    static let parameters =
        [
            Argument(
                "messages",
                Schema.array(
                    of: Schema.object(
                        named: "MessageDraft",
                        [
                            "role": Schema.choice(
                                ["user", "assistant", "system", "tool"], "The role of the author."),
                            "content": Schema.string("The text.", minimum: 1, maximum: 1 << 20),
                            "speaker": Schema.string("The author.", maximum: maximumName),
                            "name": Schema.string("The id of the message.", minimum: 1, maximum: maximumName),
                            "timestamp": Schema.string(
                                "Such as 2026-01-31T09:00:00Z; now by default.", maximum: 40),
                        ], required: ["role", "content"]), "The messages, oldest first.", minimum: 1,
                    maximum: 1_000), .required)
        ] + MessageSelection.defaultedNames

    func run(in context: OperationContext) async throws -> Output {
        let scope = try context.decode(MessageSelection.self).scope(under: context.rules)
        let drafts = try messages.enumerated().map { index, message in
            try draft(message, "messages[\(index)]")
        }
        let report = try await ConversationMemory(context.store).remember(drafts, in: scope)
        return Output(new: report.new, known: report.known)
    }

    private func draft(_ message: Message, _ path: String) throws(OperationError) -> MessageDraft {
        try TextValues.check(message.content, path + ".content")
        let date = message.timestamp.flatMap(DateText.date)
        guard message.timestamp == nil || date != nil else {
            throw OperationError(
                "'\(path).timestamp' must be a time with a time zone, such as 2026-01-31T09:00:00Z or "
                    + "2026-01-31T10:00:00+01:00")
        }
        return MessageDraft(
            id: message.name, role: ConversationRole(rawValue: message.role), speaker: message.speaker,
            content: message.content, timestamp: date)
    }
}
