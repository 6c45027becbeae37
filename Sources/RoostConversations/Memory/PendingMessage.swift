import Foundation
import Roost
import RoostModel

struct PendingMessage: Sendable {
    /// The position among the messages of the call.
    var index: Int
    var draft: MessageDraft
    /// A digest of the role, the speaker, the time, if it is given, and the content.
    var digest: ContentDigest
    var textKey: String
    /// The mark of the role, the speaker and the content (``textMark(of:)``).
    var textMark: UInt32
    /// The key and the id of the message's entry; `nil` if only its position in the conversation
    /// distinguishes the message from others with the same text.
    var identity: Identity?

    /// The key of an entry in the source of a scope, and the id that is derived from it.
    struct Identity: Sendable {
        let key: String
        let id: Entry.ID

        init(_ key: String, in scope: ChatScope) {
            (self.key, id) = (key, EntryID.derived(source: scope.source, key: key))
        }
    }

    /// Returns the messages of a call, without those that have the same identity as an earlier one.
    ///
    /// - Parameters:
    ///   - drafts: The messages.
    ///   - scope: The conversation.
    ///   - isComplete: Whether the drafts begin with the first message of the conversation. Equal messages
    ///     without name and time are then distinguished by their number among the drafts.
    static func list(_ drafts: [MessageDraft], in scope: ChatScope, isComplete: Bool) -> [PendingMessage] {
        var (messages, seen) = ([PendingMessage](), Set<Entry.ID>())
        var occurrences: [ContentDigest: Int] = [:]
        for (index, draft) in drafts.enumerated() {
            let digest = digest(of: draft)
            var message = PendingMessage(
                index: index, draft: draft, digest: digest, textKey: textKey(digest),
                textMark: textMark(of: draft))
            if let name = draft.id {
                message.identity = Identity(key(named: name), in: scope)
            } else if isComplete || draft.timestamp != nil || !isTurn(draft.role) {
                let key = EntryID.contentKey(digest, occurrence: occurrences[digest, default: 0])
                message.identity = Identity(key, in: scope)
                occurrences[digest, default: 0] += 1
            }
            if let id = message.identity?.id, !seen.insert(id).inserted { continue }
            messages.append(message)
        }
        return messages
    }

    static func key(named name: String) -> String { "message:\(name)" }

    /// Returns whether messages of a role are turns of the conversation. Instructions of the system are not:
    /// clients repeat them, so an equal text is not a new message.
    static func isTurn(_ role: ConversationRole) -> Bool { role != .system }

    /// Returns the part that the keys of messages with an equal text have in common: all except the number
    /// among them (`EntryID.contentKey`).
    static func textKey(_ digest: ContentDigest) -> String {
        textKey(ofKey: EntryID.contentKey(digest, occurrence: 0))
    }

    /// Returns the part of the key of an entry before its last colon.
    static func textKey(ofKey key: String) -> String {
        key.lastIndex(of: ":").map { String(key[..<$0]) } ?? key
    }

    /// Returns a number of 24 bits that distinguishes messages with different roles, speakers or contents,
    /// except for 1 of 16 million.
    static func textMark(of draft: MessageDraft) -> UInt32 {
        var draft = draft
        draft.timestamp = nil
        return digest(of: draft).bytes.prefix(3).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns whether the message can be the removed one with the given mark: it has the same text and, if
    /// it has an identity, the id of the same entry.
    func isEqual(to mark: MessageMark) -> Bool {
        guard mark.text == textMark else { return false }
        guard let identity else { return true }
        return [identity.id, draft.id.flatMap { UUID(uuidString: $0) }].contains { id in
            id.map { MessageMark.entry($0) == mark.entry } ?? false
        }
    }

    func isEqual(to slot: StoredConversation.Slot) -> Bool {
        switch slot {
        case .removed(let mark): return isEqual(to: mark)
        case .turn(let message):
            guard let identity else { return message.textKeys.contains(textKey) }
            return message.id == identity.id || message.id == draft.id.flatMap { UUID(uuidString: $0) }
        }
    }

    /// Returns a digest of the role, the speaker, the time, if it is given, and the content of a message.
    static func digest(of draft: MessageDraft) -> ContentDigest {
        let time = draft.timestamp.map { "\($0.milliseconds)" } ?? ""
        let parts = [draft.role.rawValue, draft.speaker ?? "", time, draft.content]
        // Includes the length of each part, so the parts of different messages cannot produce the same
        // concatenated string.
        return ContentDigest(of: parts.map { "\($0.utf8.count):\($0)" }.joined())
    }
}
