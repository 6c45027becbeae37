import RoostModel

/// A chat storage that keeps histories in memory, for tests and temporary data.
public actor InMemoryChatStorage: ChatStorage {
    private let retention: ChatRetention
    private var scopes: [ChatScope: [ConversationMessage]] = [:]

    /// Creates an empty storage.
    ///
    /// - Parameter retention: The treatment of messages outside the window.
    public init(retention: ChatRetention = .window) { self.retention = retention }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return ChatRules.trimmed(scopes[scope] ?? [], maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        let all = ChatRules.adding(messages, to: scopes[scope] ?? [])
        scopes[scope] = retention == .window ? ChatRules.trimmed(all, maxMessages) : all
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        ChatRules.merged(
            scopes.filter { $0.key.isOf(userId: userId, sessionId: sessionId) }
                .map { ($0.key.agentId, $0.value) })
    }
}
