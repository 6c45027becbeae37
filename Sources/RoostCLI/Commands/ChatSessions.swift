import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostMemory

/// The `roost chat` commands that list, show and remove conversations, in the store or in the session storage
/// of another program.
extension ChatCommand {
    struct ListChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the conversations, newest first.",
            discussion: """
                Prints the local time of the last message, the number of messages, the session and the \
                agents, and the beginning of the first message. With csv, tsv and --template, the columns \
                are last (in UTC), messages, session, user, agents, title and first message, and no text is \
                shortened.

                Examples:
                  roost chat list --since 7d
                  roost chat list -n5
                  roost chat list --agent assistant --format csv
                  roost chat list --template '{session}'
                  roost chat list --in sessions.sqlite
                """,
            aliases: ["ls"])

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions
        @OptionGroup var filters: ChatFilterOptions
        @OptionGroup var output: RowOutputOptions

        @Option(
            name: [.customShort("n", allowingJoined: true), .customLong("limit")], parsing: .unconditional,
            help: ArgumentHelp("The maximum number of conversations. Default: all.", valueName: "N"))
        var limit: Int?

        func validate() throws {
            if let limit, limit < 1 { throw ValidationError("--limit must be at least 1, not \(limit)") }
            try location.requireNoFilters(filters)
        }

        func run() async throws {
            let rows: [ListRow]
            if let storage = try location.open() {
                rows = try await storage.getAllSessions().map(SessionDocument.row)
            } else {
                let store = try await options.open()
                let chats = try await ConversationMemory(store).conversations(try filters.filter())
                try await store.close()
                rows = ConversationRow.rows(chats)
            }
            if output.chosen == .table { options.page() }
            var writer = ListWriter(output, ConversationRow.columns)
            try writer.write(Array(rows.prefix(limit ?? rows.count)))
            writer.finish(options)
            if rows.isEmpty {
                options.note(
                    filters.isEmpty
                        ? "there are no conversations; import some with `roost chat import`"
                        : "no conversation matches the filters")
            }
        }
    }

    struct ShowChat: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the messages of a session in chronological order.",
            discussion: """
                Examples:
                  roost chat show 7c2e
                  roost chat show 7c2e --agent assistant --json
                  roost chat show 7c2e --in sessions.sqlite
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions
        @OptionGroup var filters: ChatFilterOptions

        @Argument(
            help: ArgumentHelp("The session's name, or the beginning of its name.", valueName: "SESSION"),
            completion: DynamicCompletion.sessions)
        var name: String

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        func validate() throws {
            guard filters.session == nil else {
                throw ValidationError("give the session as an argument or with --session, not both")
            }
            try location.requireNoFilters(filters)
        }

        func run() async throws {
            if let path = location.path, let storage = try location.open() {
                return try await show(storage, path)
            }
            let store = try await options.open()
            let memory = ConversationMemory(store)
            var filter = try filters.filter()
            let session = try await filters.session(name, memory)
            (filter.userId, filter.sessionId) = (session.user, session.session)
            let messages = try await memory.messages(filter).chronological()
            try await store.close()
            if messages.isEmpty { options.note("no message of the session matches the filters") }
            if json { return try Terminal.json(messages) }
            options.page()
            for message in messages { message.show() }
        }

        /// Shows a session of another program.
        private func show(
            _ storage: any SessionStorageProtocol & MaintainedStorage<String>, _ path: String
        ) async throws {
            let session = try await SessionStorageOptions.session(name, of: storage, in: path)
            if json { return try Terminal.json(SessionDocument(session, withMessages: true)) }
            options.page()
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

    struct DeleteChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a session, or the messages that match the filters.",
            discussion: """
                To delete more than 20 messages, confirm it or use --yes. Before Roost deletes 100 messages \
                or more, it creates a backup. `roost undo` restores the last deletion from the store; \
                deletions with --in cannot be reverted.

                Examples:
                  roost chat delete 7c2e --dry-run
                  roost chat delete --agent assistant --until 2024-12-31
                  roost chat delete 7c2e --in sessions.sqlite
                """,
            aliases: ["rm"])

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions
        @OptionGroup var filters: ChatFilterOptions

        @Argument(
            help: ArgumentHelp("The session's name, or the beginning of its name.", valueName: "SESSION"),
            completion: DynamicCompletion.sessions)
        var name: String?

        @Flag(name: .long, help: "Show what would be removed, without removing it.")
        var dryRun = false

        @Flag(name: .shortAndLong, help: "Delete more than 20 messages without confirmation.")
        var yes = false

        func validate() throws {
            try location.requireNoFilters(filters)
            guard name == nil || filters.session == nil else {
                throw ValidationError("give the session as an argument or with --session, not both")
            }
            guard name != nil || location.path == nil else {
                throw ValidationError("give the session to delete; --in permits no filters")
            }
            guard name != nil || !filters.isEmpty else {
                throw ValidationError(
                    "give a session, or at least one filter: --user, --session, --agent, --since or --until")
            }
        }

        func run() async throws {
            if let name, let path = location.path, let storage = try location.open() {
                let session = try await SessionStorageOptions.session(name, of: storage, in: path)
                if !dryRun {
                    try Confirmation.requireRemoval(of: session.messages.count, isConfirmed: yes, options)
                    try await storage.deleteSession(id: session.id)
                }
                return report(session.messages.count)
            }
            let store = try await options.open()
            let memory = ConversationMemory(store)
            var filter = try filters.filter()
            if let name {
                let session = try await filters.session(name, memory)
                (filter.userId, filter.sessionId) = (session.user, session.session)
            }
            let messages = try await memory.messages(filter)
            let count = messages.count
            guard count > 0 else {
                try await store.close()
                throw RoostError(.notFound, "no message matches the filters; nothing was removed")
            }
            if !dryRun {
                try Confirmation.requireRemoval(of: count, isConfirmed: yes, options)
                if count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
                try await memory.forget(messages)
                await options.refreshIndex(of: store)
            }
            try await store.close()
            report(count)
        }

        private func report(_ count: Int) {
            Terminal.write("\(dryRun ? "would remove" : "removed") \(Count.text(count, "message"))")
        }
    }

    struct PruneChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune", abstract: "Remove old conversations.",
            discussion: """
                Removes the sessions whose last message is older than the given time or, with --in, \
                those that were last accessed before it. With --keep alone, all but the newest sessions \
                are removed. More than 20 messages are removed only after a confirmation, or with --yes.

                Examples:
                  roost chat prune --older-than 90d --dry-run
                  roost chat prune --keep-last 50
                  roost chat prune --older-than 12w --keep 20
                  roost chat prune --older-than 2026-01-31 --in sessions.sqlite
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var location: SessionStorageOptions

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Remove sessions older than this time: 90d, 12w or 2026-01-31.", valueName: "when"))
        var olderThan: String?

        @Option(
            name: [.customLong("keep"), .customLong("keep-last")],
            help: ArgumentHelp("Always keep the N newest sessions.", valueName: "N"))
        var keep = 0

        @Option(name: .long, help: "Only sessions of this user.")
        var user: String?

        @Flag(name: .long, help: "Show what would be removed, without removing it.")
        var dryRun = false

        @Flag(name: .shortAndLong, help: "Remove more than 20 messages without confirmation.")
        var yes = false

        func validate() throws {
            if let olderThan, FilterOptions.date(olderThan, now: Date()) == nil {
                throw ValidationError(
                    "--older-than must be a time such as 90d, 12w or 2026-01-31, not "
                        + "'\(Terminal.line(olderThan, limit: 40))'")
            }
            guard keep >= 0 else { throw ValidationError("--keep must be a whole number of at least 0") }
            guard olderThan != nil || keep > 0 else {
                throw ValidationError(
                    "give --older-than WHEN, or --keep N with at least 1, which select the sessions")
            }
            try location.requireNoUser(user)
        }

        func run() async throws {
            let now = Date()
            guard let limit = olderThan.map({ FilterOptions.date($0, now: now) }) ?? .distantFuture else {
                return
            }
            if let storage = try location.open() { return try await prune(storage, min(limit, now)) }
            let store = try await options.open()
            let memory = ConversationMemory(store)
            let all = try await memory.sessions(.init(userId: user))
            var old = all.dropFirst(keep).filter { $0.last < limit }
            if !dryRun, !old.isEmpty {
                var removed: [RememberedMessage] = []
                var idle: [ConversationSummary] = []
                for session in old {
                    let messages = try await memory.messages(
                        .init(userId: session.user, sessionId: session.session))
                    // Another process may have added messages since the sessions were listed.
                    guard messages.allSatisfy({ $0.timestamp <= session.last }) else { continue }
                    idle.append(session)
                    removed += messages
                }
                old = idle
                try Confirmation.requireRemoval(of: removed.count, isConfirmed: yes, options)
                if removed.count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
                try await memory.forget(removed)
                await options.refreshIndex(of: store)
            }
            try await store.close()
            try report(
                ConversationRow.rows(old), all.count,
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
            try report(
                old.map(SessionDocument.row), all.count,
                messages: old.reduce(0) { $0 + $1.messages.count })
        }

        private func report(_ rows: [ListRow], _ all: Int, messages: Int) throws {
            var writer = ListWriter(.table, ConversationRow.columns)
            try writer.write(rows)
            let verb = dryRun ? "would remove" : "removed"
            Terminal.write(
                "\(verb) \(rows.count) of \(Count.text(all, "session")) with "
                    + Count.text(messages, "message"))
        }
    }
}
