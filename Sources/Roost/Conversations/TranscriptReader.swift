public import Foundation
import RoostConversations
import RoostModel

/// A conversation as a file has it.
public struct Transcript: Sendable, Hashable {
    /// `nil` where the file does not say.
    public var sessionId: String?
    public var agentId: String?
    public var userId: String?
    public var messages: [MessageDraft]
}

/// What a file of conversations has.
public struct TranscriptFile: Sendable, Hashable {
    /// Something that was not taken in.
    public struct Problem: Sendable, Hashable, Encodable {
        /// As `line 3`.
        public var place: String
        public var reason: String
        /// Whether what stands there was left out.
        public var isSkipped = true
    }

    public enum Format: String, Sendable, Hashable, Encodable {
        /// JSON Lines of Claude Code.
        case claudeCode
        /// `conversations.json` of a ChatGPT export.
        case chatGPT
        /// `conversations.json` of a Claude.ai export.
        case claude
        /// JSON Lines of `{role, content, timestamp?}`.
        case jsonLines
    }

    public var format: Format
    public var transcripts: [Transcript] = []
    public var problems: [Problem] = []
    /// Records that hold no text of a conversation: results of tools, summaries, settings.
    public var omitted = 0
}

/// Reads conversations from files: transcripts of Claude Code, exports of ChatGPT and Claude.ai, and JSON
/// Lines.
///
/// A record that cannot be read is reported by its line or number and left out; the others are read.
public struct TranscriptReader: Sendable {
    /// The largest file that is read, in bytes.
    public var maximumFileSize = 1 << 30

    public init() {}

    /// - Throws: ``RoostError``: `.noInput`, `.badInput` where a file is none of those kinds.
    public func read(_ url: URL) throws -> TranscriptFile {
        var reader = RecordReader()
        reader.maximumFileSize = maximumFileSize
        return try read(try reader.load(url), name: url.path)
    }

    /// - Parameter name: for messages.
    /// - Throws: ``RoostError`` with `.badInput`.
    public func read(_ data: Data, name: String) throws -> TranscriptFile {
        guard !data.prefix(8192).contains(0) else {
            throw RoostError(.badInput, "\(name) is a binary file")
        }
        let bare = data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
        let lines = Self.lines(bare)
        guard let first = lines.first else { throw RoostError(.badInput, "\(name) is empty") }
        // An export is one document, whatever lines it is written on.
        let mark = first.data.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        if mark == UInt8(ascii: "["), case .array(let conversations)? = JSONValue(bare) {
            return try exports(conversations, name)
        }
        if let object = JSONValue(first.data) ?? (lines.count > 1 ? JSONValue(bare) : nil),
            object["mapping"] != nil || object["chat_messages"] != nil
        {
            return try exports([object], name)
        }
        return try read(lines, name)
    }

    /// The lines that are not blank, by bytes: what is no text is of its line only.
    private static func lines(_ data: Data) -> [(number: Int, data: Data)] {
        data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().compactMap {
            let isBlank = $0.element.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 }
            return isBlank ? nil : ($0.offset + 1, Data($0.element))
        }
    }

    // MARK: JSON Lines

    private func read(_ lines: [(number: Int, data: Data)], _ name: String) throws -> TranscriptFile {
        var file = TranscriptFile(format: .jsonLines)
        var order: [Key] = []
        var messages: [Key: [MessageDraft]] = [:]
        var names: [Key: Names] = [:]
        func add(_ draft: MessageDraft, _ key: Key, _ number: Int) {
            if messages[key] == nil { order.append(key) }
            var draft = draft
            if !names[key, default: Names()].give(&draft) {
                file.problems.append(Names.problem("line \(number)"))
            }
            messages[key, default: []].append(draft)
        }
        for (number, data) in lines {
            guard let record = JSONValue(data), case .object = record else {
                file.problems.append(.init(place: "line \(number)", reason: "is no JSON object"))
                continue
            }
            if Self.isOfClaudeCode(record) {
                file.format = .claudeCode
                guard let (draft, key) = Self.claudeCode(record) else {
                    file.omitted += 1
                    continue
                }
                guard draft.timestamp != nil || record.first("timestamp") == nil else {
                    file.problems.append(
                        .init(place: "line \(number)", reason: "has a time that cannot be read"))
                    continue
                }
                add(draft, key, number)
                continue
            }
            guard let role = record.first("role", "sender")?.string,
                let content = record.first("content", "text").flatMap(Self.plainText)
            else {
                file.problems.append(
                    .init(place: "line \(number)", reason: "has no \"role\" and \"content\" with texts"))
                continue
            }
            let given = record.first("timestamp", "created_at", "time")
            let date = given.flatMap(Self.date)
            guard given == nil || date != nil else {
                file.problems.append(
                    .init(place: "line \(number)", reason: "has a time that cannot be read"))
                continue
            }
            let session = record.first("session", "sessionId", "session_id")
            let agent = record.first("agent", "agentId", "agent_id")
            let user = record.first("user", "userId", "user_id")
            guard [session, agent, user].allSatisfy({ $0 == nil || $0?.text != nil }) else {
                file.problems.append(
                    .init(
                        place: "line \(number)", reason: "has a session, an agent or a user that is no text"))
                continue
            }
            add(
                MessageDraft(
                    id: record.first("id", "uuid")?.text, role: Self.role(role),
                    speaker: record.first("speaker", "name")?.string, content: content, timestamp: date),
                Key(session: session?.text, agent: agent?.text, user: user?.text), number)
        }
        file.transcripts = order.map {
            Transcript(
                sessionId: $0.session, agentId: $0.agent, userId: $0.user, messages: messages[$0] ?? [])
        }
        if file.transcripts.isEmpty, file.omitted == 0, let problem = file.problems.first {
            throw RoostError(.badInput, "\(name), \(problem.place) \(problem.reason); nothing was taken in")
        }
        return file
    }

    /// The ids of the messages of a conversation.
    struct Names {
        private var known: [Data: MessageDraft] = [:]

        /// Takes the id of a message away that is another's: it is told by its text then, and not lost.
        ///
        /// - Returns: whether it keeps its id.
        mutating func give(_ draft: inout MessageDraft) -> Bool {
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

        static func problem(_ place: String) -> TranscriptFile.Problem {
            .init(
                place: place, reason: "has the id of another message; it was taken in without it",
                isSkipped: false)
        }
    }

    /// Equal where the bytes are: two spellings of one letter are two names.
    private struct Key: Hashable {
        var session: String?
        var agent: String?
        var user: String?

        private var bytes: [Data?] { [session, agent, user].map { $0.map { Data($0.utf8) } } }

        static func == (left: Key, right: Key) -> Bool { left.bytes == right.bytes }
        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    /// Its records have a message in them, or none at all.
    private static func isOfClaudeCode(_ record: JSONValue) -> Bool {
        if case .object? = record["message"], record["type"] != nil { return true }
        return record.first("role", "sender") == nil && ownTypes.contains(record["type"]?.string ?? "")
    }

    /// Types of records that only Claude Code writes.
    private static let ownTypes: Set<String> = [
        "summary", "system", "file-history-snapshot", "queue-operation", "progress",
    ]

    /// - Returns: `nil` for a record without text of the conversation.
    private static func claudeCode(_ record: JSONValue) -> (MessageDraft, Key)? {
        guard let message = record["message"], let type = record["type"]?.string,
            ["user", "assistant"].contains(type), record["isMeta"]?.bool != true,
            let content = message["content"].flatMap(plainText), !content.allSatisfy(\.isWhitespace)
        else { return nil }
        let isSidechain = record["isSidechain"]?.bool == true
        return (
            MessageDraft(
                id: record["uuid"]?.text, role: role(message["role"]?.string ?? type), content: content,
                timestamp: record["timestamp"].flatMap(date)),
            Key(
                session: record["sessionId"]?.text, agent: isSidechain ? "claude-code-task" : "claude-code",
                user: nil)
        )
    }

    // MARK: Values

    static func role(_ name: String) -> ConversationRole {
        switch name.lowercased() {
        case "human": .user
        case "ai", "bot", "model": .assistant
        case "user", "assistant", "system", "tool": ConversationRole(rawValue: name.lowercased())
        default: ConversationRole(rawValue: name)
        }
    }

    /// A text, or the texts of blocks; `nil` where there are none.
    static func plainText(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): return text
        case .array(let blocks):
            let texts = blocks.compactMap { block -> String? in
                if let text = block.string { return text }
                guard block["type"] == nil || block["type"]?.string == "text" else { return nil }
                return block["text"]?.string
            }
            return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
        default: return nil
        }
    }

    /// ISO 8601, or a number of seconds, or of milliseconds where that many seconds are not of our time.
    static func date(_ value: JSONValue) -> Date? {
        if let text = value.string {
            if let date = DateText.date(from: text) { return date }
            if let day = DateText.date(from: text + "T00:00:00Z") { return day }
            // Without a zone, as some write it, it is UTC.
            return DateText.date(from: text.replacingOccurrences(of: " ", with: "T") + "Z")
        }
        guard let number = value.number, number.isFinite else { return nil }
        let date = Date(timeIntervalSince1970: abs(number) > 1e11 ? number / 1000 : number)
        return date.isWritable ? date : nil
    }
}
