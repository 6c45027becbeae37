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
    var digest: String {
        SHA256.hexadecimal(bytes)
    }
}
