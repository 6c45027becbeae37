/// Keeps what users and agents said, in scopes of user, session and agent.
///
/// Safe to call from any number of tasks at once; what one call saves is there in full or not at all, and
/// next to each other. In `fetch`, `save` and `saveMessages`, `maxMessages` is the agent's window
/// (``trimToEvenPairs(_:maxMessages:)``); `nil` is everything.
public protocol ChatStorage: Sendable {
    /// The messages of a scope, oldest first, as many as the window has.
    ///
    /// - Throws: ``StorageError``, or an error of the implementer's.
    func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage]

    /// Adds a message to a scope. The default is ``saveMessages(_:userId:sessionId:agentId:maxMessages:)``
    /// with one.
    func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws

    /// Adds messages to a scope in their order; one that follows another of its role is left out
    /// (``isConsecutiveSameRole(_:_:)``). What falls out of the window may be forgotten.
    ///
    /// - Throws: ``StorageError``, or an error of the implementer's; nothing was added then.
    func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws

    /// The messages of all agents of a session by their timestamps, those of an assistant with `[agentId]`
    /// before them (``ConversationMessage/attributed(agentId:)``).
    ///
    /// - Throws: as ``fetch(userId:sessionId:agentId:maxMessages:)``.
    func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage]
}

extension ChatStorage {
    public func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws {
        try await saveMessages(
            [message], userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    /// The end of a history that an agent is given.
    ///
    /// `nil` gives all. Else the last `maxMessages`, made even by leaving out one (a question and its answer
    /// stay together), none for 1 and less. Where something is cut off, what is left begins with a user's
    /// message, if there is one: an answer whose question fell out goes too. A history that fits is given as
    /// it is.
    public func trimToEvenPairs(
        _ messages: [ConversationMessage], maxMessages: Int?
    ) -> [ConversationMessage] {
        ChatRules.trimmed(messages, maxMessages)
    }

    /// Whether a message follows another of the same role, as when a request is sent twice.
    public func isConsecutiveSameRole(
        _ history: [ConversationMessage], _ message: ConversationMessage
    ) -> Bool {
        history.last?.role == message.role
    }
}

/// What stores that keep scopes by themselves share.
enum ChatRules {
    static func trimmed(_ messages: [ConversationMessage], _ most: Int?) -> [ConversationMessage] {
        guard let most, messages.count > max(0, most - most % 2) else { return messages }
        let window = messages.suffix(max(0, most - most % 2))
        // A turn of tools may be longer than the window: it is not lost for having no question in it.
        guard let first = window.firstIndex(where: { $0.role == .user }) else { return Array(window) }
        return Array(window[first...])
    }

    /// A history with messages added.
    static func adding(
        _ messages: [ConversationMessage], to history: [ConversationMessage]
    ) -> [ConversationMessage] {
        var history = history
        for message in messages where history.last?.role != message.role { history.append(message) }
        return history
    }

    /// The messages of several agents by their timestamps. Of equal ones the agent whose id's bytes come
    /// first comes first, and each agent's stay in their order.
    static func merged(_ scopes: [(agent: String, messages: [ConversationMessage])]) -> [ConversationMessage]
    {
        let all = scopes.sorted { $0.agent.utf8.lexicographicallyPrecedes($1.agent.utf8) }
            .flatMap { scope in scope.messages.map { $0.attributed(agentId: scope.agent) } }
        return all.enumerated().sorted {
            ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
        }.map(\.element)
    }
}

/// What a store keeps of what falls out of an agent's window.
public enum ChatRetention: Sendable, Hashable {
    /// Nothing: a scope never has more than the window of the last save.
    case window
    /// Everything: the window only shapes what `fetch` returns, so that what was said long ago can be
    /// recalled.
    case everything
}
