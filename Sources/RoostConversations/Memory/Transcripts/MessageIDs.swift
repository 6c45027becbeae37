import Foundation

/// The message ids that are in use in a conversation.
struct MessageIDs {
    private var known: [Data: MessageDraft] = [:]

    /// Records the id of a message. If a different message already has this id, removes the id from the
    /// draft, so that the message is identified by its content and not mistaken for the other message.
    ///
    /// - Returns: Whether the draft keeps its id.
    mutating func claim(_ draft: inout MessageDraft) -> Bool {
        guard let id = draft.id else { return true }
        guard let other = known[Data(id.utf8)] else {
            known[Data(id.utf8)] = draft
            return true
        }
        guard other.role != draft.role || !other.content.utf8.elementsEqual(draft.content.utf8) else {
            return true
        }
        draft.id = nil
        return false
    }
}
