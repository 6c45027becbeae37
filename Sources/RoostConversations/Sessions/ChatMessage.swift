public import Foundation
import RoostModel

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
    public var timestamp: Date {
        didSet { timestamp = timestamp.wholeMilliseconds }
    }
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
