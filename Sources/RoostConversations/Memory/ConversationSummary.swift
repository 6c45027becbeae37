public import Foundation
import RoostModel

/// A summary of a conversation, or of a session with several agents.
public struct ConversationSummary: Sendable, Hashable, Encodable {
    /// The id of the user.
    public var user: String
    /// The id of the session.
    public var session: String
    /// The ids of the agents that took part, sorted by their bytes.
    public var agents: [String]
    /// The number of messages.
    public var messages: Int
    /// The time of the first message.
    public var first: Date
    /// The time of the last message.
    public var last: Date
    /// The user's first message, or the first message of the conversation if the user wrote none.
    public var firstMessage: String
    /// The title of the conversation, if its first message has one.
    public var title: String?

    /// Creates a summary.
    public init(
        user: String, session: String, agents: [String], messages: Int, first: Date, last: Date,
        firstMessage: String, title: String? = nil
    ) {
        self.user = user
        self.session = session
        self.agents = agents
        self.messages = messages
        self.first = first
        self.last = last
        self.firstMessage = firstMessage
        self.title = title
    }

    private enum CodingKeys: String, CodingKey {
        case user, session, agents, messages, first, last, firstMessage, title
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(user, forKey: .user)
        try container.encode(session, forKey: .session)
        try container.encode(agents, forKey: .agents)
        try container.encode(messages, forKey: .messages)
        try container.encode(DateText.string(from: first), forKey: .first)
        try container.encode(DateText.string(from: last), forKey: .last)
        try container.encode(firstMessage, forKey: .firstMessage)
        try container.encodeIfPresent(title, forKey: .title)
    }
}
