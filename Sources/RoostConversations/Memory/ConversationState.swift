import Foundation

/// The state of a conversation that does not follow from its stored messages. The fingerprint of the
/// conversation's source record contains it.
struct ConversationState: Sendable, Hashable {
    /// The number of the next message.
    var nextNumber: Int64
    /// The marks of the messages before the next one, at most ``maximumMarks``.
    private(set) var marks: [MessageMark]

    /// The maximum number of marks: that of the messages in a call of an agent. Each takes seven bytes of the
    /// record, which is written with each commit.
    static let maximumMarks = 1_000
    private static let prefix = "chat:"

    /// Creates a state with the last marks.
    init(nextNumber: Int64, marks: [MessageMark]) {
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
        let size = MessageMark.size
        // A record with another number of bytes, or of more messages than there were, is not one of Roost.
        guard bytes.count % size == 0, bytes.count / size <= number else {
            self.init(nextNumber: number, marks: [])
            return
        }
        let starts = stride(from: 0, to: bytes.count, by: size)
        self.init(nextNumber: number, marks: starts.map { MessageMark(bytes: bytes[$0..<$0 + size]) })
    }

    /// The fingerprint: `chat:N`, followed by a semicolon and the base64 of the marks, if any.
    var fingerprint: String {
        let bytes = marks.flatMap(\.bytes)
        return "\(Self.prefix)\(nextNumber)" + (bytes.isEmpty ? "" : ";" + Data(bytes).base64EncodedString())
    }
}
