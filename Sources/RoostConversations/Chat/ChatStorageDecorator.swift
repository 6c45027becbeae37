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
