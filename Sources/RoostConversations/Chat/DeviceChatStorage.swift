public import Foundation
import RoostModel

/// Histories where the platform keeps what programs know, durably: a SQLite database in the application
/// support folder of the user.
public struct DeviceChatStorage: ChatStorage {
    private let storage: SQLiteChatStorage

    /// - Parameters:
    ///   - name: of the program, or of what the histories are of: a folder's name.
    ///   - folder: `nil` takes the platform's.
    /// - Throws: ``StorageError``; `.invalidBatch` for a name that is no folder's.
    public init(
        name: String = "roost", folder: URL? = nil, retention: ChatRetention = .window
    ) throws {
        let place = try ApplicationSupport.folder(name, in: folder)
        storage = try SQLiteChatStorage(
            databasePath: place.appendingPathComponent("conversations.sqlite").path, retention: retention)
    }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        try await storage.fetch(
            userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    public func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws {
        try await storage.save(
            message, userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        try await storage.saveMessages(
            messages, userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        try await storage.fetchAllChats(userId: userId, sessionId: sessionId)
    }
}
