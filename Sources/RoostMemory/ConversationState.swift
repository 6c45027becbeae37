import Foundation

/// The state of a conversation that does not follow from its stored messages. The fingerprint of the
/// conversation's source record contains it.
struct ConversationState: Sendable, Hashable {
    /// The number of the next message.
    var nextNumber: Int64
    /// The marks of the messages before the next one (`PendingMessage.mark(of:)`), at most ``maximumMarks``.
    private(set) var marks: [UInt32]

    /// The maximum number of marks: that of the messages in a call of an agent. Each takes four bytes of the
    /// record, which is written with each commit.
    static let maximumMarks = 1_000
    private static let prefix = "chat:"

    /// Creates a state with the last marks.
    init(nextNumber: Int64, marks: [UInt32]) {
        self.nextNumber = nextNumber
        self.marks = marks.suffix(Self.maximumMarks)
    }

    /// Reads a fingerprint. Those of earlier versions have no marks.
    ///
    /// - Returns: `nil` if the text is not the fingerprint of a conversation.
    init?(fingerprint: String) {
        guard fingerprint.hasPrefix(Self.prefix) else { return nil }
        let parts = fingerprint.dropFirst(Self.prefix.count).split(separator: ";", maxSplits: 1)
        guard let number = parts.first.flatMap({ Int64($0) }),
            (0...RememberedMessage.maximumNumber).contains(number)
        else { return nil }
        let bytes = parts.dropFirst().first.flatMap { Data(base64Encoded: String($0)) } ?? Data()
        let size = PendingMessage.markBytes
        let marks = stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { start in
            bytes[start..<start + size].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        self.init(nextNumber: number, marks: marks.count > number ? [] : marks)
    }

    /// The fingerprint: `chat:N`, followed by a semicolon and the base64 of the marks, if any.
    var fingerprint: String {
        let bytes = marks.flatMap { mark in
            (0..<PendingMessage.markBytes).reversed().map { UInt8(truncatingIfNeeded: mark >> (8 * $0)) }
        }
        return "\(Self.prefix)\(nextNumber)" + (bytes.isEmpty ? "" : ";" + Data(bytes).base64EncodedString())
    }
}
