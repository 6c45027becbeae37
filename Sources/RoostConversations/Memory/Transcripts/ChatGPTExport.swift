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
                ($0["message"]?["create_time"]?.number ?? 0) > ($1["message"]?["create_time"]?.number ?? 0)
            }
        }
        return branch.reversed()
    }
}
