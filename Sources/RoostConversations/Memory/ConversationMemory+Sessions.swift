import Foundation
import Roost
import RoostModel

extension ConversationMemory {
    /// The types of messages that are not part of the conversation.
    private static let omittedTypes: Set<MessageType> = [.thinking, .toolUse, .toolResult, .toolError]

    /// The result of remembering a session.
    public struct SessionReport: Sendable, Hashable, Encodable {
        /// The numbers of new and known messages.
        public var messages = Report()
        /// The number of messages that are not part of the conversation: reasoning, the use of tools, and
        /// empty messages.
        public var omitted = 0
    }

    /// Adds the messages of a stored session. Messages that the memory already contains are not changed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - userId: The user of the conversation.
    ///   - agentId: The agent of the conversation.
    ///   - batchSize: The maximum number of messages in one commit; `nil` adds all messages in one commit.
    /// - Throws: The same errors as ``remember(_:in:batchSize:)``.
    @discardableResult
    public func remember(
        _ session: StoredSession, userId: String, agentId: String, batchSize: Int? = nil
    ) async throws -> SessionReport {
        let scope = ChatScope(userId: userId, sessionId: session.id, agentId: agentId)
        let spoken = session.messages.filter {
            !Self.omittedTypes.contains($0.messageType) && !$0.content.isEmpty
        }
        let drafts = spoken.map { message in
            MessageDraft(
                id: message.id.uuidString.lowercased(), role: message.role, content: message.content,
                timestamp: message.timestamp)
        }
        let report = try await remember(drafts, in: scope, batchSize: batchSize)
        return SessionReport(messages: report, omitted: session.messages.count - spoken.count)
    }
}
