/// A user's conversation with an agent, with or without a storage.
///
/// It combines a ``ChatStorage`` with a scope and a window size, so that these do not have to be passed to
/// each call.
public struct Conversation: Sendable {
    /// The user, session and agent.
    public let scope: ChatScope
    /// The storage. If it is `nil`, nothing is stored, and the history is always empty.
    public let store: (any ChatStorage)?
    /// The size of the agent's window; `nil` for all messages.
    public let maxMessages: Int?

    /// Creates a conversation.
    ///
    /// - Parameters:
    ///   - userId: The id of the user.
    ///   - sessionId: The id of the session.
    ///   - agentId: The id of the agent.
    ///   - store: The storage. If it is `nil`, nothing is stored.
    ///   - maxMessages: The size of the agent's window; `nil` for all messages.
    public init(
        userId: String, sessionId: String, agentId: String, store: (any ChatStorage)?,
        maxMessages: Int? = nil
    ) {
        scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        (self.store, self.maxMessages) = (store, maxMessages)
    }

    /// Returns the window, oldest message first.
    ///
    /// - Throws: The errors of the storage.
    public func history() async throws -> [ConversationMessage] {
        try await store?.fetch(
            userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId,
            maxMessages: maxMessages) ?? []
    }

    /// Adds messages in one save.
    ///
    /// - Throws: The errors of the storage.
    public func add(_ messages: ConversationMessage...) async throws { try await add(messages) }

    /// Adds messages in one save.
    ///
    /// - Throws: The errors of the storage.
    public func add(_ messages: [ConversationMessage]) async throws {
        try await store?.saveMessages(
            messages, userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId,
            maxMessages: maxMessages)
    }

    /// Returns the messages of all agents of the session, in the order of their timestamps.
    ///
    /// - Throws: The errors of the storage.
    public func session() async throws -> [ConversationMessage] {
        try await store?.fetchAllChats(userId: scope.userId, sessionId: scope.sessionId) ?? []
    }
}
