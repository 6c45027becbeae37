public import Foundation
import RoostModel

/// A session with its messages.
public struct StoredSession: Sendable, Hashable, Codable, Identifiable {
    /// The id of the session.
    public var id: String
    /// The time at which the session was created, rounded to milliseconds.
    public var createdAt: Date { didSet { createdAt = createdAt.wholeMilliseconds } }
    /// The first message of the user, which serves as a title in lists.
    public var firstUserMessage: String
    /// The time of the last access, rounded to milliseconds.
    public var lastAccessedAt: Date { didSet { lastAccessedAt = lastAccessedAt.wholeMilliseconds } }
    /// The messages, oldest first.
    public var messages: [ChatMessage]

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - id: The id of the session.
    ///   - createdAt: The time at which the session was created. It is rounded to milliseconds.
    ///   - firstUserMessage: The first message of the user.
    ///   - lastAccessedAt: The time of the last access. It is rounded to milliseconds.
    ///   - messages: The messages, oldest first.
    public init(
        id: String, createdAt: Date, firstUserMessage: String, lastAccessedAt: Date,
        messages: [ChatMessage] = []
    ) {
        (self.id, self.firstUserMessage, self.messages) = (id, firstUserMessage, messages)
        self.createdAt = createdAt.wholeMilliseconds
        self.lastAccessedAt = lastAccessedAt.wholeMilliseconds
    }

    private enum CodingKeys: String, CodingKey {
        case id, createdAt, firstUserMessage, lastAccessedAt, messages
    }

    /// Decodes a session and rounds its dates to milliseconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            createdAt: try container.decode(Date.self, forKey: .createdAt),
            firstUserMessage: try container.decode(String.self, forKey: .firstUserMessage),
            lastAccessedAt: try container.decode(Date.self, forKey: .lastAccessedAt),
            messages: try container.decodeIfPresent([ChatMessage].self, forKey: .messages) ?? [])
    }
}

/// A message in a session.
public struct ChatMessage: Sendable, Hashable, Codable, Identifiable {
    /// The unique id of the message.
    public var id: UUID
    /// The role of the author.
    public var role: MessageRole
    /// The text.
    public var content: String
    /// The type of the message.
    public var messageType: MessageType
    /// The time of the message, rounded to milliseconds.
    public var timestamp: Date { didSet { timestamp = timestamp.wholeMilliseconds } }
    /// The name of the tool, for messages about the use of a tool.
    public var toolName: String?
    /// The files that are attached to the message.
    public var attachments: [MessageAttachment]?

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - role: The role of the author.
    ///   - content: The text.
    ///   - messageType: The type of the message.
    ///   - id: The unique id of the message.
    ///   - timestamp: The time of the message. It is rounded to milliseconds.
    ///   - toolName: The name of the tool, for messages about the use of a tool.
    ///   - attachments: The files that are attached to the message.
    public init(
        role: MessageRole, content: String, messageType: MessageType = .text, id: UUID = UUID(),
        timestamp: Date = Date(), toolName: String? = nil, attachments: [MessageAttachment]? = nil
    ) {
        (self.role, self.content, self.messageType, self.id) = (role, content, messageType, id)
        (self.toolName, self.attachments) = (toolName, attachments)
        self.timestamp = timestamp.wholeMilliseconds
    }

    private enum CodingKeys: String, CodingKey {
        case id, role, content, messageType, timestamp, toolName, attachments
    }

    /// Decodes a message. In messages from other programs, a missing `id` is replaced with a random one, a
    /// missing type with `text`, and a missing timestamp with the beginning of 1970.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            role: try container.decode(MessageRole.self, forKey: .role),
            content: try container.decode(String.self, forKey: .content),
            messageType: try container.decodeIfPresent(MessageType.self, forKey: .messageType) ?? .text,
            id: try container.decodeIfPresent(UUID.self, forKey: .id) ?? UUID(),
            timestamp: try container.decodeIfPresent(Date.self, forKey: .timestamp)
                ?? Date(milliseconds: 0),
            toolName: try container.decodeIfPresent(String.self, forKey: .toolName),
            attachments: try container.decodeIfPresent([MessageAttachment].self, forKey: .attachments))
    }
}

/// The role of a message's author in a session.
public typealias MessageRole = ConversationRole

/// The type of a message in a session. Unknown types are stored unchanged.
public struct MessageType: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the type.
    public let rawValue: String
    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Text from the user or the agent.
    public static let text = MessageType(rawValue: "text")
    /// A tool call by the agent.
    public static let toolUse = MessageType(rawValue: "toolUse")
    /// The result of a tool.
    public static let toolResult = MessageType(rawValue: "toolResult")
    /// An error that a tool reported.
    public static let toolError = MessageType(rawValue: "toolError")
    /// The agent's reasoning before its answer.
    public static let thinking = MessageType(rawValue: "thinking")
    /// An error in the program or the agent.
    public static let error = MessageType(rawValue: "error")

    public var description: String { rawValue }
}

/// A file that is attached to a message.
public struct MessageAttachment: Sendable, Hashable, Codable {
    /// The name of the file.
    public var name: String
    /// The media type of the file (RFC 6838), if it is known.
    public var contentType: String?
    /// The contents of the file, if they are stored with the message.
    public var data: Data?
    /// The location of the file, if its contents are not stored with the message.
    public var url: URL?

    /// Creates an attachment.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - contentType: The media type of the file.
    ///   - data: The contents of the file.
    ///   - url: The location of the file.
    public init(name: String, contentType: String? = nil, data: Data? = nil, url: URL? = nil) {
        (self.name, self.contentType, self.data, self.url) = (name, contentType, data, url)
    }
}
