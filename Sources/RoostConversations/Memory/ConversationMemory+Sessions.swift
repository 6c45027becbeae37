import Foundation
import Roost
import RoostModel

extension ConversationMemory {
    /// The name of the substitute message that is remembered for a session without messages.
    private static let firstMessageName = "first-message"

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

    /// Adds the conversation of a stored session. Messages that the memory already contains are not changed.
    ///
    /// If the session has no messages, its `firstUserMessage` is remembered instead.
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
        var drafts = spoken.map { message in
            MessageDraft(
                id: message.id.uuidString.lowercased(),
                role: ConversationRole(rawValue: message.role.rawValue),
                content: message.content, timestamp: message.timestamp)
        }
        if session.messages.isEmpty, !session.firstUserMessage.isEmpty {
            drafts = [
                MessageDraft(
                    id: Self.firstMessageName, role: .user, content: session.firstUserMessage,
                    timestamp: session.createdAt)
            ]
        }
        let report = try await remember(drafts, in: scope, batchSize: batchSize)
        if spoken.contains(where: { $0.content.utf8.elementsEqual(session.firstUserMessage.utf8) }) {
            // The session now contains the user's actual first message, so the substitute is removed.
            let id = MessageWriter.entryID(named: Self.firstMessageName, in: scope)
            let substitute = try await store.storage.snapshot().entries([id])
            try await forget(substitute.compactMap(RememberedMessage.init))
        }
        return SessionReport(messages: report, omitted: session.messages.count - spoken.count)
    }
}
