public import Crypto
import Foundation
import RoostModel

/// Seals what is said before another storage keeps it: ChaCha20-Poly1305 (RFC 8439), a random nonce for each
/// message.
///
/// Bound to a message's text are user, session, role, time and id: it opens in its own session only. Ids,
/// roles and times are not hidden, nor how long a text is.
public struct EncryptedChatStorage: ChatStorageDecorator {
    /// What has the sealed messages.
    public let base: any ChatStorage
    private let key: SymmetricKey

    private static let mark = "roost-sealed:1:"

    /// - Precondition: the key has 256 bits.
    public init(wrapping storage: any ChatStorage, key: SymmetricKey) {
        precondition(key.bitCount == 256, "a key of 256 bits")
        (base, self.key) = (storage, key)
    }

    /// - Throws: ``StorageError`` with `.damaged` for what this key did not seal in this place, texts that
    /// were
    ///   never sealed among them.
    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        return try await base.fetch(
            userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages
        ).map { try opened($0, scope) }
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        try await base.saveMessages(
            try messages.map { try sealed($0, scope) }, userId: userId, sessionId: sessionId,
            agentId: agentId, maxMessages: maxMessages)
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let found = try await base.fetchAllChats(userId: userId, sessionId: sessionId)
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: "")
        return try found.map { message in
            // The wrapped storage has put the agent before what it cannot read.
            guard message.role == .assistant, message.content.utf8.first == UInt8(ascii: "["),
                let end = message.content.range(of: "] " + Self.mark, options: [.literal, .backwards])
            else { return try opened(message, scope) }
            let agent = String(decoding: message.content[..<end.lowerBound].utf8.dropFirst(), as: UTF8.self)
            var bare = message
            bare.content = Self.mark + message.content[end.upperBound...]
            return try opened(bare, scope).attributed(agentId: agent)
        }
    }

    private func bound(_ message: ConversationMessage, _ scope: ChatScope) -> Data {
        // Not the agent: in a session's merged view it is not known of every message.
        var data = ChatScope(userId: scope.userId, sessionId: scope.sessionId, agentId: "").bytes
        data.append(contentsOf: message.role.rawValue.utf8)
        data.append(0)
        data.append(contentsOf: message.id.uuidString.utf8)
        withUnsafeBytes(of: message.timestamp.milliseconds.bigEndian) { data.append(contentsOf: $0) }
        return data
    }

    private func sealed(_ message: ConversationMessage, _ scope: ChatScope) throws -> ConversationMessage {
        let box = try ChaChaPoly.seal(
            Data(message.content.utf8), using: key, authenticating: bound(message, scope))
        var sealed = message
        sealed.content = Self.mark + box.combined.base64EncodedString()
        return sealed
    }

    private func opened(_ message: ConversationMessage, _ scope: ChatScope) throws -> ConversationMessage {
        guard message.content.utf8.starts(with: Self.mark.utf8),
            let data = Data(
                base64Encoded: String(
                    decoding: message.content.utf8.dropFirst(Self.mark.utf8.count), as: UTF8.self)),
            let box = try? ChaChaPoly.SealedBox(combined: data),
            let text = try? ChaChaPoly.open(box, using: key, authenticating: bound(message, scope))
        else {
            throw StorageError(
                .damaged, "a message cannot be decrypted: the key is another, or it was not sealed here")
        }
        var opened = message
        opened.content = String(decoding: text, as: UTF8.self)
        return opened
    }
}
