import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostMemory

/// The `roost session` commands.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "List, show, import and prune agent sessions.",
        discussion: """
            Uses the sessions of the store or, with --in, the session storage of another program.

            Examples:
              roost session list
              roost session show 7c2e
              roost session prune --older-than 90d --dry-run
            """,
        subcommands: [
            ListSessions.self, ShowSession.self, DeleteSession.self, PruneSessions.self, ImportSessions.self,
            CopySessions.self, CheckSessions.self,
        ])

    struct ListSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the sessions, newest first.",
            discussion: """
                Exits with 1 if there are no sessions.

                Examples:
                  roost session list --since 30d
                  roost session list --in sessions.sqlite --json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions
        @OptionGroup var filters: ChatFilterOptions

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        func validate() throws { try location.requireNoFilters(filters) }

        func run() async throws {
            let lines: [String]
            if let storage = try location.open() {
                let sessions = try await storage.getAllSessions().map { SessionDocument($0) }
                if json { try Terminal.json(sessions) }
                lines = sessions.map(\.line)
            } else {
                let store = try await options.open()
                let sessions = try await ConversationMemory(store).sessions(try filters.filter())
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
            commandName: "show", abstract: "Show the messages of a session.",
            discussion: """
                Examples:
                  roost session show 7c2e
                  roost session show 7c2e --in sessions.sqlite --json
                """)

        @OptionGroup var location: SessionStorageOptions
        @OptionGroup var command: ChatCommand.ShowChat

        func validate() throws { try location.requireNoFilters(command.filters) }

        func run() async throws {
            guard let path = location.path, let storage = try location.open() else {
                return try await command.run()
            }
            let session = try await SessionStorageOptions.session(command.name, of: storage, in: path)
            if command.json { return try Terminal.json(SessionDocument(session, withMessages: true)) }
            for message in session.messages {
                let time = DateText.minutes(of: message.timestamp)
                let type =
                    message.messageType == .text ? "" : " (\(Terminal.line(message.messageType.rawValue)))"
                Terminal.write(
                    Terminal.dim("\(time)  ") + Terminal.line(message.role.rawValue, limit: 40) + type + ": "
                        + Terminal.safe(message.content, keepingLines: true), keepingLines: true)
            }
        }
    }

    struct DeleteSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a session.",
            discussion: """
                More than 20 messages are deleted only after a confirmation, or with --yes. `roost undo` \
                restores the last session that was deleted from the store; deletions with --in cannot be \
                reverted.

                Examples:
                  roost session delete 7c2e
                  roost session delete 7c2e --in sessions.sqlite
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions

        @Argument(
            help: ArgumentHelp("The session's name, or the beginning of its name.", valueName: "SESSION"))
        var name: String

        @Option(name: .long, help: "Only sessions of this user.")
        var user: String?

        @Flag(name: .shortAndLong, help: "Delete more than 20 messages without a confirmation.")
        var yes = false

        func validate() throws { try location.requireNoUser(user) }

        func run() async throws {
            if let path = location.path, let storage = try location.open() {
                let session = try await SessionStorageOptions.session(name, of: storage, in: path)
                try Confirmation.requireRemoval(of: session.messages.count, isConfirmed: yes, options)
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
            try Confirmation.requireRemoval(of: count, isConfirmed: yes, options)
            if count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
            try await memory.forget(messages)
            await options.refreshIndex(of: store)
            try await store.close()
            Terminal.write("removed \(count) messages")
        }
    }

    struct PruneSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune", abstract: "Remove old sessions.",
            discussion: """
                Removes the sessions whose last message is older than the given time or, with --in, \
                those that were last accessed before it. More than 20 messages are removed only after a \
                confirmation, or with --yes.

                Examples:
                  roost session prune --older-than 90d --dry-run
                  roost session prune --older-than 12w --keep 20
                  roost session prune --older-than 2026-01-31 --in sessions.sqlite
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Remove sessions older than this time: 90d, 12w or 2026-01-31.", valueName: "when"))
        var olderThan: String

        @Option(
            name: .long, help: ArgumentHelp("Always keep the N newest sessions.", valueName: "N"))
        var keep = 0

        @Option(name: .long, help: "Only sessions of this user.")
        var user: String?

        @Flag(name: .long, help: "Show what would be removed, without removing it.")
        var dryRun = false

        @Flag(name: .shortAndLong, help: "Remove more than 20 messages without a confirmation.")
        var yes = false

        func validate() throws {
            guard FilterOptions.date(olderThan, now: Date()) != nil else {
                throw ValidationError(
                    "--older-than must be a time such as 90d, 12w or 2026-01-31, not "
                        + "'\(Terminal.line(olderThan, limit: 40))'.")
            }
            guard keep >= 0 else { throw ValidationError("--keep must be a whole number of at least 0.") }
            try location.requireNoUser(user)
        }

        func run() async throws {
            guard let limit = FilterOptions.date(olderThan, now: Date()) else { return }
            if let storage = try location.open() { return try await prune(storage, limit) }
            let store = try await options.open()
            let memory = ConversationMemory(store)
            let all = try await memory.sessions(.init(userId: user))
            var old = all.dropFirst(keep).filter { $0.last < limit }
            if !dryRun, !old.isEmpty {
                var removed: [RememberedMessage] = []
                var isRemoved: [Bool] = []
                for session in old {
                    let messages = try await memory.messages(
                        .init(userId: session.user, sessionId: session.session))
                    // Another process may have added messages since the sessions were listed.
                    isRemoved.append(messages.allSatisfy { $0.timestamp < limit })
                    if isRemoved.last == true { removed += messages }
                }
                old = zip(old, isRemoved).filter(\.1).map(\.0)
                try Confirmation.requireRemoval(of: removed.count, isConfirmed: yes, options)
                if removed.count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
                try await memory.forget(removed)
                await options.refreshIndex(of: store)
            }
            try await store.close()
            report(
                ConversationLine.lines(old, withAgents: false), all.count,
                messages: old.reduce(0) { $0 + $1.messages })
        }

        private func prune(_ storage: any SessionStorageProtocol & Sendable, _ limit: Date) async throws {
            let all = try await storage.getAllSessions()
            if !dryRun {
                let due = Set(
                    try await pruneSessions(
                        in: storage, accessedBefore: limit, keeping: keep, isDryRun: true))
                let count = all.filter { due.contains($0.id) }.reduce(0) { $0 + $1.messages.count }
                try Confirmation.requireRemoval(of: count, isConfirmed: yes, options)
            }
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
            Terminal.write("\(verb) \(lines.count) of \(all) sessions with \(messages) messages")
        }
    }
}
