public import Foundation
import Roost
public import RoostModel

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

/// A message that a memory keeps: an entry of the store whose metadata has `kind` = `message`.
public struct RememberedMessage: Sendable, Hashable, Identifiable, Encodable {
    /// The id of the entry.
    public var id: Entry.ID
    /// The conversation that the message belongs to.
    public var scope: ChatScope
    /// The number of the message in its scope. Messages are numbered from 0 in the order in which they were
    /// remembered.
    public var number: Int
    /// The role of the author.
    public var role: ConversationRole
    /// The name of the author.
    public var speaker: String?
    /// The text, without the name of the author.
    public var content: String
    /// The time of the message.
    public var timestamp: Date
    /// The name that was given to the message when it was remembered (``MessageDraft/id``).
    public var name: String?
    /// The title of the conversation that was given to the message (``MessageDraft/title``).
    public var title: String?

    /// The metadata keys of a message's entry, and the value of `kind` that marks it as a message.
    enum Key {
        static let kind = DocumentKey.kind
        static let message = DocumentKey.messageKind
        static let user = "user"
        static let session = "session"
        static let agent = "agent"
        static let role = "role"
        static let speaker = "speaker"
        static let number = "number"
        static let name = "name"
        static let title = DocumentKey.title
    }

    /// The greatest number that a message can have. Any program can write the metadata of an entry, so
    /// greater numbers found there are reduced to this one, which keeps arithmetic from overflowing.
    static let maximumNumber: Int64 = 1 << 52

    /// Creates a message, for example for a preview. It is not added to a memory.
    public init(
        id: Entry.ID = UUID(), scope: ChatScope, number: Int = 0, role: ConversationRole,
        speaker: String? = nil, content: String, timestamp: Date, name: String? = nil,
        title: String? = nil
    ) {
        (self.id, self.scope, self.number, self.role) = (id, scope, number, role)
        (self.speaker, self.content, self.timestamp, self.name) = (speaker, content, timestamp, name)
        self.title = title
    }

    /// Creates a message from an entry.
    ///
    /// - Returns: `nil` if the entry is not a message.
    public init?(_ entry: Entry) {
        func text(_ key: String) -> String? {
            if case .string(let text)? = entry.metadata[key] { text } else { nil }
        }
        guard text(Key.kind) == Key.message, let user = text(Key.user), let session = text(Key.session),
            let agent = text(Key.agent), let role = text(Key.role),
            case .integer(let number)? = entry.metadata[Key.number]
        else { return nil }
        id = entry.id
        scope = ChatScope(userId: user, sessionId: session, agentId: agent)
        self.number = Int(min(max(0, number), Self.maximumNumber))
        self.role = ConversationRole(rawValue: role)
        speaker = text(Key.speaker)
        let prefix = speaker.map(Self.prefix) ?? ""
        // Compares bytes, because a combining character at the start of the content merges with the preceding
        // space.
        content =
            entry.content.utf8.starts(with: prefix.utf8)
            ? String(decoding: entry.content.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            : entry.content
        timestamp = entry.createdAt
        name = text(Key.name)
        title = text(Key.title)
    }

    /// Returns the text of a message's entry, which is embedded and searched: the name of the author, if any,
    /// followed by the content.
    static func text(_ draft: MessageDraft) -> String { (draft.speaker.map(prefix) ?? "") + draft.content }

    private static func prefix(_ speaker: String) -> String { speaker.isEmpty ? "" : "\(speaker): " }

    /// The message in the form that agents use.
    public var message: ConversationMessage {
        ConversationMessage(
            role: role, content: content, timestamp: timestamp,
            id: name.flatMap { UUID(uuidString: $0) } ?? id)
    }

    public func encode(to encoder: any Encoder) throws { try MessageDocument(self).encode(to: encoder) }
}

/// The JSON form of a message.
package struct MessageDocument: Codable, Sendable {
    /// The id of the message, which is also that of its entry.
    package var id: String
    package var user: String
    package var session: String
    package var agent: String
    /// The number of the message in its conversation, from 0.
    package var number: Int
    package var role: String
    package var speaker: String?
    package var content: String?
    package var snippet: String?
    package var timestamp: String
    /// The name that was given to the message when it was stored.
    package var name: String?

    package init(_ message: RememberedMessage) {
        id = message.id.text
        (user, session) = (message.scope.userId, message.scope.sessionId)
        (agent, number) = (message.scope.agentId, message.number)
        role = message.role.rawValue
        (speaker, content, name) = (message.speaker, message.content, message.name)
        timestamp = DateText.string(from: message.timestamp)
    }
}
