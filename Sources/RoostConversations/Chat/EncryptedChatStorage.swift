public import Crypto
import Foundation
import RoostModel

/// A decorator that encrypts the text of each message with ChaCha20-Poly1305 (RFC 8439) and a random nonce,
/// before the message is passed to another storage.
///
/// The user, session, role, time and id of a message are authenticated together with its text, so an
/// encrypted message cannot be moved to another session. Ids, roles, times and the lengths of texts are not
/// encrypted.
public struct EncryptedChatStorage: ChatStorageDecorator {
    /// The storage of the encrypted messages.
    public let base: any ChatStorage
    private let key: SymmetricKey

    /// The prefix of encrypted texts.
    private static let prefix = "roost-sealed:1:"

    /// Creates a decorator.
    ///
    /// - Parameters:
    ///   - storage: The storage of the encrypted messages.
    ///   - key: The key. Keep it outside the storage.
    /// - Precondition: The key has 256 bits.
    public init(wrapping storage: any ChatStorage, key: SymmetricKey) {
        precondition(key.bitCount == 256, "the key must have 256 bits")
        (base, self.key) = (storage, key)
    }

    /// Returns the decrypted window of a history, oldest message first.
    ///
    /// - Throws: `StorageError` with `.damaged` if a message was not encrypted with this key for this
    ///   session; this includes messages that were stored unencrypted. The errors of ``base``.
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return try await base.fetch(
            userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages
        ).map { try decrypted($0, scope) }
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        try await base.saveMessages(
            try messages.map { try encrypted($0, scope) }, userId: userId, sessionId: sessionId,
            agentId: agentId, maxMessages: maxMessages)
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let found = try await base.fetchAllChats(userId: userId, sessionId: sessionId)
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: "")
        return try found.map { message in
            // The base storage has added the agent's id before the encrypted text.
            guard message.role == .assistant, message.content.utf8.first == UInt8(ascii: "["),
                let end = message.content.range(of: "] " + Self.prefix, options: [.literal, .backwards])
            else { return try decrypted(message, scope) }
            let agent = String(decoding: message.content[..<end.lowerBound].utf8.dropFirst(), as: UTF8.self)
            var bare = message
            bare.content = Self.prefix + message.content[end.upperBound...]
            return try decrypted(bare, scope).attributed(agentId: agent)
        }
    }

    /// Returns the data that is authenticated together with the text.
    private func authenticatedData(_ message: ConversationMessage, _ scope: ChatScope) -> Data {
        // The agent is not included because it is not known for every message in the merged history of a
        // session.
        var data = ChatScope(userId: scope.userId, sessionId: scope.sessionId, agentId: "").bytes
        data.append(contentsOf: message.role.rawValue.utf8)
        data.append(0)
        data.append(contentsOf: message.id.uuidString.utf8)
        withUnsafeBytes(of: message.timestamp.milliseconds.bigEndian) { data.append(contentsOf: $0) }
        return data
    }

    private func encrypted(_ message: ConversationMessage, _ scope: ChatScope) throws -> ConversationMessage {
        let box = try ChaChaPoly.seal(
            Data(message.content.utf8), using: key, authenticating: authenticatedData(message, scope))
        var result = message
        result.content = Self.prefix + box.combined.base64EncodedString()
        return result
    }

    private func decrypted(_ message: ConversationMessage, _ scope: ChatScope) throws -> ConversationMessage {
        guard message.content.utf8.starts(with: Self.prefix.utf8),
            let data = Data(
                base64Encoded: String(
                    decoding: message.content.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)),
            let box = try? ChaChaPoly.SealedBox(combined: data),
            let text = try? ChaChaPoly.open(
                box, using: key, authenticating: authenticatedData(message, scope))
        else {
            throw StorageError(
                .damaged,
                "cannot decrypt a message: the key is wrong, or the message was not encrypted for this "
                    + "session"
            )
        }
        var result = message
        result.content = String(decoding: text, as: UTF8.self)
        return result
    }
}
