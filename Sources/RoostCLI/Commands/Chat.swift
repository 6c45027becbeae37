import ArgumentParser
import Foundation
import Roost

/// `roost chat`.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Conversations with agents: take them in, and find what was said.",
        discussion: """
            What was said becomes entries whose kind is message, so that `query --where kind=message` and \
            clusters see them too.
            """,
        subcommands: [
            ImportChats.self, ListChats.self, ShowChat.self, SearchChats.self, ExportChats.self,
            DeleteChats.self,
        ])

    struct ImportChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Take in conversations from files.",
            discussion: """
                Reads transcripts of Claude Code (JSON Lines), conversations.json of ChatGPT's and \
                Claude.ai's exports, and JSON Lines of {"role", "content", "timestamp"?, "id"?, \
                "session"?, "agent"?, "user"?, "speaker"?}. The same file again adds nothing. A line that \
                cannot be read is reported and left out.
                """)

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("Files; - for standard input.", valueName: "FILE"))
        var files: [String]

        @Option(name: .long, help: "Whose conversations they are, where a file does not say.")
        var user = "me"

        @Option(name: .long, help: "The session's name, where a file does not say; else the file's.")
        var session: String?

        @Option(name: .long, help: "The agent's name, where a file does not say.")
        var agent = "assistant"

        @Flag(name: .long, help: "As JSON.")
        var json = false

        private struct Document: Encodable {
            struct File: Encodable {
                var file: String
                var format: String
                var conversations: Int
                var problems: [TranscriptFile.Problem]
                var omitted: Int
            }
            var new = 0
            var known = 0
            var files: [File] = []
            /// Files that could not be read, and why.
            var failed: [Failed] = []

            struct Failed: Encodable {
                var file: String
                var reason: String
            }
        }

        private static func read(_ name: String) throws -> TranscriptFile {
            guard name == "-" else { return try TranscriptReader().read(URL(fileURLWithPath: name)) }
            return try TranscriptReader().read(try StandardInput.readToEnd(), name: "standard input")
        }

        func run() async throws {
            var read: [(name: String, file: TranscriptFile)] = []
            var failures: [(name: String, error: RoostError)] = []
            for name in files {
                do {
                    read.append((name == "-" ? "stdin" : name, try Self.read(name)))
                } catch let error as RoostError where files.count > 1 {
                    failures.append((name, error))
                }
            }
            if read.isEmpty, let failure = failures.first, failures.count == 1 { throw failure.error }
            for failure in failures {
                Terminal.error("skipped: \(Terminal.line(failure.error.message, limit: 200))")
            }
            guard !read.isEmpty else {
                throw RoostError(.noInput, "none of the \(failures.count) files could be read")
            }
            let store = try await options.openOrCreate()
            let memory = ConversationMemory(store)
            var document = Document()
            document.failed = failures.map { .init(file: $0.name, reason: $0.error.message) }
            for (name, file) in read {
                for transcript in file.transcripts {
                    let scope = ChatScope(
                        userId: transcript.userId ?? user,
                        sessionId: transcript.sessionId ?? session
                            ?? URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent,
                        agentId: transcript.agentId ?? agent)
                    // So many at a time that a command that is stopped has not worked in vain.
                    let report = try await memory.remember(
                        transcript.messages, in: scope, batchSize: 256)
                    document.new += report.new
                    document.known += report.known
                }
                document.files.append(
                    .init(
                        file: name, format: file.format.rawValue, conversations: file.transcripts.count,
                        problems: file.problems, omitted: file.omitted))
                for problem in file.problems.prefix(20) where !options.quiet && !json {
                    let what = problem.isSkipped ? "skipped " : ""
                    Terminal.error("\(what)\(Terminal.line(name)), \(problem.place): \(problem.reason)")
                }
                if file.problems.count > 20, !json {
                    options.note("\(file.problems.count - 20) more problems like these")
                }
            }
            if document.new > 0 { await options.refreshIndex(of: store) }
            try await store.close()
            options.remark(on: store.embedder)
            if json {
                try Terminal.json(document)
            } else {
                let count = document.files.reduce(0) { $0 + $1.conversations }
                Terminal.write(
                    "\(document.new) messages new, \(document.known) known, of \(count) conversations")
                let omitted = document.files.reduce(0) { $0 + $1.omitted }
                if omitted > 0 {
                    options.note("\(omitted) records without text of a conversation were left out")
                }
            }
            if !failures.isEmpty { throw ExitCode(ExitStatus.noInput.rawValue) }
        }
    }

    struct ListChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the conversations, the last one first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var chosen: ChatFilterOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let chats = try await ConversationMemory(store).conversations(try chosen.filter())
            try await store.close()
            if json {
                try Terminal.json(chats)
            } else {
                for line in ConversationLine.lines(chats, withAgents: true) { Terminal.write(line) }
            }
            if chats.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct ShowChat: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what was said in a session, in the order of time.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var chosen: ChatFilterOptions

        @Argument(help: ArgumentHelp("The session, or the beginning of its name.", valueName: "SESSION"))
        var name: String

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func validate() throws {
            guard chosen.session == nil else {
                throw ValidationError("Name one session: as the argument, or with --session, not both.")
            }
        }

        func run() async throws {
            let store = try await options.open()
            let memory = ConversationMemory(store)
            var filter = try chosen.filter()
            let session = try await chosen.session(name, memory)
            (filter.userId, filter.sessionId) = (session.user, session.session)
            let messages = try await memory.messages(filter).inOrderOfTime()
            try await store.close()
            if json {
                try Terminal.json(messages)
            } else {
                for message in messages { message.show() }
            }
            if messages.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct SearchChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search", abstract: "Find what was said, by meaning and by words.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var chosen: ChatFilterOptions

        @Argument(help: "What to look for.")
        var text: String

        @Option(
            name: .customShort("n"), parsing: .unconditional,
            help: ArgumentHelp("The most messages.", valueName: "N"))
        var limit = 5

        @Option(
            name: .long, help: ArgumentHelp("How many messages around each to show.", valueName: "N"))
        var context = 1

        @Option(
            name: .long,
            help: ArgumentHelp("The most tokens of all that is shown.", valueName: "N"))
        var tokens: Int?

        @Flag(name: .long, help: "What was said lately counts more.")
        var recent = false

        @Option(name: .long, help: "How to search: hybrid, vector or text.")
        var mode: SearchMode = .hybrid

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func validate() throws {
            guard limit > 0, limit <= 10_000 else {
                throw ValidationError("-n takes a whole number from 1 to 10000, not \(limit).")
            }
            guard (0...100).contains(context) else {
                throw ValidationError("--context takes a whole number from 0 to 100, not \(context).")
            }
            guard tokens.map({ $0 > 0 }) ?? true else {
                throw ValidationError("--tokens takes a whole number above 0.")
            }
        }

        func run() async throws {
            let store = try await options.open()
            var recall = RecallOptions(limit: limit, context: context, tokenBudget: tokens)
            recall.mode = mode
            if recent { recall.recency = .init() }
            let found = try await ConversationMemory(store).recall(text, in: try chosen.filter(), recall)
            try await store.close()
            if json { try Terminal.json(found) }
            for (place, recollection) in found.enumerated() where !json {
                if place > 0 { Terminal.write("") }
                let message = recollection.message
                Terminal.write(
                    Terminal.dim(
                        String(format: "%.3f  ", recollection.score)
                            + Terminal.line(
                                "\(message.scope.sessionId) · \(message.scope.agentId)", limit: 80)))
                for neighbour in recollection.before { neighbour.show(isDim: true) }
                message.show()
                for neighbour in recollection.after { neighbour.show(isDim: true) }
            }
            if found.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct ExportChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write conversations as JSON Lines, which `chat import` reads.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var chosen: ChatFilterOptions

        private struct Line: Encodable {
            var id: String
            var role: ConversationRole
            var speaker: String?
            var content: String
            var timestamp: String
            var user: String
            var session: String
            var agent: String
        }

        func run() async throws {
            let store = try await options.open()
            let messages = try await ConversationMemory(store).messages(try chosen.filter())
            try await store.close()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for message in messages {
                let line = Line(
                    id: message.name ?? message.id.text, role: message.role, speaker: message.speaker,
                    content: message.content, timestamp: DateText.string(from: message.timestamp),
                    user: message.scope.userId, session: message.scope.sessionId,
                    agent: message.scope.agentId)
                Terminal.write(String(decoding: try encoder.encode(line), as: UTF8.self))
            }
            if messages.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct DeleteChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Remove conversations; `roost undo` brings the last ones back.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var chosen: ChatFilterOptions

        @Flag(name: .long, help: "Say what would be removed, and do nothing.")
        var dryRun = false

        func validate() throws {
            guard !chosen.isEmpty else {
                throw ValidationError(
                    "Name what to remove: --user, --session, --agent, --since or --until.")
            }
        }

        func run() async throws {
            let store = try await options.open()
            let memory = ConversationMemory(store)
            let filter = try chosen.filter()
            let messages = try await memory.messages(filter)
            let count = messages.count
            guard count > 0 else {
                try await store.close()
                throw RoostError(.notFound, "no message is meant by that; nothing was removed")
            }
            if !dryRun {
                if count >= StoreBackup.fewestRemovals { try await options.backUpFirst() }
                try await memory.forget(messages)
                await options.refreshIndex(of: store)
            }
            try await store.close()
            Terminal.write("\(dryRun ? "would remove" : "removed") \(count) messages")
        }
    }
}
