public import Foundation
public import RoostConversations
public import RoostModel

/// Something that was said, before a store has it.
public struct MessageDraft: Sendable, Hashable {
    /// Its name in the scope; `nil` takes a digest of role, time and content.
    public var id: String?
    public var role: ConversationRole
    /// Who said it, where that is more than the role: it is searched with the content.
    public var speaker: String?
    public var content: String
    /// `nil` takes the time at which it is remembered.
    public var timestamp: Date?

    public init(
        id: String? = nil, role: ConversationRole, speaker: String? = nil, content: String,
        timestamp: Date? = nil
    ) {
        (self.id, self.role, self.speaker) = (id, role, speaker)
        (self.content, self.timestamp) = (content, timestamp)
    }

    public init(_ message: ConversationMessage) {
        self.init(
            id: message.id.uuidString.lowercased(), role: message.role, content: message.content,
            timestamp: message.timestamp)
    }
}

/// Something that was said, as a store has it: an entry whose `kind` is `message`.
public struct RememberedMessage: Sendable, Hashable, Identifiable, Encodable {
    /// The entry's id.
    public var id: Entry.ID
    public var scope: ChatScope
    /// Its place in the scope, from 0, in the order in which the store was told.
    public var number: Int
    public var role: ConversationRole
    public var speaker: String?
    public var content: String
    public var timestamp: Date
    /// The name that it had where it came from.
    public var name: String?

    /// Values of `kind` and the like in an entry's metadata.
    enum Key {
        static let kind = "kind"
        static let message = "message"
        static let user = "user"
        static let session = "session"
        static let agent = "agent"
        static let role = "role"
        static let speaker = "speaker"
        static let number = "number"
        static let name = "name"
    }

    /// - Returns: `nil` for an entry that is no message.
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
        // What no conversation has, somebody made up.
        self.number = Int(min(max(0, number), 1 << 52))
        self.role = ConversationRole(rawValue: role)
        speaker = text(Key.speaker)
        let prefix = speaker.map(Self.prefix) ?? ""
        // By bytes: a letter may go on after the blank.
        content =
            entry.content.utf8.starts(with: prefix.utf8)
            ? String(decoding: entry.content.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            : entry.content
        timestamp = entry.createdAt
        name = text(Key.name)
    }

    /// What is embedded and searched of it: questions name those who said something.
    static func text(_ draft: MessageDraft) -> String {
        (draft.speaker.map(prefix) ?? "") + draft.content
    }

    private static func prefix(_ speaker: String) -> String { speaker.isEmpty ? "" : "\(speaker): " }

    /// The message as agents have it.
    public var message: ConversationMessage {
        ConversationMessage(
            role: role, content: content, timestamp: timestamp,
            id: name.flatMap { UUID(uuidString: $0) } ?? id)
    }

    private enum CodingKeys: String, CodingKey {
        case id, user, session, agent, number, role, speaker, content, timestamp, name
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id.text, forKey: .id)
        try container.encode(scope.userId, forKey: .user)
        try container.encode(scope.sessionId, forKey: .session)
        try container.encode(scope.agentId, forKey: .agent)
        try container.encode(number, forKey: .number)
        try container.encode(role, forKey: .role)
        try container.encodeIfPresent(speaker, forKey: .speaker)
        try container.encode(content, forKey: .content)
        try container.encode(DateText.string(from: timestamp), forKey: .timestamp)
        try container.encodeIfPresent(name, forKey: .name)
    }
}

extension ChatScope {
    private static let sourcePrefix = "chat:"

    /// The source of the entries of a scope: the three ids, every byte but letters, digits, `-` and `_` as
    /// `%XX`, with slashes between them.
    public var source: String {
        Self.sourcePrefix + [userId, sessionId, agentId].map(Self.escaped).joined(separator: "/")
    }

    /// - Returns: `nil` for a source of something else.
    public init?(source: String) {
        guard source.hasPrefix(Self.sourcePrefix) else { return nil }
        let ids = source.dropFirst(Self.sourcePrefix.count)
            .split(separator: "/", omittingEmptySubsequences: false)
            .compactMap { String($0).removingPercentEncoding }
        guard ids.count == 3 else { return nil }
        self.init(userId: ids[0], sessionId: ids[1], agentId: ids[2])
    }

    private static func escaped(_ id: String) -> String {
        id.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
