import Foundation
public import RoostConversations
import RoostModel

extension ConversationMemory {
    /// The name of what a user said first, in a session without messages.
    private static let openingName = "first-message"

    /// What was done with the messages of a session.
    public struct SessionReport: Sendable, Hashable, Encodable {
        public var messages = Report()
        /// What was no part of the conversation: thoughts, and the use of tools.
        public var omitted = 0
    }

    /// Adds the conversation of a session that a program keeps; what is known already is left alone.
    ///
    /// Of a session without messages it is the first one of its user.
    /// - Throws: as ``remember(_:in:batchSize:)``.
    @discardableResult
    public func remember(
        _ session: StoredSession, userId: String, agentId: String, batchSize: Int? = nil
    ) async throws -> SessionReport {
        let scope = ChatScope(userId: userId, sessionId: session.id, agentId: agentId)
        let silent: Set<MessageType> = [.thinking, .toolUse, .toolResult, .toolError]
        let said = session.messages.filter { !silent.contains($0.messageType) && !$0.content.isEmpty }
        var drafts = said.map { message in
            MessageDraft(
                id: message.id.uuidString.lowercased(),
                role: ConversationRole(rawValue: message.role.rawValue),
                content: message.content, timestamp: message.timestamp)
        }
        if session.messages.isEmpty, !session.firstUserMessage.isEmpty {
            drafts = [
                MessageDraft(
                    id: Self.openingName, role: .user, content: session.firstUserMessage,
                    timestamp: session.createdAt)
            ]
        }
        let report = try await remember(drafts, in: scope, batchSize: batchSize)
        if said.contains(where: { $0.content.utf8.elementsEqual(session.firstUserMessage.utf8) }) {
            // It stood for the message that there is now.
            try await forget(messages(named: Self.openingName, in: scope))
        }
        return SessionReport(messages: report, omitted: session.messages.count - said.count)
    }
}
