import Foundation
import Roost
import RoostConversations
import RoostModel

struct RecallTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    private static let maximumLimit = 50

    let definition = ToolDefinition(
        name: "recall", title: "Recall messages",
        description:
            "Returns messages of earlier conversations that answer a question, best first, each with the "
            + "messages around it. Messages from a date that the question names, such as '7 May 2023', rank "
            + "higher; 'since' and 'until' restrict the time. A message with 'nextOffset' is truncated; call "
            + "'fetch' with its id and this offset for the rest.",
        effect: .reads,
        input: [
            ToolProperty(
                "query", .string(maximumBytes: 20_000), isRequired: true, "A question or descriptive words."),
            ToolProperty(
                "limit", .integer(1...maximumLimit), "The maximum number of messages; 10 by default."),
            ToolProperty(
                "context", .integer(0...MessageJSON.maximumContext),
                "The messages before and after each message; 1 by default."),
            ToolProperty(
                "since", .string(maximumBytes: 40),
                "Only messages since this time: \(FilterArguments.timeForms). \(FilterArguments.dayRule)"),
            ToolProperty(
                "until", .string(maximumBytes: 40),
                "Only messages until the end of this day, week, month or year, or before this time."),
        ] + ScopeArguments.properties + ResultPage.arguments)

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        let query = try arguments.requiredString("query")
        var filter = try ScopeArguments.filter(arguments, rules)
        filter.since = try FilterArguments.period("since", arguments.json)?.times.lowerBound
        filter.until = try FilterArguments.period("until", arguments.json)?.times.upperBound
        var options = RecallOptions(
            limit: arguments.integer("limit", default: 10), context: arguments.integer("context", default: 1))
        options.now = Date()
        return try await handle.use { [filter, options] store in
            let stamp = try await store.storage.snapshot().stamp
            var options = options
            options.offset = try PageCursor.position(of: arguments, at: stamp)
            guard stamp.entryCount > 0 else {
                return [
                    "messages": [], "omitted": 0, "notice": EntryJSON.notice,
                    "notices": [.string(SearchNotices.noMessages(hasFilter: Self.hasFilter(arguments)))],
                ]
            }
            let found = try await ConversationMemory(store).search(query, in: filter, options)
            // The search may have read a newer state than that of the cursor.
            _ = try PageCursor.position(of: arguments, at: found.search.stamp)
            return .object(try Self.page(of: found, offset: options.offset, arguments))
        }
    }

    /// Returns the page that begins with the given recollections, cut to the token budget of the call.
    private static func page(
        of found: RecallResult, offset: Int, _ arguments: ToolArguments
    ) throws -> [String: JSONValue] {
        func cursor(_ count: Int) -> JSONValue {
            .string(PageCursor(position: offset + count, of: arguments, at: found.search.stamp).text)
        }
        let page = found.recollections
        var members: [String: JSONValue] = ["messages": [], "omitted": 0, "notice": EntryJSON.notice]
        var budget = TokenBudget(arguments)
        budget.use(.object(members))
        if !page.isEmpty { budget.use(["nextCursor": cursor(page.count)]) }
        var explanation = try MessageJSON.explanation(
            of: found, offset: offset, hasFilter: hasFilter(arguments))
        let isLast = offset + page.count >= found.count
        if isLast, found.isCut, !page.isEmpty {
            let notices = explanation["notices"]?.elements ?? []
            explanation["notices"] = .array(notices + [.string(cutNotice)])
        }
        for (name, value) in explanation {
            // At least one notice and one message are returned.
            budget.use([name: []])
            members[name] = .array(budget.takeFirst(of: value.elements ?? []))
        }
        let messages = fitting(try page.map(MessageJSON.brief), budget)
        members["messages"] = .array(messages)
        members["omitted"] = .integer(Int64(page.count - messages.count))
        if messages.count < page.count || !isLast { members["nextCursor"] = cursor(messages.count) }
        return members
    }

    /// Returns whether arguments select the messages that may be found.
    private static func hasFilter(_ arguments: ToolArguments) -> Bool {
        (ScopeArguments.properties.map(\.name) + ["since", "until"]).contains { arguments[$0] != nil }
    }

    private static let cutNotice =
        "more messages may match; narrow the query, or use 'since' and 'until', to find them"

    /// The members of a recollection that hold the messages around it.
    private static let contextNames = ["before", "after"]

    /// The part of the budget that the text of a message may need, so that several messages fit.
    private static let share = 4

    /// Returns the first recollections that fit into a budget, with long texts cut. A recollection that does
    /// not fit with its context has none. The first recollection is always returned.
    private static func fitting(_ items: [JSONValue], _ budget: TokenBudget) -> [JSONValue] {
        var budget = budget
        let limit = budget.remainingBytes / share
        var fitting: [JSONValue] = []
        for item in items {
            let (whole, alone) = (cut(item, limit, withContext: true), cut(item, limit))
            guard let form = [whole, alone].first(where: { budget.take($0) }) else {
                return fitting.isEmpty ? [alone] : fitting
            }
            fitting.append(form)
        }
        return fitting
    }

    /// Returns a recollection whose texts have at most the given number of bytes.
    private static func cut(_ item: JSONValue, _ bytes: Int, withContext: Bool = false) -> JSONValue {
        var members = item.members ?? [:]
        members["message"] = members["message"].map { shortened($0, bytes) }
        for name in contextNames {
            let messages = withContext ? members[name]?.elements ?? [] : []
            members[name] = .array(messages.map { shortened($0, bytes) })
        }
        return .object(members)
    }

    /// Returns a message whose text has at most the given number of bytes. If the text is cut, `nextOffset`
    /// is the offset at which the tool `fetch` continues.
    private static func shortened(_ message: JSONValue, _ bytes: Int) -> JSONValue {
        guard var members = message.members, let text = members["content"]?.asString,
            text.utf8.count > bytes
        else { return message }
        let part = EntryJSON.prefix(of: text[...], bytes: bytes)
        members["content"] = .string(String(part))
        members["nextOffset"] = .integer(Int64(part.utf8.count))
        return .object(members)
    }
}
