package import RoostMemory
import RoostModel

/// The JSON form of recalled messages in the results of tools.
package enum MessageJSON {
    /// Returns the members that explain a recall: the notices, and the nearest messages if none is close to
    /// the query.
    ///
    /// - Parameters:
    ///   - offset: The number of messages on the previous pages.
    ///   - hasFilter: Whether the client selected the messages that may be found.
    /// - Throws: The errors of encoding.
    package static func explanation(
        of result: RecallResult, offset: Int = 0, hasFilter: Bool
    ) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let notices = SearchNotices.texts(of: result, offset: offset, hasFilter: hasFilter)
        if !notices.isEmpty { members["notices"] = .array(notices.map { .string($0) }) }
        if result.hasOnlyNoise, offset == 0 {
            members["nearest"] = .array(try result.nearest.map { try summary(of: $0, in: result) })
        }
        return members
    }

    /// Returns a recollection with scores that have four decimal places, as those of other results.
    package static func full(_ found: Recollection) throws -> [String: JSONValue] {
        var members = try JSONValue.encoding(found).members ?? [:]
        members["score"] = .rounded(found.score)
        members["similarity"] = .rounded(found.similarity)
        return members
    }

    /// Returns a recollection without members that say the same as others: the location names the
    /// conversation again, and the title is that of the text, unless the conversation has one.
    static func brief(_ found: Recollection) throws -> JSONValue {
        var members = try full(found)
        members["location"] = nil
        members["title"] = found.message.title.map { .string($0) }
        return .object(members)
    }

    /// Returns a message with an excerpt instead of its text.
    private static func summary(of found: Recollection, in result: RecallResult) throws -> JSONValue {
        var members = try JSONValue.encoding(found.message).members ?? [:]
        members["content"] = nil
        members["snippet"] = EntryJSON.snippetText(
            of: found.hit, in: result.search, tokens: TokenBudget.standard)
        return .object(members)
    }

    /// The properties of a message except its text.
    private static let identity =
        [
            ToolProperty("id", .string(maximumBytes: .max), isRequired: true, "The id, for 'fetch'."),
            ToolProperty("role", .string(maximumBytes: .max), isRequired: true, "The role of the author."),
            ToolProperty("speaker", .string(maximumBytes: .max), "The name of the author."),
            ToolProperty("timestamp", .string(maximumBytes: .max), isRequired: true, "The time."),
            ToolProperty(
                "number", .integer(0...Int.max), isRequired: true,
                "The number of the message in its conversation, from 0."),
            ToolProperty(
                "name", .string(maximumBytes: .max),
                "The name that was given to the message when it was stored."),
        ] + ScopeArguments.results

    /// The properties of a message.
    private static let message =
        identity + [
            ToolProperty(
                "content", .string(maximumBytes: .max), isRequired: true, "The text, or its beginning."),
            ToolProperty(
                "nextOffset", .integer(0...Int.max), "The offset at which 'fetch' continues the text."),
        ]

    /// The properties of a recollection.
    static let recollection = [
        ToolProperty("message", .object(message), isRequired: true, "The message."),
        ToolProperty(
            "score", .number(-.infinity ... .infinity), isRequired: true, "The relevance from 0 to 1."),
        ToolProperty("similarity", .number(-.infinity ... .infinity), "The cosine similarity."),
        ToolProperty("title", .string(maximumBytes: .max), "The title of the conversation, if it has one."),
        ToolProperty(
            "before", .array(of: .object(message), maximumCount: maximumContext),
            "The messages before it, oldest first."),
        ToolProperty(
            "after", .array(of: .object(message), maximumCount: maximumContext),
            "The messages after it, oldest first."),
    ]

    /// The maximum number of messages before and after each message.
    static let maximumContext = 10

    /// The properties that ``explanation(of:)`` returns.
    static let explanation = [
        ToolProperty(
            "notices", .array(of: .string(maximumBytes: .max), maximumCount: 100),
            "How the query was understood, and why there are no messages."),
        ToolProperty(
            "nearest",
            .array(of: .object(identity + [EntryJSON.snippetProperty]), maximumCount: 3),
            "The nearest messages, if none is close to the query. They are probably irrelevant."),
    ]
}
