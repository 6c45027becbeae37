public import Foundation
import RoostModel

/// Who said something. Roles that are not known here are kept as they are.
public struct ConversationRole: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let user = ConversationRole(rawValue: "user")
    public static let assistant = ConversationRole(rawValue: "assistant")
    public static let system = ConversationRole(rawValue: "system")
    public static let tool = ConversationRole(rawValue: "tool")

    public var description: String { rawValue }
}

/// Something that was said in a conversation with an agent.
public struct ConversationMessage: Sendable, Hashable, Codable, Identifiable {
    public var id: UUID
    public var role: ConversationRole
    public var content: String
    /// When it was said, to the millisecond.
    public var timestamp: Date {
        didSet { timestamp = timestamp.wholeMilliseconds }
    }

    public init(role: ConversationRole, content: String, timestamp: Date = Date(), id: UUID = UUID()) {
        (self.role, self.content, self.id) = (role, content, id)
        self.timestamp = timestamp.wholeMilliseconds
    }

    /// An assistant's message with `[agentId]` before its content, once; any other as it is.
    public func attributed(agentId: String) -> ConversationMessage {
        let prefix = "[\(agentId)] "
        guard role == .assistant, !content.utf8.starts(with: prefix.utf8) else { return self }
        var message = self
        message.content = prefix + content
        return message
    }

    private enum CodingKeys: String, CodingKey { case id, role, content, timestamp }

    /// Reads what others wrote too: without an `id` a message is given one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            role: try container.decode(ConversationRole.self, forKey: .role),
            content: try container.decode(String.self, forKey: .content),
            timestamp: try container.decode(Date.self, forKey: .timestamp),
            id: try container.decodeIfPresent(UUID.self, forKey: .id) ?? UUID())
    }

    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.milliseconds)
        }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }
}
