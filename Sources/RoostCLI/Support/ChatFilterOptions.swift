import ArgumentParser
import Foundation
import Roost

/// Whose messages are meant, and of when.
struct ChatFilterOptions: ParsableArguments {
    @Option(name: .long, help: "Only of this user.")
    var user: String?

    @Option(name: .long, help: "Only of this session.")
    var session: String?

    @Option(name: .long, help: "Only with this agent.")
    var agent: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only what was said since: 7d, 12h, 2026-01-31 or a date with time.", valueName: "when"))
    var since: String?

    @Option(name: .long, help: ArgumentHelp("Only what was said before.", valueName: "when"))
    var until: String?

    var isEmpty: Bool { user == nil && session == nil && agent == nil && since == nil && until == nil }

    func validate() throws {
        for text in [since, until].compactMap(\.self) where FilterOptions.date(text, now: Date()) == nil {
            throw ValidationError(
                "'\(Terminal.line(text, limit: 40))' is no date: give 30m, 12h, 7d, 2w, 2026-01-31 or "
                    + "2026-01-31T09:00:00Z.")
        }
    }

    func filter() throws -> ConversationMemory.Filter {
        let now = Date()
        return ConversationMemory.Filter(
            userId: user, sessionId: session, agentId: agent,
            since: since.flatMap { FilterOptions.date($0, now: now) },
            until: until.flatMap { FilterOptions.date($0, now: now) })
    }

    /// The whole name of the session that begins so.
    ///
    /// - Throws: ``RoostError`` with `.notFound`, also where several begin so.
    func session(_ beginning: String, _ memory: ConversationMemory) async throws -> ChatSession {
        try await Self.session(beginning, of: .init(userId: user, agentId: agent), memory)
    }

    static func session(
        _ beginning: String, of filter: ConversationMemory.Filter, _ memory: ConversationMemory
    ) async throws -> ChatSession {
        let shown = Terminal.line(beginning, limit: 60)
        let all = Set(try await memory.scopes(filter).map(ChatSession.init))
        let exact = all.filter { $0.session.utf8.elementsEqual(beginning.utf8) }
        let found =
            exact.isEmpty
            ? all.filter { !beginning.isEmpty && $0.session.utf8.starts(with: beginning.utf8) } : exact
        guard let session = found.first else {
            throw RoostError(
                .notFound, "there is no session '\(shown)'; `roost session list` shows them")
        }
        guard found.count == 1 else {
            throw RoostError(
                .notFound,
                exact.isEmpty
                    ? "\(found.count) sessions begin with '\(shown)'; give more of the name"
                    : "\(found.count) users have a session '\(shown)'; name one with --user: "
                        + Terminal.line(found.map(\.user).sorted().joined(separator: ", "), limit: 100))
        }
        return session
    }
}

/// A session of a user: two spellings of one letter are two names.
struct ChatSession: Hashable {
    private var scope: ChatScope

    init(_ scope: ChatScope) {
        self.scope = ChatScope(userId: scope.userId, sessionId: scope.sessionId, agentId: "")
    }

    var user: String { scope.userId }
    var session: String { scope.sessionId }
}

extension [RememberedMessage] {
    /// By time; of equal ones by their numbers.
    func inOrderOfTime() -> [RememberedMessage] {
        sorted { ($0.timestamp, $0.number) < ($1.timestamp, $1.number) }
    }
}

extension RememberedMessage {
    /// The message for people, on lines of its own.
    func show(isDim: Bool = false) {
        let who = Terminal.line(speaker ?? role.rawValue, limit: 40)
        let when = String(DateText.string(from: timestamp).prefix(16))
        let text = Terminal.safe(content, keepingLines: true)
        if isDim {
            Terminal.write(Terminal.dim("\(when)  \(who): \(Terminal.line(content, limit: 160))"))
        } else {
            Terminal.write(Terminal.dim("\(when)  ") + "\(who): \(text)")
        }
    }
}
