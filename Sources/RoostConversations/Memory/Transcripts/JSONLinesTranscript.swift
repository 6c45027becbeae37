/// Parses JSON Lines files in which each line contains one message: `{"role": …, "content": …}`, and
/// optionally an id, a time, a speaker, a session, an agent, a user and the title of the conversation.
/// Several common names of these keys are recognized.
enum JSONLinesTranscript: TranscriptParser {
    static let format = TranscriptFile.Format.jsonLines

    static func recognizes(_ value: JSONValue) -> Bool {
        if case .object = value { true } else { false }
    }

    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder) {
        guard let role = value.first("role", "sender")?.string,
            let content = value.first("content", "text").flatMap(TranscriptValue.text)
        else { return builder.skip(location, "lacks a text for \"role\" or \"content\"") }
        let time = value.first("timestamp", "created_at", "time")
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
            speaker: value.first("speaker", "name")?.string, content: content, timestamp: date,
            title: value["title"]?.string.flatMap(TranscriptValue.title))
        builder.add(
            draft, to: .init(session: session?.text, agent: agent?.text, user: user?.text), at: location)
    }
}
