import ArgumentParser
import Foundation
import Roost
import RoostConversations

/// The `roost chat` commands that list, show and remove conversations.
extension ChatCommand {
    struct ListChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the conversations, newest first.",
            discussion: """
                Prints the local time of the last message, the number of messages, the session and the \
                agents, and the beginning of the first message. With csv and tsv, the columns \
                are last (in UTC), messages, session, user, agents, title and first message, and no text is \
                shortened.

                Examples:
                  roost chat list --since 7d
                  roost chat list -n5
                  roost chat list --agent assistant --format csv
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var filters: ChatFilterOptions
        @OptionGroup var output: OutputOptions

        @OptionGroup var limitOption: LimitOption

        func run() async throws {
            let store = try await options.open()
            let chats = try await ConversationMemory(store).conversations(try filters.filter())
            try await store.close()
            let rows = ConversationRow.rows(chats)
            var writer = ListWriter(output, ConversationRow.columns)
            try writer.write(Array(rows.prefix(limitOption.limit ?? .max)))
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
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var filters: ChatFilterOptions

        @Argument(
            help: ArgumentHelp("The session's name, or the beginning of its name.", valueName: "SESSION"))
        var name: String

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        func validate() throws {
            guard filters.session == nil else {
                throw ValidationError("give the session as an argument or with --session, not both")
            }
        }

        func run() async throws {
            let store = try await options.open()
            let memory = ConversationMemory(store)
            var filter = try filters.filter()
            let session = try await filters.session(name, memory)
            (filter.userId, filter.sessionId) = (session.user, session.session)
            let messages = try await memory.messages(filter).chronological()
            try await store.close()
            if messages.isEmpty { options.note("no message of the session matches the filters") }
            if json { return try Terminal.json(messages) }
            for message in messages { message.show() }
        }
    }

    struct DeleteChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a session, or the messages that match the filters.",
            discussion: """
                To delete more than 20 messages, confirm it or use --yes. Before Roost deletes 100 messages \
                or more, it creates a backup. `roost undo` restores the last deletion.

                Examples:
                  roost chat delete 7c2e --dry-run
                  roost chat delete --agent assistant --until 2024-12-31
                  roost chat delete --until 90d
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var filters: ChatFilterOptions

        @Argument(
            help: ArgumentHelp("The session's name, or the beginning of its name.", valueName: "SESSION"))
        var name: String?

        @Flag(name: .long, help: "Show what would be removed, without removing it.")
        var dryRun = false

        @Flag(name: .shortAndLong, help: "Delete more than 20 messages without confirmation.")
        var yes = false

        func validate() throws {
            guard name == nil || filters.session == nil else {
                throw ValidationError("give the session as an argument or with --session, not both")
            }
            guard name != nil || !filters.isEmpty else {
                throw ValidationError(
                    "give a session, or at least one filter: --user, --session, --agent, --since or --until")
            }
        }

        func run() async throws {
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
                guard try Confirmation.permitsRemoval(of: count, "messages", isConfirmed: yes) else {
                    options.note("nothing was removed")
                    throw ExitCode(ExitStatus.nothingFound.rawValue)
                }
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
}
