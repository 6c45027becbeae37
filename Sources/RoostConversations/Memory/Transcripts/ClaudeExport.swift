/// Parses one conversation from a Claude.ai export.
enum ClaudeExport: TranscriptParser {
    static let format = TranscriptFile.Format.claude

    private static let agent = "claude"

    static func recognizes(_ value: JSONValue) -> Bool {
        if case .array? = value["chat_messages"] { true } else { false }
    }

    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder) {
        guard case .array(let messages)? = value["chat_messages"] else { return }
        var conversation = ExportedConversation(
            at: location, start: value.first("created_at").flatMap(TranscriptValue.date),
            title: value["name"]?.string)
        for message in messages {
            let text = message["text"].flatMap(TranscriptValue.text) ?? ""
            let content = text.isEmpty ? message["content"].flatMap(TranscriptValue.text) ?? "" : text
            guard let sender = message["sender"]?.string, !content.allSatisfy(\.isWhitespace) else {
                builder.omit()
                continue
            }
            let draft = MessageDraft(
                id: message.first("uuid")?.text, role: TranscriptValue.role(sender), content: content)
            conversation.add(draft, time: message.first("created_at"), &builder)
        }
        builder.add(
            Transcript(sessionId: value["uuid"]?.text, agentId: agent, messages: conversation.messages))
    }
}
