import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostServer

struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Import, search and manage conversations with agents.",
        discussion: """
            Each message becomes an entry with the metadata kind=message, so `roost query` finds \
            messages and `roost recluster` clusters them.

            Examples:
              roost chat import ~/.claude/projects/*/*.jsonl
              roost chat search what did we decide about backups --since 30d
              roost chat delete --until 90d --dry-run
            """,
        subcommands: [
            ImportChats.self, ListChats.self, ShowChat.self, SearchChats.self, ExportChats.self,
            DeleteChats.self,
        ])

    struct SearchChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search", abstract: Operations.summary(of: "recall"),
            discussion: """
                If the query names a date, such as 7 May 2026, messages from that date rank higher. The query \
                needs no quotes and can \
                have the operators of `roost query`. If no message is closer than unrelated text, \
                Roost names the three nearest messages and exits with 1.

                Examples:
                  roost chat search what did we decide about backups --since 30d
                  roost chat search the bug in May -n 10 --context 3
                  roost chat search deployment --agent assistant --json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption
        @OptionGroup var filters: ChatFilterOptions

        @Argument(
            help: ArgumentHelp("The text to search for; - reads standard input.", valueName: "query"))
        var words: [String] = []

        @OptionGroup var limitOption: LimitOption

        @Option(
            name: .long,
            help: ArgumentHelp("Show N messages before and after each message.", valueName: "N"))
        var context = 1

        @Option(name: .long, help: "The search mode: hybrid, vector or text.")
        var mode: SearchMode = .hybrid

        @Flag(name: .long, help: "Show all messages, even those that are no closer than unrelated text.")
        var all = false

        @Flag(name: .long, help: "Do not correct misspelled words.")
        var exactWords = false

        @Flag(name: .long, help: "Show the parts of each score.")
        var explain = false

        func validate() throws {
            guard !words.isEmpty else { throw ValidationError("give a query") }
            guard !explain || !output.json else {
                throw ValidationError("--explain cannot be combined with --json")
            }
            guard (0...100).contains(context) else {
                throw ValidationError("--context must be a whole number from 0 to 100, not \(context)")
            }
        }

        func run() async throws {
            let text = try Query.text(of: words)
            let store = try await options.open()
            var recall = RecallOptions(limit: limitOption.limit ?? 5, context: context)
            recall.mode = mode
            recall.includesAll = all
            recall.usesExactWords = exactWords
            let result = try await ConversationMemory(store).search(text, in: try filters.filter(), recall)
            try await store.close()
            for remark in SearchNotices.remarks(on: result.search, subject: "message") {
                options.note(remark)
            }
            try show(result)
            guard result.recollections.isEmpty else { return }
            if result.hasOnlyNoise {
                SearchOptions.reportNoise({ text in result.nearest.map { heading(of: $0, text) } }, options)
            } else {
                let isUnrestricted = filters.isEmpty && result.search.text?.isSelective != true
                options.note(
                    isUnrestricted && result.search.candidateCount == 0
                        ? "there are no conversations; import some with `roost chat import`"
                        : "no message matches")
            }
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }

        private func show(_ result: RecallResult) throws {
            if output.json { return try Terminal.json(result.recollections.map { RecollectionDocument($0) }) }
            for (index, recollection) in result.recollections.enumerated() {
                if index > 0 { Terminal.write("") }
                show(recollection, in: result)
            }
        }

        private func heading(of recollection: Recollection, _ text: HitText) -> String {
            let message = recollection.message
            return text.heading(
                score: recollection.score, title: EntryTitle.text(of: recollection.hit.entry),
                location: Terminal.line(message.scope.sessionId, limit: 80),
                id: String(message.id.text.prefix(8)))
        }

        private func show(_ recollection: Recollection, in result: RecallResult) {
            let scope = recollection.message.scope
            let heading = HitText(columns: Terminal.columns).heading(
                score: recollection.score, title: Terminal.line(scope.sessionId, limit: 80),
                location: Terminal.line(scope.agentId, limit: 80),
                id: String(recollection.message.id.text.prefix(8)))
            Terminal.write(heading)
            for neighbor in recollection.before { neighbor.show(isDim: true) }
            let hit = recollection.hit
            let snippet = result.search.snippet(of: hit, limit: hit.entry.content.utf8.count)
            recollection.message.show(highlighting: snippet.highlights)
            if explain { Terminal.write(Terminal.dim("  " + recollection.explanationText)) }
            for neighbor in recollection.after { neighbor.show(isDim: true) }
        }
    }

    struct ExportChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Export conversations as JSON Lines.",
            discussion: """
                `roost chat import` can read the output.

                Examples:
                  roost chat export > messages.jsonl
                  roost chat export --user ana --since 2026-01-01
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var filters: ChatFilterOptions

        private struct Line: Encodable {
            var id: String
            var role: ConversationRole
            var speaker: String?
            var content: String
            var timestamp: String
            var user: String
            var session: String
            var agent: String
            var title: String?
        }

        func run() async throws {
            let store = try await options.open()
            let messages = try await ConversationMemory(store).messages(try filters.filter())
            try await store.close()
            let encoder = Terminal.lineEncoder
            for message in messages {
                let line = Line(
                    id: message.name ?? message.id.text, role: message.role, speaker: message.speaker,
                    content: message.content, timestamp: DateText.string(from: message.timestamp),
                    user: message.scope.userId, session: message.scope.sessionId,
                    agent: message.scope.agentId, title: message.title)
                try Terminal.json(line, encoder)
            }
            if messages.isEmpty { options.note("no message matches; nothing was exported") }
        }
    }
}

extension Recollection {
    fileprivate var explainedHit: QueryHit {
        var hit = hit
        hit.score = score
        hit.explanation = explanation.message
        return hit
    }

    /// The shares of the score that are not zero, followed by the cosine and the ranks.
    var explanationText: String {
        HitExplanation.text(
            of: explainedHit,
            others: [("neighbors", explanation.neighbors), ("time", explanation.time)])
    }
}

extension ChatCommand {
    struct ListChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: Operations.summary(of: "conversations"),
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
        @OptionGroup var output: JSONOption
        @OptionGroup var filters: ChatFilterOptions

        @Argument(
            help: ArgumentHelp("The session's name, or the beginning of its name.", valueName: "SESSION"))
        var name: String

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
            (filter.userId, filter.sessionId) = (session.userId, session.sessionId)
            let messages = try await memory.messages(filter).chronological()
            try await store.close()
            if messages.isEmpty { options.note("no message of the session matches the filters") }
            if output.json { return try Terminal.json(messages.map(MessageDocument.init)) }
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
                (filter.userId, filter.sessionId) = (session.userId, session.sessionId)
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
