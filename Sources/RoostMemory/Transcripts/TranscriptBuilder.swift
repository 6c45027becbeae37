import Foundation

/// Collects the conversations and problems of a file.
struct TranscriptBuilder {
    /// The conversation that a record of a JSON Lines file belongs to. Keys are equal if their bytes are
    /// equal: different Unicode normalizations of one name are different names.
    struct Key: Hashable {
        var session: String?
        var agent: String?
        var user: String?

        private var bytes: [Data?] { [session, agent, user].map { $0.map { Data($0.utf8) } } }

        static func == (left: Key, right: Key) -> Bool { left.bytes == right.bytes }
        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    private var transcripts: [Transcript] = []
    private var indexOf: [Key: Int] = [:]
    private var messageIDs: [Key: MessageIDs] = [:]
    private var problems: [TranscriptFile.Problem] = []
    private var omitted = 0

    /// Adds a message to the conversation with a key, which is created if necessary.
    mutating func add(_ draft: MessageDraft, to key: Key, at location: String) {
        let index = indexOf[key] ?? transcripts.count
        if index == transcripts.count {
            indexOf[key] = index
            transcripts.append(
                Transcript(sessionId: key.session, agentId: key.agent, userId: key.user, messages: []))
        }
        var draft = draft
        if !messageIDs[key, default: MessageIDs()].claim(&draft) { addDuplicateID(at: location) }
        transcripts[index].messages.append(draft)
    }

    /// Adds a complete conversation of an export.
    mutating func add(_ transcript: Transcript) { transcripts.append(transcript) }

    /// Reports a record that is skipped.
    mutating func skip(_ location: String, _ reason: String) {
        problems.append(.init(location: location, reason: reason))
    }

    /// Reports a record that is read without an invalid value.
    mutating func warn(_ location: String, _ reason: String) {
        problems.append(.init(location: location, reason: reason, isSkipped: false))
    }

    /// Reports a message that was read without its id, because another message has the same id.
    mutating func addDuplicateID(at location: String) {
        warn(location, "has the id of another message and was read without its id")
    }

    /// Counts a record without text of a conversation.
    mutating func omit() { omitted += 1 }

    /// Returns the result.
    func file(in format: TranscriptFile.Format) -> TranscriptFile {
        TranscriptFile(format: format, transcripts: transcripts, problems: problems, omitted: omitted)
    }
}

/// The ids of the messages of a conversation.
struct MessageIDs {
    private var known: [Data: MessageDraft] = [:]

    /// Records the id of a message. If a different message has the same id, the id is removed from the draft,
    /// so that the message is identified by its content and not taken for the other one.
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
