import Roost
import RoostConversations
import RoostModel

/// The arguments that name a conversation.
enum ScopeArguments {
    static let properties = [
        ToolProperty("user", .string(maximumBytes: 1_000), "The user of the conversation."),
        ToolProperty("session", .string(maximumBytes: 1_000), "The session of the conversation."),
        ToolProperty("agent", .string(maximumBytes: 1_000), "The agent of the conversation."),
    ]

    /// The same arguments for a conversation to which messages are added.
    static let defaultedProperties = properties.map {
        ToolProperty(
            $0.name, $0.kind,
            String($0.description.dropLast())
                + "; that of the server's conversation, or '\(defaultName)', if it is absent.")
    }

    /// The user, session or agent that is not given.
    private static let defaultName = "default"

    /// Returns the filter for messages that the arguments and the access rules describe.
    ///
    /// - Throws: ``ToolFailure`` if a name is empty, or the conversation is not visible.
    static func filter(
        _ arguments: ToolArguments, _ rules: AccessRules
    ) throws(ToolFailure) -> ConversationMemory.Filter {
        if let scope = rules.scope {
            try checkMatch(arguments, scope)
            return ConversationMemory.Filter(scope)
        }
        return ConversationMemory.Filter(
            userId: try name("user", arguments), sessionId: try name("session", arguments),
            agentId: try name("agent", arguments))
    }

    /// Returns the conversation to which messages are added. Names that are not given are `default`.
    static func scope(_ arguments: ToolArguments, _ rules: AccessRules) throws(ToolFailure) -> ChatScope {
        if let scope = rules.scope {
            try checkMatch(arguments, scope)
            return scope
        }
        return ChatScope(
            userId: try name("user", arguments) ?? defaultName,
            sessionId: try name("session", arguments) ?? defaultName,
            agentId: try name("agent", arguments) ?? defaultName)
    }

    /// Returns the name that an argument gives; `nil` if it is absent.
    ///
    /// - Throws: ``ToolFailure`` if it is empty, because a model that passes an empty text usually means no
    ///   conversation in particular.
    private static func name(_ key: String, _ arguments: ToolArguments) throws(ToolFailure) -> String? {
        guard let name = arguments.string(key) else { return nil }
        guard !name.allSatisfy(\.isWhitespace) else {
            throw ToolFailure("'\(key)' is empty; omit it, or give a name")
        }
        return name
    }

    private static func checkMatch(_ arguments: ToolArguments, _ scope: ChatScope) throws(ToolFailure) {
        for (name, own) in [("user", scope.userId), ("session", scope.sessionId), ("agent", scope.agentId)] {
            guard let given = arguments.string(name), given != own else { continue }
            throw ToolFailure("this server is limited to one conversation; omit '\(name)'")
        }
    }
}
