/// A parser for one transcript format.
///
/// A file contains a sequence of JSON values: records in a JSON Lines file, or conversations in an export. A
/// parser reads one value at a time.
protocol TranscriptParser: SendableMetatype {
    static var format: TranscriptFile.Format { get }

    static func recognizes(_ value: JSONValue) -> Bool

    /// Reads a value and adds its messages to a builder. If there are no messages, reports the reason
    /// instead.
    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder)
}

/// Parses Claude Code transcripts: JSON Lines files whose records contain messages, tool results, summaries
/// and settings.
enum ClaudeCodeTranscript: TranscriptParser {
    static let format = TranscriptFile.Format.claudeCode

    /// The types of the message-free records that only Claude Code writes. They identify the format.
    private static let recordTypes: Set<String> = [
        "summary", "system", "file-history-snapshot", "queue-operation", "progress",
    ]
    /// The agent id that is assigned to the main conversation.
    private static let agent = "claude-code"
    /// The agent id that is assigned to subtask conversations.
    private static let taskAgent = "claude-code-task"

    static func recognizes(_ value: JSONValue) -> Bool {
        if case .object? = value["message"], value["type"] != nil { return true }
        return value.first("role", "sender") == nil && recordTypes.contains(value["type"]?.string ?? "")
    }

    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder) {
        guard let message = value["message"], let type = value["type"]?.string,
            ["user", "assistant"].contains(type), value["isMeta"]?.flag != true,
            let content = message["content"].flatMap(TranscriptValue.text),
            !content.allSatisfy(\.isWhitespace)
        else { return builder.omit() }
        let date = value["timestamp"].flatMap(TranscriptValue.date)
        guard date != nil || value.first("timestamp") == nil else {
            return builder.skip(location, TranscriptValue.invalidTime)
        }
        let draft = MessageDraft(
            id: value["uuid"]?.text, role: TranscriptValue.role(message["role"]?.string ?? type),
            content: content, timestamp: date)
        let isTask = value["isSidechain"]?.flag == true
        builder.add(
            draft, to: .init(session: value["sessionId"]?.text, agent: isTask ? taskAgent : agent),
            at: location)
    }
}

/// Parses JSON Lines files in which each line contains one message: `{"role": …, "content": …}`, and
/// optionally an id, a time, a speaker, a session, an agent, a user and the title of the conversation.
/// Several common names of these keys are recognized.
enum JSONLinesTranscript: TranscriptParser {
    static let format = TranscriptFile.Format.jsonLines

    static func recognizes(_ value: JSONValue) -> Bool { if case .object = value { true } else { false } }

    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder) {
        let name = value.first("speaker", "name", "sender_name")?.string
        // Messengers name the sender only.
        let sender = value["sender_name"] == nil ? nil : JSONValue.string("user")
        guard let role = (value.first("role", "sender") ?? sender)?.string,
            let content = value.first("content", "text").flatMap(TranscriptValue.text)
        else { return builder.skip(location, "lacks a text for \"role\" or \"content\"") }
        let time = value.first("timestamp", "created_at", "time", "timestamp_ms")
        let date = time.flatMap(TranscriptValue.date)
        guard time == nil || date != nil else { return builder.skip(location, TranscriptValue.invalidTime) }
        let session = value.first("session", "sessionId", "session_id")
        let agent = value.first("agent", "agentId", "agent_id")
        let user = value.first("user", "userId", "user_id")
        guard [session, agent, user].allSatisfy({ $0 == nil || $0?.text != nil }) else {
            return builder.skip(location, "has a session, agent or user that is neither a text nor a number")
        }
        let draft = MessageDraft(
            id: value.first("id", "uuid")?.text, role: TranscriptValue.role(role),
            speaker: name, content: content, timestamp: date,
            title: value["title"]?.string.flatMap(TranscriptValue.title))
        builder.add(
            draft, to: .init(session: session?.text, agent: agent?.text, user: user?.text), at: location)
    }
}
