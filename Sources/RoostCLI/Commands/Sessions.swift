import ArgumentParser
import Foundation
import Roost

/// `roost session`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Sessions with agents: all that was said in each.",
        discussion: """
            Of the store, or, with --in, of a database or folder in which a program keeps its sessions.
            """,
        subcommands: [
            ListSessions.self, ShowSession.self, DeleteSession.self, PruneSessions.self, ImportSessions.self,
            CopySessions.self, CheckSessions.self,
        ])

    struct ListSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the sessions, the last one first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var place: SessionPlaceOptions
        @OptionGroup var chosen: ChatFilterOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func validate() throws {
            guard place.path == nil || chosen.isEmpty else {
                throw ValidationError("--user, --session, --agent, --since and --until are of the store.")
            }
        }

        func run() async throws {
            let lines: [String]
            if let storage = try place.open() {
                let sessions = try await storage.getAllSessions().map { SessionDocument($0) }
                if json { try Terminal.json(sessions) }
                lines = sessions.map(\.line)
            } else {
                let store = try await options.open()
                let sessions = try await ConversationMemory(store).sessions(try chosen.filter())
                try await store.close()
                if json { try Terminal.json(sessions) }
                lines = ConversationLine.lines(sessions, withAgents: false)
            }
            for line in lines where !json { Terminal.write(line) }
            if lines.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct ShowSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what was said in a session.")

        @OptionGroup var place: SessionPlaceOptions
        @OptionGroup var command: ChatCommand.ShowChat

        func validate() throws {
            guard place.path == nil || command.chosen.isEmpty else {
                throw ValidationError("--user, --session, --agent, --since and --until are of the store.")
            }
        }

        func run() async throws {
            guard let path = place.path, let storage = try place.open() else {
                return try await command.run()
            }
            let session = try await SessionPlaceOptions.session(command.name, of: storage, in: path)
            if command.json { return try Terminal.json(SessionDocument(session, withMessages: true)) }
            for message in session.messages {
                let when = DateText.string(from: message.timestamp).prefix(16)
                let type =
                    message.messageType == .text ? "" : " (\(Terminal.line(message.messageType.rawValue)))"
                Terminal.write(
                    Terminal.dim("\(when)  ") + Terminal.line(message.role.rawValue, limit: 40) + type + ": "
                        + Terminal.safe(message.content, keepingLines: true))
            }
        }
    }

    struct DeleteSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Remove a session; `roost undo` brings the last one of the store back.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var place: SessionPlaceOptions

        @Argument(help: ArgumentHelp("The session, or the beginning of its name.", valueName: "SESSION"))
        var name: String

        @Option(name: .long, help: "Only of this user.")
        var user: String?

        func validate() throws {
            guard place.path == nil || user == nil else { throw ValidationError("--user is of the store.") }
        }

        func run() async throws {
            if let path = place.path, let storage = try place.open() {
                let session = try await SessionPlaceOptions.session(name, of: storage, in: path)
                try await storage.deleteSession(id: session.id)
                return Terminal.write("removed \(session.messages.count) messages")
            }
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
            commandName: "prune", abstract: "Remove sessions in which nothing was said for long.",
            discussion: "With --in, those that were not accessed for long.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var place: SessionPlaceOptions

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
            guard place.path == nil || user == nil else { throw ValidationError("--user is of the store.") }
        }

        func run() async throws {
            guard let limit = FilterOptions.date(olderThan, now: Date()) else { return }
            if let storage = try place.open() { return try await prune(storage, limit) }
            let store = try await options.open()
            let memory = ConversationMemory(store)
            let all = try await memory.sessions(.init(userId: user))
            var old = all.dropFirst(keep).filter { $0.last < limit }
            if !dryRun, !old.isEmpty {
                var gone: [RememberedMessage] = []
                var isGone: [Bool] = []
                for session in old {
                    let messages = try await memory.messages(
                        .init(userId: session.user, sessionId: session.session))
                    // Somebody may have gone on with it meanwhile.
                    isGone.append(messages.allSatisfy { $0.timestamp < limit })
                    if isGone.last == true { gone += messages }
                }
                old = zip(old, isGone).filter(\.1).map(\.0)
                if gone.count >= StoreBackup.fewestRemovals { try await options.backUpFirst() }
                try await memory.forget(gone)
                await options.refreshIndex(of: store)
            }
            try await store.close()
            report(
                ConversationLine.lines(old, withAgents: false), all.count,
                messages: old.reduce(0) { $0 + $1.messages })
        }

        private func prune(_ storage: any SessionStorageProtocol & Sendable, _ limit: Date) async throws {
            let all = try await storage.getAllSessions()
            let ids = Set(
                try await pruneSessions(in: storage, accessedBefore: limit, keeping: keep, isDryRun: dryRun)
                    .map { Data($0.utf8) })
            let old = all.filter { ids.contains(Data($0.id.utf8)) }
            report(
                old.map { SessionDocument($0).line }, all.count,
                messages: old.reduce(0) { $0 + $1.messages.count })
        }

        private func report(_ lines: [String], _ all: Int, messages: Int) {
            for line in lines { Terminal.write(line) }
            let verb = dryRun ? "would remove" : "removed"
            Terminal.write("\(verb) \(lines.count) of \(all) sessions, \(messages) messages")
        }
    }
}
