import Foundation
import RoostConversations

/// The output for a session of another program, as JSON or as one line of text.
struct SessionDocument: Encodable {
    struct Message: Encodable {
        var id: String
        var role: MessageRole
        var type: MessageType
        var content: String
        var timestamp: String
        var toolName: String?
        var attachments: [String]?
    }

    var session: String
    var created: String
    var accessed: String
    var messages: Int
    var firstMessage: String
    /// The messages, only in the output for a single session.
    var history: [Message]?

    init(_ session: StoredSession, withMessages: Bool = false) {
        self.session = session.id
        created = DateText.string(from: session.createdAt)
        accessed = DateText.string(from: session.lastAccessedAt)
        messages = session.messages.count
        firstMessage = session.firstUserMessage
        guard withMessages else { return }
        history = session.messages.map { message in
            Message(
                id: message.id.uuidString.lowercased(), role: message.role, type: message.messageType,
                content: message.content, timestamp: DateText.string(from: message.timestamp),
                toolName: message.toolName, attachments: message.attachments?.map(\.name))
        }
    }

    /// Returns the row of a session in a list.
    static func row(of session: StoredSession) -> ListRow {
        ConversationRow.row(
            last: session.lastAccessedAt, messages: session.messages.count, session: session.id,
            opening: session.firstUserMessage, document: SessionDocument(session))
    }
}
