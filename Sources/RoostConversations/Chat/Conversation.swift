/// A user's conversation with an agent: its window, kept in a storage or nowhere.
///
/// Choosing agents and calling models is not done here: this is what such programs keep their histories with.
public struct Conversation: Sendable {
    public let scope: ChatScope
    /// `nil` keeps nothing: every call sees an empty history.
    public let store: (any ChatStorage)?
    /// The agent's window; `nil` for everything.
    public let maxMessages: Int?

    public init(
        userId: String, sessionId: String, agentId: String, store: (any ChatStorage)?,
        maxMessages: Int? = nil
    ) {
        scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        (self.store, self.maxMessages) = (store, maxMessages)
    }

    /// The window, oldest first.
    public func history() async throws -> [ConversationMessage] {
        try await store?.fetch(
            userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId,
            maxMessages: maxMessages) ?? []
    }

    /// Keeps what was said, at once.
    public func add(_ messages: ConversationMessage...) async throws { try await add(messages) }

    /// Keeps what was said, at once.
    public func add(_ messages: [ConversationMessage]) async throws {
        try await store?.saveMessages(
            messages, userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId,
            maxMessages: maxMessages)
    }

    /// What was said in the session to all agents.
    public func session() async throws -> [ConversationMessage] {
        try await store?.fetchAllChats(userId: scope.userId, sessionId: scope.sessionId) ?? []
    }
}
