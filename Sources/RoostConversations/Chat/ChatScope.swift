import Foundation
import RoostFiles

/// The owner of a history: the combination of a user, a session and an agent.
///
/// The ids are never simply concatenated, so different combinations cannot be confused.
public struct ChatScope: Sendable, Hashable, Codable {
    /// The id of the user.
    public var userId: String
    /// The id of the session.
    public var sessionId: String
    /// The id of the agent.
    public var agentId: String

    /// Creates a scope.
    ///
    /// - Parameters:
    ///   - userId: The id of the user.
    ///   - sessionId: The id of the session.
    ///   - agentId: The id of the agent.
    public init(userId: String, sessionId: String, agentId: String) {
        (self.userId, self.sessionId, self.agentId) = (userId, sessionId, agentId)
    }

    /// Returns whether the UTF-8 bytes of all ids are equal. Unlike in a comparison of strings, ids that are
    /// equal only after Unicode normalization are different.
    public static func == (left: ChatScope, right: ChatScope) -> Bool {
        left.userId.utf8.elementsEqual(right.userId.utf8)
            && left.sessionId.utf8.elementsEqual(right.sessionId.utf8)
            && left.agentId.utf8.elementsEqual(right.agentId.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for id in [userId, sessionId, agentId] {
            hasher.combine(id.utf8.count)
            for byte in id.utf8 { hasher.combine(byte) }
        }
    }

    func isOf(userId: String, sessionId: String) -> Bool {
        self.userId.utf8.elementsEqual(userId.utf8) && self.sessionId.utf8.elementsEqual(sessionId.utf8)
    }

    /// An injective encoding of the ids: each is preceded by its length as eight bytes, big-endian.
    var bytes: Data {
        var data = Data()
        for id in [userId, sessionId, agentId] {
            withUnsafeBytes(of: UInt64(id.utf8.count).bigEndian) { data.append(contentsOf: $0) }
            data.append(contentsOf: id.utf8)
        }
        return data
    }

    /// The SHA-256 digest of ``bytes`` in hexadecimal, which is a valid file name.
    var digest: String { SHA256.hexadecimal(bytes) }
}

/// A user's conversation with an agent, with or without a storage.
///
/// It combines a ``ChatStorage`` with a scope and a window size, so that these do not have to be passed to
/// each call.
public struct Conversation: Sendable {
    /// The user, session and agent.
    public let scope: ChatScope
    /// The storage. If it is `nil`, nothing is stored, and the history is always empty.
    public let store: (any ChatStorage)?
    /// The size of the agent's window; `nil` for all messages.
    public let maxMessages: Int?

    /// Creates a conversation.
    ///
    /// - Parameters:
    ///   - userId: The id of the user.
    ///   - sessionId: The id of the session.
    ///   - agentId: The id of the agent.
    ///   - store: The storage. If it is `nil`, nothing is stored.
    ///   - maxMessages: The size of the agent's window; `nil` for all messages.
    public init(
        userId: String, sessionId: String, agentId: String, store: (any ChatStorage)?,
        maxMessages: Int? = nil
    ) {
        scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        (self.store, self.maxMessages) = (store, maxMessages)
    }

    /// Returns the window, oldest message first.
    ///
    /// - Throws: The errors of the storage.
    public func history() async throws -> [ConversationMessage] {
        try await store?.fetch(
            userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId,
            maxMessages: maxMessages) ?? []
    }

    /// Adds messages in one save.
    ///
    /// - Throws: The errors of the storage.
    public func add(_ messages: ConversationMessage...) async throws { try await add(messages) }

    /// Adds messages in one save.
    ///
    /// - Throws: The errors of the storage.
    public func add(_ messages: [ConversationMessage]) async throws {
        try await store?.saveMessages(
            messages, userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId,
            maxMessages: maxMessages)
    }

    /// Returns the messages of all agents of the session, in the order of their timestamps.
    ///
    /// - Throws: The errors of the storage.
    public func session() async throws -> [ConversationMessage] {
        try await store?.fetchAllChats(userId: scope.userId, sessionId: scope.sessionId) ?? []
    }
}

extension ChatScope {
    private static let sourcePrefix = "chat:"

    /// The source id of the entries in this scope: `chat:USER/SESSION/AGENT`. In each of the three ids, every
    /// byte except ASCII letters, digits, `-` and `_` is written as `%XX`.
    public var source: String {
        Self.sourcePrefix + [userId, sessionId, agentId].map(Self.escaped).joined(separator: "/")
    }

    /// Creates a scope from a source id.
    ///
    /// - Returns: `nil` if the source id is not that of a scope.
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
            default: "%" + Hexadecimal.text([byte]).uppercased()
            }
        }.joined()
    }
}
