import Foundation
import RoostModel

/// A chat storage that keeps histories in memory, for tests and temporary data.
public actor InMemoryChatStorage: ChatStorage {
    private var scopes: [ChatScope: [ConversationMessage]] = [:]

    /// Creates an empty storage.
    public init() {}

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return ChatRules.trimmed(scopes[scope] ?? [], maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        scopes[scope] = ChatRules.trimmed(ChatRules.adding(messages, to: scopes[scope] ?? []), maxMessages)
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        ChatRules.merged(
            scopes.filter { $0.key.isOf(userId: userId, sessionId: sessionId) }
                .map { ($0.key.agentId, $0.value) })
    }
}

/// A chat storage that keeps each history in the user defaults. It is suitable for short histories, because
/// each save writes the complete history.
///
/// Several storages of one process can be used at the same time. If two processes save to the same history at
/// the same time, one of the saves may be lost; a power failure may undo the most recent saves. These are
/// limitations of `UserDefaults`; ``DeviceChatStorage`` does not have them.
public actor UserDefaultsChatStorage: ChatStorage {
    private let domain: DefaultsDomain

    /// Creates a storage.
    ///
    /// - Parameter suiteName: The suite of the user defaults; `nil` uses the standard user defaults.
    public init(suiteName: String? = nil) {
        domain = DefaultsDomain(suiteName: suiteName, prefix: "roost.chat")
    }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return ChatRules.trimmed(try domain.read { try Self.history(Self.name(scope), $0) }, maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let name = Self.name(ChatScope(userId: userId, sessionId: sessionId, agentId: agentId))
        try domain.write { domain in
            let all = ChatRules.adding(messages, to: try Self.history(name, domain))
            try domain.set(ChatRules.trimmed(all, maxMessages), for: name)
        }
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        try domain.read { domain in
            let histories = try domain.names.compactMap { name in
                guard let scope = Self.scope(name), scope.isOf(userId: userId, sessionId: sessionId) else {
                    return nil as (agent: String, messages: [ConversationMessage])?
                }
                return (scope.agentId, try Self.history(name, domain))
            }
            return ChatRules.merged(histories)
        }
    }

    private static func history(_ name: Data, _ domain: DefaultsDomain) throws -> [ConversationMessage] {
        try domain.value(name) ?? []
    }

    /// Returns the name under which the history of a scope is stored: the ids of the scope as JSON, which is
    /// unique and can be decoded.
    private static func name(_ scope: ChatScope) -> Data {
        // Encoding strings as JSON cannot fail.
        (try? JSONEncoder().encode([scope.userId, scope.sessionId, scope.agentId])) ?? Data()
    }

    private static func scope(_ name: Data) -> ChatScope? {
        guard let ids = try? JSONDecoder().decode([String].self, from: name), ids.count == 3 else {
            return nil
        }
        return ChatScope(userId: ids[0], sessionId: ids[1], agentId: ids[2])
    }
}
