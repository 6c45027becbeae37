import Foundation
import RoostConversations

/// `conversations.json` of ChatGPT's and Claude.ai's exports.
extension TranscriptReader {
    func exports(_ conversations: [JSONValue], _ name: String) throws -> TranscriptFile {
        var file = TranscriptFile(format: .claude)
        for (place, conversation) in conversations.enumerated() {
            if conversation["mapping"] != nil {
                file.format = .chatGPT
                guard case .object(let nodes)? = conversation["mapping"] else {
                    file.problems.append(
                        .init(place: "conversation \(place + 1)", reason: "has a mapping that is none"))
                    continue
                }
                let transcript = Self.chatGPT(conversation, nodes, &file, place + 1)
                file.transcripts.append(transcript)
            } else if case .array(let messages)? = conversation["chat_messages"] {
                let transcript = Self.claude(conversation, messages, &file, place + 1)
                file.transcripts.append(transcript)
            } else {
                file.problems.append(
                    .init(
                        place: "conversation \(place + 1)",
                        reason: "is neither one of ChatGPT (mapping) nor one of Claude.ai (chat_messages)"))
            }
        }
        if file.transcripts.isEmpty, !conversations.isEmpty, file.format == .claude {
            throw RoostError(
                .badInput, "\(name) is no export of ChatGPT or Claude.ai; nothing was taken in")
        }
        return file
    }

    /// The thread that was last shown: from the current node up.
    private static func chatGPT(
        _ conversation: JSONValue, _ nodes: [String: JSONValue], _ file: inout TranscriptFile, _ place: Int
    ) -> Transcript {
        var thread: [JSONValue] = []
        var seen = Set<String>()
        var next = conversation["current_node"]?.string
        while let id = next, let node = nodes[id], seen.insert(id).inserted {
            thread.append(node)
            next = node["parent"]?.string
        }
        if thread.isEmpty {
            thread = nodes.values.sorted {
                ($0["message"]?["create_time"]?.number ?? 0) > ($1["message"]?["create_time"]?.number ?? 0)
            }
        }
        var collector = Collector(place, conversation.first("create_time").flatMap(date))
        for node in thread.reversed() {
            guard let message = node["message"], message != .null else { continue }
            guard let role = message["author"]?["role"]?.string, ["user", "assistant"].contains(role),
                let content = message["content"]?["parts"].flatMap(plainText),
                !content.allSatisfy(\.isWhitespace)
            else {
                file.omitted += 1
                continue
            }
            collector.add(
                MessageDraft(id: message.first("id")?.text, role: self.role(role), content: content),
                message.first("create_time"))
        }
        file.problems += collector.problems
        return Transcript(
            sessionId: conversation.first("conversation_id", "id")?.text, agentId: "chatgpt",
            messages: collector.messages)
    }

    private static func claude(
        _ conversation: JSONValue, _ records: [JSONValue], _ file: inout TranscriptFile, _ place: Int
    ) -> Transcript {
        var collector = Collector(place, conversation.first("created_at").flatMap(date))
        for record in records {
            let text = record["text"].flatMap(plainText) ?? ""
            let content = text.isEmpty ? record["content"].flatMap(plainText) ?? "" : text
            guard let sender = record["sender"]?.string, !content.allSatisfy(\.isWhitespace) else {
                file.omitted += 1
                continue
            }
            collector.add(
                MessageDraft(id: record.first("uuid")?.text, role: role(sender), content: content),
                record.first("created_at"))
        }
        file.problems += collector.problems
        return Transcript(
            sessionId: conversation["uuid"]?.text, agentId: "claude", messages: collector.messages)
    }

    /// The messages of a conversation, in their order.
    private struct Collector {
        private let place: Int
        private let start: Date?
        private var names = Names()
        private(set) var messages: [MessageDraft] = []
        private(set) var problems: [TranscriptFile.Problem] = []

        /// - Parameters:
        ///   - place: the conversation's, from 1.
        ///   - start: when it began.
        init(_ place: Int, _ start: Date?) { (self.place, self.start) = (place, start) }

        /// Without a time of its own a message was said when the one before it was.
        mutating func add(_ draft: MessageDraft, _ time: JSONValue?) {
            var draft = draft
            let here = "conversation \(place), message \(messages.count + 1)"
            draft.timestamp = time.flatMap(TranscriptReader.date)
            if draft.timestamp == nil {
                draft.timestamp = messages.last?.timestamp ?? start
                if time != nil {
                    problems.append(
                        .init(
                            place: here,
                            reason: "has a time that cannot be read; it was given that of the one before it",
                            isSkipped: false))
                }
            }
            if !names.give(&draft) { problems.append(Names.problem(here)) }
            messages.append(draft)
        }
    }
}
