import Foundation
import HTTPTypes
import Roost
import RoostConversations
import RoostModel

enum ConversationRoutes {
    private static let tag = "Conversations"
    private static let maximumName = 1_000
    private static let maximumMessages = 1_000
    private static let maximumPage = 1_000
    private static let maximumText = 1 << 20
    private static let names = [
        "user": Schema.string("The user.", minimum: 1, maximum: maximumName),
        "session": Schema.string("The session.", minimum: 1, maximum: maximumName),
        "agent": Schema.string("The agent.", minimum: 1, maximum: maximumName),
    ]
    private static let period = [
        "since": EntrySelection.time("Only messages at this time or later"),
        "until": EntrySelection.time(
            "Only messages before this time, or until the end of this day, week, month or year"),
    ]
    /// The parameters of queries that select messages.
    private static let selection = names.merging(period) { $1 }.sorted { $0.key < $1.key }.map {
        Parameter.query($0.key, $0.value)
    }

    static let all = [list, messages, remember, recall]

    private static let list = Route(
        method: .get, path: "/api/v1/conversations", operation: "listConversations", tag: tag,
        summary: "List conversations, the one with the latest message first.",
        parameters: selection + PageCursor.parameters(maximum: maximumPage, default: 100),
        answers: [
            Route.Answer(
                200, "One page of conversations.",
                .json(
                    Schema.object(
                        named: "ConversationList",
                        [
                            "conversations": Schema.array(
                                of: ConversationDocument.summary, "The conversations."),
                            "count": Schema.integer("The number of all conversations."),
                            "nextCursor": PageCursor.property,
                        ], required: ["conversations", "count"], isOpen: true)))
        ]
    ) { call in
        try await page("conversations", of: call) { try await $0.conversations($1) }
    }

    private static let messages = Route(
        method: .get, path: "/api/v1/conversations/messages", operation: "listMessages", tag: tag,
        summary: "List the messages of conversations, oldest first.",
        parameters: selection + PageCursor.parameters(maximum: maximumPage, default: 100),
        answers: [
            Route.Answer(
                200, "One page of messages.",
                .json(
                    Schema.object(
                        named: "MessagePage",
                        [
                            "messages": Schema.array(of: Schema.reference("Message"), "The messages."),
                            "count": Schema.integer("The number of all messages."),
                            "nextCursor": PageCursor.property,
                        ], required: ["messages", "count"], isOpen: true)))
        ]
    ) { call in
        try await page("messages", of: call) { try await $0.messages($1) }
    }

    /// Returns one page of a list.
    private static func page<Item: Encodable & Sendable>(
        _ name: String, of call: Call,
        _ read: @Sendable (ConversationMemory, ConversationMemory.Filter) async throws -> [Item]
    ) async throws -> Reply {
        try await call.context.handle.use { store in
            let stamp = try await store.storage.snapshot().stamp
            let start = try PageCursor.position(of: call, at: stamp) ?? 0
            let all = try await read(ConversationMemory(store), try filter(.object(call.values)))
            let page = all.dropFirst(start).prefix(call.integer("limit", default: 100))
            var members: [String: JSONValue] = [
                name: .array(try page.map { try JSONValue.encoding($0) }), "count": .count(all.count),
            ]
            if start + page.count < all.count {
                members["nextCursor"] = PageCursor.text(start + page.count, of: call, at: stamp)
            }
            return .json(.object(members))
        }
    }

    private static let remember = Route(
        method: .post, path: "/api/v1/conversations/messages", operation: "rememberMessages", tag: tag,
        summary: "Store messages of a conversation in the given order.",
        details: "A request can contain the new messages, the last messages or the whole conversation. "
            + "Messages at the start that the stored conversation already ends with, compared by role, "
            + "speaker and text, are skipped, so you can repeat a failed request. A message with a name is "
            + "skipped if the conversation contains one with this name. A message with only a timestamp is "
            + "skipped if the conversation contains one with the same role, speaker, text and timestamp, and "
            + "a message of the role system if it contains an equal text. If a new message equals the last "
            + "stored one, give it a name or a timestamp. A message that was removed is not stored again in "
            + "its position in the conversation. If the first message differs each time, such as a summary, "
            + "it is stored, and the conversation continues if at least two of its last messages follow.",
        effect: .writes,
        body: .json(
            Schema.object(
                named: "MessageBatch",
                names.merging([
                    "messages": Schema.array(
                        of: Schema.object(
                            named: "MessageDraft",
                            [
                                "role": Schema.choice(
                                    ["user", "assistant", "system", "tool"], "The role of the author."),
                                "content": Schema.string("The text.", minimum: 1, maximum: maximumText),
                                "speaker": Schema.string("The name of the author.", maximum: maximumName),
                                "name": Schema.string(
                                    "A name that identifies the message.", minimum: 1, maximum: maximumName),
                                "timestamp": Schema.time(
                                    "The time of the message; the current time if it is absent."),
                            ], required: ["role", "content"]), "The messages, oldest first.", minimum: 1,
                        maximum: maximumMessages)
                ]) { $1 }, required: ["user", "session", "agent", "messages"])),
        answers: [
            Route.Answer(
                200, "The numbers of new and known messages.",
                .json(
                    Schema.object(
                        named: "RememberReport",
                        [
                            "new": Schema.integer("The number of stored messages."),
                            "known": Schema.integer(
                                "The number of messages that were stored before, including removed ones."),
                        ], required: ["new", "known"], isOpen: true)))
        ]
    ) { call in
        let body = call.body
        let drafts = try (body["messages"]?.elements ?? []).enumerated().map { index, value in
            try draft(value, index)
        }
        func name(_ key: String) -> String { body[key]?.asString ?? "" }
        let scope = ChatScope(userId: name("user"), sessionId: name("session"), agentId: name("agent"))
        return try await call.context.handle.use { store in
            let report = try await ConversationMemory(store).remember(drafts, in: scope)
            return .json(["new": .count(report.new), "known": .count(report.known)])
        }
    }

    /// The members of a request to recall messages.
    private static let recallProperties = names.merging(period) { $1 }.merging([
        "query": Schema.string("A question or descriptive words.", minimum: 1, maximum: 20_000),
        "limit": Schema.integer("The maximum number of messages; 10 by default.", 1...100),
        "context": Schema.integer("The messages before and after each; 1 by default.", 0...10),
        "mode": Schema.choice(
            SearchMode.allCases.map(\.rawValue), "Whether to compare meaning, words or both (default)."),
        "all": Schema.flag("Whether to return the nearest messages even if none is relevant."),
        "exactWords": Schema.flag("Whether to search without correcting misspelled words."),
        "recent": Schema.flag("Whether to give newer messages a higher score."),
        "tokens": Schema.integer(
            "The maximum number of tokens of all texts; no limit by default.", 1...1_000_000),
    ]) { $1 }

    private static let recall = Route(
        method: .post, path: "/api/v1/conversations/recall", operation: "recallMessages", tag: tag,
        summary: "Return the messages that answer a question, with the messages around them.",
        details: "A question that names only a time, such as `what happened last week`, returns the messages "
            + "of that time, oldest first. \(FilterArguments.dayRule)",
        body: .json(
            Schema.object(named: "RecallRequest", recallProperties, required: ["query"])),
        answers: [
            Route.Answer(
                200, "The messages, best first, or oldest first for a time.",
                .json(ConversationDocument.recall))
        ]
    ) { call in
        var options = RecallOptions(
            limit: call.body["limit"]?.integer ?? 10, context: call.body["context"]?.integer ?? 1)
        options.now = Date()
        options.mode = call.body["mode"]?.asString.flatMap(SearchMode.init) ?? .hybrid
        options.includesAll = call.body["all"]?.flag ?? false
        options.usesExactWords = call.body["exactWords"]?.flag ?? false
        options.recency = call.body["recent"]?.flag == true ? RecallOptions.Recency() : nil
        options.tokenBudget = call.body["tokens"]?.integer
        let selection = try filter(call.body)
        let hasFilter = selection != .all
        return try await call.context.handle.use { [options] store in
            guard try await store.storage.snapshot().stamp.entryCount > 0 else {
                let reason = SearchNotices.noMessages(hasFilter: hasFilter)
                return .json(["messages": [], "notices": [.string(reason)]])
            }
            let found = try await ConversationMemory(store).search(
                call.body["query"]?.asString ?? "", in: selection, options)
            var members = try MessageJSON.explanation(of: found, hasFilter: hasFilter)
            members["messages"] = .array(try found.recollections.map(MessageJSON.brief))
            return .json(.object(members))
        }
    }

    private static func filter(_ value: JSONValue) throws(ToolFailure) -> ConversationMemory.Filter {
        ConversationMemory.Filter(
            userId: value["user"]?.asString, sessionId: value["session"]?.asString,
            agentId: value["agent"]?.asString,
            since: try FilterArguments.period("since", value)?.times.lowerBound,
            until: try FilterArguments.period("until", value)?.times.upperBound)
    }

    private static func draft(_ value: JSONValue, _ index: Int) throws(Problem) -> MessageDraft {
        do {
            return try MessageDraft(value)
        } catch {
            throw .invalid("body.messages[\(index)].\(error.member) \(error.text)")
        }
    }
}
