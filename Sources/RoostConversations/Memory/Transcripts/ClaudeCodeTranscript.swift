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
            ["user", "assistant"].contains(type), value["isMeta"]?.bool != true,
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
        let isTask = value["isSidechain"]?.bool == true
        builder.add(
            draft, to: .init(session: value["sessionId"]?.text, agent: isTask ? taskAgent : agent),
            at: location)
    }
}
