import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostServer

struct ChatFilterOptions: ParsableArguments {
    @Option(name: .long, help: "Only messages from this user.")
    var user: String?

    @Option(name: .long, help: "Only messages from this session.")
    var session: String?

    @Option(name: .long, help: "Only messages from conversations with this agent.")
    var agent: String?

    @OptionGroup var period: PeriodOptions

    var isEmpty: Bool { user == nil && session == nil && agent == nil && period.isEmpty }

    func filter() throws -> ConversationMemory.Filter {
        var selection = MessageSelection()
        (selection.user, selection.session, selection.agent) = (user, session, agent)
        (selection.since, selection.until) = (period.since, period.until)
        return try selection.filter()
    }

    /// Returns the session whose name equals the given text or begins with it. Names are compared by their bytes.
    func session(_ beginning: String, _ memory: ConversationMemory) async throws -> ChatScope {
        let shown = Terminal.line(beginning, limit: 60)
        let scopes = try await memory.scopes(.init(userId: user, agentId: agent))
        let all = Set(scopes.map { ChatScope(userId: $0.userId, sessionId: $0.sessionId, agentId: "") })
        let exact = all.filter { $0.sessionId.utf8.elementsEqual(beginning.utf8) }
        let found =
            exact.isEmpty
            ? all.filter { !beginning.isEmpty && $0.sessionId.utf8.starts(with: beginning.utf8) } : exact
        guard let session = found.first else {
            throw RoostError(
                .notFound, "no session is called '\(shown)'; run `roost chat list` to list the sessions")
        }
        guard found.count == 1 else {
            throw RoostError(
                .notFound,
                exact.isEmpty
                    ? "\(found.count) sessions begin with '\(shown)'; give more of the name"
                    : "\(found.count) users have a session '\(shown)'; choose one with --user: "
                        + Terminal.line(found.map(\.userId).sorted().joined(separator: ", "), limit: 100))
        }
        return session
    }
}

extension [RememberedMessage] {
    func chronological() -> [RememberedMessage] {
        sorted { ($0.timestamp, $0.number) < ($1.timestamp, $1.number) }
    }
}

extension DateText {
    /// Formats a date to the minute in the local time zone, in which `--since` and `--until` read times:
    /// `2026-01-31 09:00`.
    static func minutes(of date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        return String(
            format: "%04d-%02d-%02d %02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
            parts.hour ?? 0, parts.minute ?? 0)
    }
}

extension RememberedMessage {
    func show(isDim: Bool = false, highlighting highlights: [Range<Int>] = []) {
        let name = Terminal.line(speaker ?? role.rawValue, limit: 40)
        let time = DateText.minutes(of: timestamp)
        if isDim {
            Terminal.write(Terminal.dim("\(time)  \(name): \(Terminal.line(content, limit: 160))"))
        } else {
            Terminal.write(
                Terminal.dim("\(time)  ") + "\(name): \(text(highlighting: highlights))", keepingLines: true)
        }
    }

    /// Returns the text with some ranges highlighted. Ranges after the end of the text are ignored.
    private func text(highlighting highlights: [Range<Int>]) -> String {
        let utf8 = content.utf8
        var (result, rest) = ("", utf8.startIndex)
        for range in highlights {
            guard
                let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound, limitedBy: utf8.endIndex),
                let end = utf8.index(start, offsetBy: range.count, limitedBy: utf8.endIndex), start >= rest
            else { break }
            let (before, word) = (String(content[rest..<start]), String(content[start..<end]))
            result += TerminalText.safe(before, keepingLines: true)
            result += Terminal.highlighted(TerminalText.safe(word, keepingLines: true))
            rest = end
        }
        return result + TerminalText.safe(String(content[rest...]), keepingLines: true)
    }
}

enum ConversationRow {
    static let columns = [
        // Tables show the minute in the local time zone.
        TableColumn(name: "last", isDetail: true),
        TableColumn(name: "last", style: .dim, isTableOnly: true),
        TableColumn(name: "messages", isNumber: true), TableColumn(name: "session", isDetail: true),
        TableColumn(name: "user", isDetail: true), TableColumn(name: "agents", isDetail: true),
        TableColumn(name: "title", isDetail: true), TableColumn(name: "first message", isDetail: true),
        TableColumn(name: "session", isFlexible: true, isTableOnly: true),
        TableColumn(name: "first message", style: .dim, isFlexible: true, isTableOnly: true),
    ]
    private static let maximumLength = 200

    /// Returns one row per conversation. Tables show the users if there are several.
    static func rows(_ all: [ConversationSummary]) -> [ListRow] {
        let hasSeveralUsers = Set(all.map { Data($0.user.utf8) }).count > 1
        func text(_ texts: [String]) -> String {
            texts.map { Terminal.line($0, limit: maximumLength) }.joined(separator: " · ")
        }
        return all.map { chat in
            ListRow(
                cells: [
                    DateText.string(from: chat.last), DateText.minutes(of: chat.last), "\(chat.messages)",
                    chat.session, chat.user,
                    chat.agents.map { Terminal.line($0, limit: .max) }.joined(separator: ";"),
                    Terminal.line(chat.title ?? "", limit: .max),
                    Terminal.line(chat.firstMessage, limit: .max),
                    text((hasSeveralUsers ? [chat.user] : []) + [chat.session] + chat.agents),
                    text((chat.title.map { [$0] } ?? []) + [chat.firstMessage]),
                ], document: chat)
        }
    }
}
