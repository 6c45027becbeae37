import Foundation

struct ExportedConversation {
    private let location: String
    private let start: Date?
    private let title: String?
    private var messageIDs = MessageIDs()
    private(set) var messages: [MessageDraft] = []

    /// Creates a conversation without messages.
    init(at location: String, start: Date?, title: String?) {
        (self.location, self.start) = (location, start)
        self.title = title.flatMap(TranscriptValue.title)
    }

    /// Adds a message. A message without a valid time gets the time of the previous message.
    mutating func add(_ draft: MessageDraft, time: JSONValue?, _ builder: inout TranscriptBuilder) {
        var draft = draft
        draft.title = title
        let location = "\(location), message \(messages.count + 1)"
        draft.timestamp = time.flatMap(TranscriptValue.date)
        if draft.timestamp == nil {
            draft.timestamp = messages.last?.timestamp ?? start
            if time != nil {
                builder.warn(
                    location, "\(TranscriptValue.invalidTime) and received the time of the previous message")
            }
        }
        if !messageIDs.claim(&draft) { builder.addDuplicateID(at: location) }
        messages.append(draft)
    }
}

/// Parses one conversation from a ChatGPT export. The messages of a conversation form a tree; the parser
/// reads only the branch that was displayed last.
enum ChatGPTExport: TranscriptParser {
    static let format = TranscriptFile.Format.chatGPT

    private static let agent = "chatgpt"

    static func recognizes(_ value: JSONValue) -> Bool { value["mapping"] != nil }

    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder) {
        guard case .object(let nodes)? = value["mapping"] else {
            return builder.skip(location, "has a mapping that is not an object")
        }
        var conversation = ExportedConversation(
            at: location, start: value.first("create_time").flatMap(TranscriptValue.date),
            title: value["title"]?.string)
        for node in branch(of: value, nodes) {
            guard let message = node["message"], message != .null else { continue }
            guard let role = message["author"]?["role"]?.string, ["user", "assistant"].contains(role),
                let content = message["content"]?["parts"].flatMap(TranscriptValue.text),
                !content.allSatisfy(\.isWhitespace)
            else {
                builder.omit()
                continue
            }
            let draft = MessageDraft(
                id: message.first("id")?.text, role: TranscriptValue.role(role), content: content)
            conversation.add(draft, time: message.first("create_time"), &builder)
        }
        builder.add(
            Transcript(
                sessionId: value.first("conversation_id", "id")?.text, agentId: agent,
                messages: conversation.messages))
    }

    /// Returns the nodes on the path from the root to the current node. If there is no current node, returns
    /// all nodes in order of time.
    private static func branch(of conversation: JSONValue, _ nodes: [String: JSONValue]) -> [JSONValue] {
        var branch: [JSONValue] = []
        // In a damaged export, the parent references may form a cycle.
        var seen = Set<String>()
        var next = conversation["current_node"]?.string
        while let id = next, let node = nodes[id], seen.insert(id).inserted {
            branch.append(node)
            next = node["parent"]?.string
        }
        if branch.isEmpty {
            branch = nodes.values.sorted {
                ($0["message"]?["create_time"]?.double ?? 0) > ($1["message"]?["create_time"]?.double ?? 0)
            }
        }
        return branch.reversed()
    }
}

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
