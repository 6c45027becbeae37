import ArgumentParser
import Foundation
import Roost

/// Sessions that a program keeps by itself.
struct SessionPlaceOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "Sessions that a program keeps: a database of SQLiteSessionStorage or a folder of "
                + "FileSessionStorage, in place of the store.", valueName: "PATH"))
    var path: String?

    /// - Returns: `nil` where the store is meant.
    func open() throws -> (any SessionStorageProtocol & MaintainedStorage<String> & Sendable)? {
        try path.map { try Self.open($0) }
    }

    static func open(
        _ path: String, creates: Bool = false
    ) throws -> any SessionStorageProtocol & MaintainedStorage<String> & Sendable {
        let location = SessionStorageLocation(URL(fileURLWithPath: path))
        return try location.open(creates: creates) { damage in
            Terminal.error(
                "left out a session that cannot be read: \(Terminal.line(damage.place, limit: 300)); "
                    + "`roost session doctor` tells more")
        }
    }

    /// The session whose id is, or begins with, a text.
    ///
    /// - Throws: ``RoostError`` with `.notFound`, also where several begin so.
    static func session(
        _ beginning: String, of storage: any SessionStorageProtocol & MaintainedStorage<String>,
        in path: String
    ) async throws -> StoredSession {
        let sessions = try await storage.getAllSessions()
        // One that cannot be read is one that may be meant: another must not be taken for it.
        let damaged = try await storage.damage().compactMap(\.subject)
        let ids = sessions.map(\.id) + damaged
        let exact = ids.filter { $0.utf8.elementsEqual(beginning.utf8) }
        let found =
            exact.isEmpty
            ? ids.filter { !beginning.isEmpty && $0.utf8.starts(with: beginning.utf8) } : exact
        let shown = Terminal.line(beginning, limit: 60)
        guard let id = found.first else {
            throw RoostError(
                .notFound,
                "there is no session '\(shown)'; `roost session list --in \(Terminal.line(path))` shows them")
        }
        guard found.count == 1 else {
            throw RoostError(
                .notFound, "\(found.count) sessions begin with '\(shown)'; give more of the name")
        }
        guard let session = sessions.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw RoostError(
                .badInput,
                "session '\(Terminal.line(id, limit: 60))' cannot be read in full; `roost session doctor "
                    + "\(Terminal.line(path)) --repair` sets aside what cannot")
        }
        return session
    }
}

/// A session that a program keeps, for people and programs.
struct SessionDocument: Encodable {
    struct Message: Encodable {
        var id: String
        var role: MessageRole
        var type: MessageType
        var content: String
        var timestamp: String
        var toolName: String?
        var attachments: [String]?
    }

    var session: String
    var created: String
    var accessed: String
    var messages: Int
    var firstMessage: String
    /// Only of one session.
    var history: [Message]?

    init(_ session: StoredSession, withMessages: Bool = false) {
        self.session = session.id
        created = DateText.string(from: session.createdAt)
        accessed = DateText.string(from: session.lastAccessedAt)
        messages = session.messages.count
        firstMessage = session.firstUserMessage
        guard withMessages else { return }
        history = session.messages.map { message in
            Message(
                id: message.id.uuidString.lowercased(), role: message.role, type: message.messageType,
                content: message.content, timestamp: DateText.string(from: message.timestamp),
                toolName: message.toolName, attachments: message.attachments?.map(\.name))
        }
    }

    var line: String {
        ConversationLine.text(last: accessed, messages: messages, names: [session], opening: firstMessage)
    }
}

/// A conversation or a session on one line, for people.
enum ConversationLine {
    static func text(last: String, messages: Int, names: [String], opening: String) -> String {
        let count = "\(messages)".padding(
            toLength: max(5, "\(messages)".count), withPad: " ", startingAt: 0)
        let shown = names.map { Terminal.line($0, limit: 40) }.joined(separator: " · ")
        return Terminal.dim(last.prefix(16) + "  ") + count + "  " + shown + "  "
            + Terminal.dim(Terminal.line(opening, limit: 60))
    }

    /// With the users where there are several.
    static func lines(_ all: [ConversationSummary], withAgents: Bool) -> [String] {
        let hasSeveralUsers = Set(all.map { Data($0.user.utf8) }).count > 1
        return all.map { summary in
            text(
                last: DateText.string(from: summary.last), messages: summary.messages,
                names: (hasSeveralUsers ? [summary.user] : []) + [summary.session]
                    + (withAgents ? summary.agents : []), opening: summary.firstMessage)
        }
    }
}
