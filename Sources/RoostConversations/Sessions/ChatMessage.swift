public import Foundation
import RoostModel

/// Who a message of a session is from. Roles that are not known here are kept as they are.
public struct MessageRole: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let user = MessageRole(rawValue: "user")
    public static let assistant = MessageRole(rawValue: "assistant")
    public static let system = MessageRole(rawValue: "system")
    public static let tool = MessageRole(rawValue: "tool")

    public var description: String { rawValue }
}

/// What a message of a session is. Types that are not known here are kept as they are.
public struct MessageType: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let text = MessageType(rawValue: "text")
    public static let toolUse = MessageType(rawValue: "toolUse")
    public static let toolResult = MessageType(rawValue: "toolResult")
    public static let toolError = MessageType(rawValue: "toolError")
    public static let thinking = MessageType(rawValue: "thinking")
    public static let error = MessageType(rawValue: "error")

    public var description: String { rawValue }
}

/// A file that goes with a message.
public struct MessageAttachment: Sendable, Hashable, Codable {
    public var name: String
    /// A media type (RFC 6838), where it is known.
    public var contentType: String?
    public var data: Data?
    /// Where it lies, where it is not here.
    public var url: URL?

    public init(name: String, contentType: String? = nil, data: Data? = nil, url: URL? = nil) {
        (self.name, self.contentType, self.data, self.url) = (name, contentType, data, url)
    }
}

/// A message of a session.
public struct ChatMessage: Sendable, Hashable, Codable, Identifiable {
    public var id: UUID
    public var role: MessageRole
    public var content: String
    public var messageType: MessageType
    /// When it was written, to the millisecond.
    public var timestamp: Date {
        didSet { timestamp = timestamp.wholeMilliseconds }
    }
    public var toolName: String?
    public var attachments: [MessageAttachment]?

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

    /// Reads what others wrote too: without an `id` a message is given one, without a type it is text.
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

/// A session as a storage has it.
public struct StoredSession: Sendable, Hashable, Codable, Identifiable {
    public var id: String
    /// To the millisecond, as is ``lastAccessedAt``.
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }
    public var firstUserMessage: String
    public var lastAccessedAt: Date {
        didSet { lastAccessedAt = lastAccessedAt.wholeMilliseconds }
    }
    public var messages: [ChatMessage]

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

    /// Dates of others, too, are to the millisecond from then on.
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
