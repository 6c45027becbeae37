/// Stores chat histories. Each history belongs to a ``ChatScope``: a user, a session and an agent.
///
/// Implementations can be called from any number of tasks at the same time. The messages of one save are
/// stored completely or not at all, and messages of other saves never appear between them. In `fetch`, `save`
/// and `saveMessages`, `maxMessages` is the size of the agent's window (``trimToEvenPairs(_:maxMessages:)``);
/// `nil` means that the window contains all messages.
public protocol ChatStorage: Sendable {
    /// Returns the window of a history, oldest message first.
    ///
    /// - Parameters:
    ///   - userId: The id of the user.
    ///   - sessionId: The id of the session.
    ///   - agentId: The id of the agent.
    ///   - maxMessages: The maximum number of messages; `nil` returns all.
    /// - Throws: `StorageError`, or an error of the implementation.
    func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage]

    /// Adds a message to a history.
    ///
    /// The default implementation calls ``saveMessages(_:userId:sessionId:agentId:maxMessages:)``.
    func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws

    /// Adds messages to a history.
    ///
    /// A message that has the same role as the one before it is skipped (``isConsecutiveSameRole(_:_:)``).
    ///
    /// - **Atomicity**: Either all messages are added or none.
    /// - Parameters:
    ///   - messages: The messages, oldest first.
    ///   - userId: The id of the user.
    ///   - sessionId: The id of the session.
    ///   - agentId: The id of the agent.
    ///   - maxMessages: The size of the window. The storage may delete messages outside it; `nil` keeps all.
    /// - Throws: `StorageError`, or an error of the implementation.
    func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws

    /// Returns the messages of all agents of a session, in the order of their timestamps. Messages of
    /// assistants have the prefix `[agentId]` (``ConversationMessage/attributed(agentId:)``).
    ///
    /// - Throws: The same errors as ``fetch(userId:sessionId:agentId:maxMessages:)``.
    func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage]
}

extension ChatStorage {
    public func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws {
        try await saveMessages(
            [message], userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    /// Returns the window of a history: the newest messages, which an agent receives.
    ///
    /// The size of the window is `maxMessages` rounded down to an even number, so that a question and its
    /// answer stay together. A history that fits into the window is returned unchanged. Otherwise, messages
    /// before the first user message in the window are omitted, so that the window does not begin with an
    /// answer whose question is missing. If the window contains no user message, nothing is omitted from it.
    ///
    /// - Parameters:
    ///   - messages: The history, oldest message first.
    ///   - maxMessages: The size of the window. `nil` returns the complete history; 1 or less returns
    ///     nothing.
    public func trimToEvenPairs(
        _ messages: [ConversationMessage], maxMessages: Int?
    ) -> [ConversationMessage] {
        ChatRules.trimmed(messages, maxMessages)
    }

    /// Returns whether a message has the same role as the last message of a history. This happens, for
    /// example, if a request is sent twice.
    public func isConsecutiveSameRole(
        _ history: [ConversationMessage], _ message: ConversationMessage
    ) -> Bool {
        history.last?.role == message.role
    }
}
