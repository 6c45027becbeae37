public import Foundation

/// A message before it is remembered.
public struct MessageDraft: Sendable, Hashable {
    /// The name of the message within its scope. Without a name, the message is identified by its role,
    /// speaker, time and content and, without a time, by its position in the conversation.
    public var id: String?
    /// The role of the author.
    public var role: ConversationRole
    /// The name of the author. It is searched together with the content, because questions often mention
    /// people by name.
    public var speaker: String?
    /// The text.
    public var content: String
    /// The time of the message. If `nil`, the time at which the message is remembered is used.
    public var timestamp: Date?
    /// The title of the conversation, which is searched as the title of the message.
    public var title: String?

    /// Creates a draft.
    public init(
        id: String? = nil, role: ConversationRole, speaker: String? = nil, content: String,
        timestamp: Date? = nil, title: String? = nil
    ) {
        (self.id, self.role, self.speaker) = (id, role, speaker)
        (self.content, self.timestamp, self.title) = (content, timestamp, title)
    }

    /// Creates a draft from a message of a conversation. Its name is the id of the message.
    public init(_ message: ConversationMessage) {
        self.init(
            id: message.id.uuidString.lowercased(), role: message.role, content: message.content,
            timestamp: message.timestamp)
    }
}
