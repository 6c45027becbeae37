public import Foundation
import RoostModel

/// A session with its messages.
public struct StoredSession: Sendable, Hashable, Codable, Identifiable {
    /// The id of the session.
    public var id: String
    /// The time at which the session was created, rounded to milliseconds.
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }
    /// The first message of the user, which serves as a title in lists.
    public var firstUserMessage: String
    /// The time of the last access, rounded to milliseconds.
    public var lastAccessedAt: Date {
        didSet { lastAccessedAt = lastAccessedAt.wholeMilliseconds }
    }
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
