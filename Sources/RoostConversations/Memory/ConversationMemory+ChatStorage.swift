/// Makes the memory usable as a chat storage that keeps every message. The limit on the number of messages
/// applies only to fetching.
extension ConversationMemory: ChatStorage {
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return trimToEvenPairs(
            alternating(try await messages(Filter(scope))), maxMessages: maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        try await remember(
            messages.map(MessageDraft.init),
            in: ChatScope(userId: userId, sessionId: sessionId, agentId: agentId))
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let all = try await messages(Filter(userId: userId, sessionId: sessionId))
        return ChatRules.merged(
            Dictionary(grouping: all, by: \.scope).map { ($0.key.agentId, alternating($0.value)) })
    }

    /// Returns the messages, omitting each message that directly follows one with the same role.
    private func alternating(_ messages: [RememberedMessage]) -> [ConversationMessage] {
        ChatRules.adding(messages.map(\.message), to: [])
    }
}
