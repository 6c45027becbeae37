import Foundation
import RoostModel

/// Histories in the user's defaults, for small ones: each save writes its scope's whole history.
///
/// Written through after every save. Two processes that save to one scope at the same moment may lose one of
/// the saves, and a loss of power the last ones: defaults promise no more. Where that matters, use
/// ``DeviceChatStorage``.
public actor UserDefaultsChatStorage: ChatStorage {
    private let defaults: UserDefaults
    private static let prefix = "roost.chat."

    /// - Parameter suiteName: `nil` takes the standard defaults.
    public init(suiteName: String? = nil) { defaults = UserDefaults(suiteName: suiteName) ?? .standard }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return ChatRules.trimmed(try load(Self.key(scope)), maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let key = Self.key(ChatScope(userId: userId, sessionId: sessionId, agentId: agentId))
        let all = ChatRules.adding(messages, to: try load(key))
        let encoded = try ConversationMessage.encoder().encode(ChatRules.trimmed(all, maxMessages))
        defaults.set(encoded, forKey: key)
        guard defaults.synchronize() else {
            throw StorageError(.inputOutput, "the user's defaults could not be written")
        }
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        defaults.synchronize()
        let scopes = try defaults.dictionaryRepresentation().keys.compactMap { key in
            guard let scope = Self.scope(key), scope.isOf(userId: userId, sessionId: sessionId) else {
                return nil as (agent: String, messages: [ConversationMessage])?
            }
            return (scope.agentId, try load(key))
        }
        return ChatRules.merged(scopes)
    }

    /// The ids as JSON in base 64: no two scopes have the same key, and each can be read back.
    private static func key(_ scope: ChatScope) -> String {
        let ids = try? JSONEncoder().encode([scope.userId, scope.sessionId, scope.agentId])
        return prefix + (ids ?? Data()).base64EncodedString()
    }

    private static func scope(_ key: String) -> ChatScope? {
        guard key.hasPrefix(prefix), let data = Data(base64Encoded: String(key.dropFirst(prefix.count))),
            let ids = try? JSONDecoder().decode([String].self, from: data), ids.count == 3
        else { return nil }
        return ChatScope(userId: ids[0], sessionId: ids[1], agentId: ids[2])
    }

    private func load(_ key: String) throws -> [ConversationMessage] {
        defaults.synchronize()
        guard let data = defaults.data(forKey: key) else { return [] }
        do {
            return try ConversationMessage.decoder().decode([ConversationMessage].self, from: data)
        } catch {
            throw StorageError(.damaged, "a history in the user's defaults cannot be read", underlying: error)
        }
    }
}
