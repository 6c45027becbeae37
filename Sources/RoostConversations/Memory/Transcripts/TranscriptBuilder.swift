import Foundation

/// Collects the conversations that are read from a file, and the problems that occur.
struct TranscriptBuilder {
    /// Identifies the conversation to which a record of a JSON Lines file belongs. Keys are compared byte by
    /// byte, so different Unicode normalizations of the same name are different keys.
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

    /// Adds a message to the conversation with the given key, creating the conversation if necessary.
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

    /// Adds a complete exported conversation.
    mutating func add(_ transcript: Transcript) { transcripts.append(transcript) }

    /// Reports a record that was skipped.
    mutating func skip(_ location: String, _ reason: String) {
        problems.append(.init(location: location, reason: reason))
    }

    /// Reports a record that was read except for an invalid value, which was ignored.
    mutating func warn(_ location: String, _ reason: String) {
        problems.append(.init(location: location, reason: reason, isSkipped: false))
    }

    /// Reports a message that was read without its id because another message has the same id.
    mutating func addDuplicateID(at location: String) {
        warn(location, "has the id of another message; the id was ignored")
    }

    /// Counts a record that contains no conversation text.
    mutating func omit() { omitted += 1 }

    /// Returns the collected conversations and problems.
    func file(in format: TranscriptFile.Format) -> TranscriptFile {
        TranscriptFile(format: format, transcripts: transcripts, problems: problems, omitted: omitted)
    }
}
