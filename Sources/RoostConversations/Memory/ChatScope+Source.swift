import Foundation
import RoostFiles

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
            default: "%" + Hexadecimal.text([byte], isUppercase: true)
            }
        }.joined()
    }
}
