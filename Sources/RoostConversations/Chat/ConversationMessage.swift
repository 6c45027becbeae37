public import Foundation
import RoostModel

/// A message in a conversation with an agent.
public struct ConversationMessage: Sendable, Hashable, Codable, Identifiable {
    /// The unique id of the message.
    public var id: UUID
    /// The role of the author.
    public var role: ConversationRole
    /// The text.
    public var content: String
    /// The time of the message, rounded to milliseconds.
    public var timestamp: Date { didSet { timestamp = timestamp.wholeMilliseconds } }

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - role: The role of the author.
    ///   - content: The text.
    ///   - timestamp: The time of the message. It is rounded to milliseconds.
    ///   - id: The unique id of the message.
    public init(role: ConversationRole, content: String, timestamp: Date = Date(), id: UUID = UUID()) {
        (self.role, self.content, self.id) = (role, content, id)
        self.timestamp = timestamp.wholeMilliseconds
    }

    /// Returns the message with the prefix `[agentId]` before its content if it is an assistant's message
    /// without this prefix; otherwise the unchanged message.
    public func attributed(agentId: String) -> ConversationMessage {
        let prefix = "[\(agentId)] "
        guard role == .assistant, !content.utf8.starts(with: prefix.utf8) else { return self }
        var message = self
        message.content = prefix + content
        return message
    }

    private enum CodingKeys: String, CodingKey { case id, role, content, timestamp }

    /// Decodes a message. A message without an `id`, which another program may have written, gets a random
    /// one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            role: try container.decode(ConversationRole.self, forKey: .role),
            content: try container.decode(String.self, forKey: .content),
            timestamp: try container.decode(Date.self, forKey: .timestamp),
            id: try container.decodeIfPresent(UUID.self, forKey: .id) ?? UUID())
    }
}

/// The role of a message's author. Unknown roles are stored unchanged.
public struct ConversationRole: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the role.
    public let rawValue: String
    /// Creates a role from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The person who uses the program.
    public static let user = ConversationRole(rawValue: "user")
    /// The agent.
    public static let assistant = ConversationRole(rawValue: "assistant")
    /// Instructions from the program to the agent.
    public static let system = ConversationRole(rawValue: "system")
    /// The result of a tool that the agent used.
    public static let tool = ConversationRole(rawValue: "tool")

    public var description: String { rawValue }
}
