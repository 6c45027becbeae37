import Foundation
import RoostModel

/// The state of a conversation that does not follow from its stored messages. The fingerprint of the
/// conversation's source record contains it.
struct ConversationState: Sendable, Hashable {
    var nextNumber: Int64
    /// The marks of the messages before the next one, at most ``maximumMarks``.
    private(set) var marks: [MessageMark]

    /// The maximum number of marks: that of the messages in a call of an agent. Each takes seven bytes of the
    /// record, which is written with each commit.
    static let maximumMarks = 1_000
    private static let prefix = "chat:"

    init(nextNumber: Int64, marks: [MessageMark]) {
        self.nextNumber = nextNumber
        self.marks = marks.suffix(Self.maximumMarks)
    }

    /// Reads a fingerprint.
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

/// A few bits of a message, by which a message is recognized after it was removed from the store.
///
/// They do not suffice to find out a long text, but they suffice to confirm a guess.
struct MessageMark: Sendable, Hashable {
    /// 24 bits of a digest of the role, the speaker and the content (`PendingMessage.textMark(of:)`).
    let text: UInt32
    /// The first 16 bits of the entry's id. They distinguish messages with the same text that have names or
    /// times.
    let entry: UInt16

    static let size = 5

    init(text: UInt32, id: Entry.ID) { (self.text, entry) = (text, Self.entry(id)) }

    init(bytes: some Sequence<UInt8>) {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        (text, entry) = (UInt32(truncatingIfNeeded: number >> 16), UInt16(truncatingIfNeeded: number))
    }

    /// The bytes of the mark, the most significant one of each number first.
    var bytes: [UInt8] {
        let number = UInt64(text) << 16 | UInt64(entry)
        return (0..<Self.size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    static func entry(_ id: Entry.ID) -> UInt16 { UInt16(id.uuid.0) << 8 | UInt16(id.uuid.1) }
}
