import Crypto
import Foundation

/// What a history belongs to: a triple, never a joined text, so that no ids can be mistaken for others.
public struct ChatScope: Sendable, Hashable, Codable {
    public var userId: String
    public var sessionId: String
    public var agentId: String

    public init(userId: String, sessionId: String, agentId: String) {
        (self.userId, self.sessionId, self.agentId) = (userId, sessionId, agentId)
    }

    /// Equal where every id has the same bytes: two spellings of one letter are two ids.
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

    /// The ids, each after its length as eight bytes, big-endian: no two triples have the same bytes.
    var bytes: Data {
        var data = Data()
        for id in [userId, sessionId, agentId] {
            withUnsafeBytes(of: UInt64(id.utf8.count).bigEndian) { data.append(contentsOf: $0) }
            data.append(contentsOf: id.utf8)
        }
        return data
    }

    /// The SHA-256 of ``bytes`` in hexadecimal: fit to name a file.
    var digest: String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
