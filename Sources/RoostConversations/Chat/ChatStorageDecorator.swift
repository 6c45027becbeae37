/// A storage of histories that stands before another, and is that other wherever it does not say otherwise.
public protocol ChatStorageDecorator: ChatStorage {
    /// What the decorator stands before.
    var base: any ChatStorage { get }
}

extension ChatStorageDecorator {
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        try await base.fetch(
            userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
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
