public import RoostConversations

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
        let scopes = Dictionary(grouping: all, by: \.scope)
        // Sorts the messages by time, and messages with the same time by the id of the agent and then by
        // their number.
        return scopes.sorted { $0.key.source < $1.key.source }
            .flatMap { scope, messages in
                alternating(messages).map { $0.attributed(agentId: scope.agentId) }
            }
            .enumerated().sorted {
                ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
            }.map(\.element)
    }

    /// Returns the messages, omitting each message that directly follows one with the same role.
    private func alternating(_ messages: [RememberedMessage]) -> [ConversationMessage] {
        var history: [ConversationMessage] = []
        for message in messages.map(\.message) where !isConsecutiveSameRole(history, message) {
            history.append(message)
        }
        return history
    }
}
