import ArgumentParser
import Foundation
import Roost

/// `roost session`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Sessions with agents: all that was said in each.",
        subcommands: [ListSessions.self, ShowSession.self, DeleteSession.self, PruneSessions.self])

    /// All sessions, the last one first.
    static func sessions(
        _ memory: ConversationMemory, _ filter: ConversationMemory.Filter
    ) async throws -> [ChatSummary] {
        struct Session: Hashable {
            var user: Data
            var session: Data
        }
        let messages = try await memory.messages(filter)
        return Dictionary(
            grouping: messages,
            by: { Session(user: Data($0.scope.userId.utf8), session: Data($0.scope.sessionId.utf8)) }
        ).values.map { ChatSummary($0[0].scope, $0) }
            .sorted { ($1.last, $0.user, $0.session) < ($0.last, $1.user, $1.session) }
    }

    struct ListSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the sessions, the last one first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var chosen: ChatFilterOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let sessions = try await SessionCommand.sessions(ConversationMemory(store), try chosen.filter())
            try await store.close()
            if json { return try Terminal.json(sessions) }
            for session in sessions { Terminal.write(session.line(withAgent: false)) }
            if sessions.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct ShowSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what was said in a session, in the order of time.")

        @OptionGroup var command: ChatCommand.ShowChat

        func run() async throws { try await command.run() }
    }

    struct DeleteSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Remove a session; `roost undo` brings the last one back.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("The session, or the beginning of its name.", valueName: "SESSION"))
        var name: String

        @Option(name: .long, help: "Only of this user.")
        var user: String?

        func run() async throws {
            let store = try await options.open()
            let memory = ConversationMemory(store)
            var filter = ConversationMemory.Filter(userId: user)
            let session = try await ChatFilterOptions.session(name, of: filter, memory)
            (filter.userId, filter.sessionId) = (session.user, session.session)
            let messages = try await memory.messages(filter)
            let count = messages.count
            if count >= StoreBackup.fewestRemovals { try await options.backUpFirst() }
            try await memory.forget(messages)
            await options.refreshIndex(of: store)
            try await store.close()
            Terminal.write("removed \(count) messages")
        }
    }

    struct PruneSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune", abstract: "Remove sessions in which nothing was said for long.")

        @OptionGroup var options: StoreOptions

        @Option(
            name: .long,
            help: ArgumentHelp("Sessions without a message since: 90d, 12w, 2026-01-31.", valueName: "when"))
        var olderThan: String

        @Option(name: .long, help: ArgumentHelp("So many of the last sessions stay.", valueName: "N"))
        var keep = 0

        @Option(name: .long, help: "Only of this user.")
        var user: String?

        @Flag(name: .long, help: "Say what would be removed, and do nothing.")
        var dryRun = false

        func validate() throws {
            guard FilterOptions.date(olderThan, now: Date()) != nil else {
                throw ValidationError(
                    "'\(Terminal.line(olderThan, limit: 40))' is no date: give 90d, 12w or 2026-01-31.")
            }
            guard keep >= 0 else { throw ValidationError("--keep takes a whole number from 0.") }
        }

        func run() async throws {
            guard let limit = FilterOptions.date(olderThan, now: Date()) else { return }
            let store = try await options.open()
            let memory = ConversationMemory(store)
            let all = try await SessionCommand.sessions(memory, .init(userId: user))
            let old = all.dropFirst(keep).filter { $0.last < limit }
            let count = old.reduce(0) { $0 + $1.messages }
            if !dryRun, count > 0 {
                if count >= StoreBackup.fewestRemovals { try await options.backUpFirst() }
                for session in old {
                    let messages = try await memory.messages(
                        .init(userId: session.user, sessionId: session.session))
                    // Somebody may have gone on with it meanwhile.
                    guard messages.allSatisfy({ $0.timestamp < limit }) else { continue }
                    try await memory.forget(messages)
                }
                await options.refreshIndex(of: store)
            }
            try await store.close()
            for session in old { Terminal.write(session.line(withAgent: false)) }
            Terminal.write(
                "\(dryRun ? "would remove" : "removed") \(old.count) of \(all.count) sessions, "
                    + "\(count) messages")
        }
    }
}
