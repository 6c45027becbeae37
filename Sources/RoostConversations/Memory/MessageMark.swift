import Foundation
import RoostModel

/// A few bits of a message, by which a message is recognized after it was removed from the store.
///
/// They do not suffice to find out a long text, but they suffice to confirm a guess.
struct MessageMark: Sendable, Hashable {
    /// 24 bits of a digest of the role, the speaker and the content (`PendingMessage.textMark(of:)`).
    let text: UInt32
    /// The first 16 bits of the entry's id. They distinguish messages with the same text that have names or
    /// times.
    let entry: UInt16

    /// The size of a mark in bytes.
    static let size = 5

    /// Creates the mark of a message.
    init(text: UInt32, id: Entry.ID) {
        (self.text, entry) = (text, Self.entry(id))
    }

    /// Reads a mark.
    ///
    /// - Parameter bytes: The bytes, of which there are ``size``.
    init(bytes: some Sequence<UInt8>) {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        (text, entry) = (UInt32(truncatingIfNeeded: number >> 16), UInt16(truncatingIfNeeded: number))
    }

    /// The bytes of the mark, the most significant one of each number first.
    var bytes: [UInt8] {
        let number = UInt64(text) << 16 | UInt64(entry)
        return (0..<Self.size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Returns the bits of the id of an entry.
    static func entry(_ id: Entry.ID) -> UInt16 { UInt16(id.uuid.0) << 8 | UInt16(id.uuid.1) }
}
