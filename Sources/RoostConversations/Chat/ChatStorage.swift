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

/// A chat storage that adds behavior to another chat storage.
///
/// Every method has a default implementation that calls ``base``. A decorator implements only the methods
/// that it changes.
public protocol ChatStorageDecorator: ChatStorage {
    /// The storage that the decorator calls.
    var base: any ChatStorage { get }
}

extension ChatStorageDecorator {
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        try await base.fetch(userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        try await base.saveMessages(
            messages, userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        try await base.fetchAllChats(userId: userId, sessionId: sessionId)
    }
}

package enum ChatRules {
    /// Returns the window of a history; see ``ChatStorage/trimToEvenPairs(_:maxMessages:)``.
    static func trimmed(_ messages: [ConversationMessage], _ maxMessages: Int?) -> [ConversationMessage] {
        guard let maxMessages else { return messages }
        let size = max(0, maxMessages - maxMessages % 2)
        guard messages.count > size else { return messages }
        let window = messages.suffix(size)
        // In a long exchange with tools, the window may contain no user message. Keep it unchanged in that
        // case.
        guard let first = window.firstIndex(where: { $0.role == .user }) else { return Array(window) }
        return Array(window[first...])
    }

    /// Returns a history with messages added. A message is skipped if it has the same role as the one before it.
    package static func adding(
        _ messages: [ConversationMessage], to history: [ConversationMessage]
    ) -> [ConversationMessage] {
        var history = history
        for message in messages where history.last?.role != message.role { history.append(message) }
        return history
    }

    /// Merges the histories of several agents by timestamp. Messages with equal timestamps are ordered by the
    /// bytes of the agents' ids; the order within each history does not change.
    package static func merged(_ scopes: [(agent: String, messages: [ConversationMessage])])
        -> [ConversationMessage]
    {
        let all = scopes.sorted { $0.agent.utf8.lexicographicallyPrecedes($1.agent.utf8) }
            .flatMap { scope in scope.messages.map { $0.attributed(agentId: scope.agent) } }
        return all.enumerated().sorted {
            ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
        }.map(\.element)
    }
}
