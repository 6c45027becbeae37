import Foundation
import Roost

/// A conversation that was read from a file. It begins with the first message of the conversation.
public struct Transcript: Sendable, Hashable {
    /// The id of the session; `nil` if the file does not specify one.
    public var sessionId: String?
    /// The id of the agent; `nil` if the file does not specify one.
    public var agentId: String?
    /// The id of the user; `nil` if the file does not specify one.
    public var userId: String?
    /// The messages, in conversation order.
    public var messages: [MessageDraft]

    /// Creates a conversation.
    public init(
        sessionId: String? = nil, agentId: String? = nil, userId: String? = nil, messages: [MessageDraft]
    ) {
        (self.sessionId, self.agentId, self.userId) = (sessionId, agentId, userId)
        self.messages = messages
    }
}

/// The conversations in a file.
public struct TranscriptFile: Sendable, Hashable {
    /// A record or conversation that could not be read completely.
    public struct Problem: Sendable, Hashable, Encodable {
        /// The location in the file, such as `line 3` or `conversation 2, message 5`.
        public var location: String
        /// The problem, phrased as a predicate whose subject is the location, such as `is not a JSON object`.
        public var reason: String
        /// Whether the record was skipped. If `false`, the record was read, but an invalid value was ignored.
        public var isSkipped = true

        enum CodingKeys: String, CodingKey {
            case location = "place"
            case reason, isSkipped
        }
    }

    /// A file format.
    public enum Format: String, Sendable, Hashable, Encodable {
        /// A Claude Code transcript in JSON Lines format.
        case claudeCode
        /// The file `conversations.json` of a ChatGPT export.
        case chatGPT
        /// The file `conversations.json` of a Claude.ai export.
        case claude
        /// JSON Lines with one object `{role, content, timestamp?}` per line, or an array of such objects.
        case jsonLines
    }

    /// The format of the file.
    public var format: Format
    /// The conversations, in the order of their first messages.
    public var transcripts: [Transcript] = []
    /// The problems, in the order of their locations.
    public var problems: [Problem] = []
    /// The number of records that contain no conversation text, such as tool results, summaries and settings.
    public var omitted = 0
}

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

    mutating func add(_ transcript: Transcript) { transcripts.append(transcript) }

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

    /// Repairs texts in UTF-8 that another program read as Latin-1, if all texts are such ones or ASCII.
    private mutating func repairEncoding() {
        let texts = transcripts.flatMap(\.messages).flatMap {
            [$0.content, $0.speaker ?? "", $0.title ?? ""]
        }
        guard let repaired = LatinRepair.repaired(texts) else { return }
        let pairs = Dictionary(zip(texts, repaired)) { first, _ in first }
        for index in transcripts.indices {
            transcripts[index].messages = transcripts[index].messages.map { draft in
                var draft = draft
                draft.content = pairs[draft.content] ?? draft.content
                draft.speaker = draft.speaker.flatMap { pairs[$0] }
                draft.title = draft.title.flatMap { pairs[$0] }
                return draft
            }
        }
        warn("the file", "has texts in UTF-8 that another program had read as Latin-1; they were repaired")
    }

    /// Puts conversations that begin with the newest message, as those of messengers do, in the order of their times.
    private mutating func orderByTime() {
        for index in transcripts.indices {
            let messages = transcripts[index].messages
            let times = messages.compactMap(\.timestamp)
            guard times.count == messages.count, times.first != times.last, times == times.sorted(by: >)
            else { continue }
            transcripts[index].messages.reverse()
        }
    }

    mutating func file(in format: TranscriptFile.Format) -> TranscriptFile {
        repairEncoding()
        orderByTime()
        return TranscriptFile(format: format, transcripts: transcripts, problems: problems, omitted: omitted)
    }
}

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
