import ArgumentParser
import Foundation
import Roost
import RoostConversations
import Synchronization

extension ChatCommand {
    struct ImportChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Import conversations from files.",
            discussion: """
                Reads Claude Code transcripts (JSON Lines), the conversations.json of a ChatGPT or \
                Claude.ai export, the message_1.json of messengers, and JSON Lines of the form \
                {"role", "content", "timestamp"?, "id"?, \
                "session"?, "agent"?, "user"?, "speaker"?, "title"?}, also as a JSON array or in an object \
                with the key "messages". Importing the same file again adds \
                nothing. Unreadable lines are reported and skipped. A folder or database is read as the \
                session storage of another program (SQLiteSessionStorage), without \
                thoughts and tool calls; it must be the only argument.

                Examples:
                  roost chat import ~/.claude/projects/*/*.jsonl
                  roost chat import conversations.json --user ana
                  my-agent --log | roost chat import - --session today
                  roost chat import sessions.sqlite --user ana --agent helper
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: JSONOption

        @Argument(
            help: ArgumentHelp("Files, a session storage, or - for standard input.", valueName: "FILE"),
            completion: .file())
        var files: [String]

        @Option(name: .long, help: "The user, for conversations whose file does not name a user.")
        var user = "me"

        @Option(
            name: .long,
            help: ArgumentHelp(
                "The session, for conversations whose file does not name a session. Default: the file "
                    + "name."))
        var session: String?

        @Option(name: .long, help: "The agent, for conversations whose file does not name an agent.")
        var agent = "assistant"

        struct Document: Encodable {
            struct File: Encodable {
                var file: String
                var format: String
                var conversations: Int
                var problems: [TranscriptFile.Problem] = []
                var omitted: Int
            }
            var new = 0
            var known = 0
            var files: [File] = []
            var failed: [Failed] = []

            struct Failed: Encodable {
                var file: String
                var reason: String
            }
        }

        /// The number of messages per commit. If the command is interrupted, the embeddings of at most this
        /// many messages are lost.
        static let batchSize = 256

        private static func read(_ name: String) throws -> TranscriptFile {
            guard name == "-" else { return try TranscriptReader().read(URL(fileURLWithPath: name)) }
            return try TranscriptReader().read(try StandardInput.readToEnd(), name: "standard input")
        }

        func run() async throws {
            if let path = files.first(where: SessionImport.isStorage) {
                guard files.count == 1 else {
                    throw CommandError(
                        .usage,
                        "cannot import \(Terminal.line(path)) together with other files: it is a session "
                            + "storage; import it with a separate command")
                }
                return try await SessionImport(path: path, user: user, agent: agent)
                    .run(options, show: show)
            }
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
                throw RoostError(.noInput, "cannot read any of the \(Count.text(failures.count, "file"))")
            }
            let store = try await options.openOrCreate()
            let memory = ConversationMemory(store)
            var document = Document()
            document.failed = failures.map { .init(file: $0.name, reason: $0.error.message) }
            for (name, file) in read {
                try await remember(file, named: name, memory, &document)
                report(file.problems, of: name)
            }
            if document.new > 0 { await options.refreshIndex(of: store) }
            try await store.close()
            try show(document)
            if !failures.isEmpty { throw ExitCode(ExitStatus.noInput.rawValue) }
        }

        private func show(_ document: Document) throws {
            if output.json { return try Terminal.json(document) }
            let count = document.files.reduce(0) { $0 + $1.conversations }
            Terminal.write(
                "\(Count.text(document.new, "new message")), \(document.known) known, "
                    + "in \(Count.text(count, "conversation"))")
            let omitted = document.files.reduce(0) { $0 + $1.omitted }
            if omitted > 0 {
                options.note("omitted \(Count.text(omitted, "record")) without conversation text")
            }
        }

        private func remember(
            _ file: TranscriptFile, named name: String, _ memory: ConversationMemory,
            _ document: inout Document
        ) async throws {
            for transcript in file.transcripts {
                let scope = ChatScope(
                    userId: transcript.userId ?? user,
                    sessionId: transcript.sessionId ?? session
                        ?? URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent,
                    agentId: transcript.agentId ?? agent)
                let report = try await memory.remember(transcript, in: scope, batchSize: Self.batchSize)
                document.new += report.new
                document.known += report.known
            }
            document.files.append(
                .init(
                    file: name, format: file.format.rawValue, conversations: file.transcripts.count,
                    problems: file.problems, omitted: file.omitted))
        }

        /// Prints the problems of a file. With `--json`, it prints nothing, because the document contains
        /// them.
        private func report(_ problems: [TranscriptFile.Problem], of name: String) {
            guard !output.json else { return }
            for problem in problems.prefix(Terminal.maximumListedItems) where !options.quiet {
                let action = problem.isSkipped ? "skipped " : ""
                Terminal.error("\(action)\(Terminal.line(name)), \(problem.location): \(problem.reason)")
            }
            if problems.count > Terminal.maximumListedItems {
                options.note(Count.text(problems.count - Terminal.maximumListedItems, "more problem"))
            }
        }
    }
}

struct SessionImport {
    /// The beginning of every SQLite database (https://www.sqlite.org/fileformat.html).
    private static let databaseHeader = Data("SQLite format 3\u{0}".utf8)

    let path: String
    let user: String
    let agent: String

    /// Returns whether a path names a folder or a database, and not a transcript.
    static func isStorage(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return false
        }
        return isFolder.boolValue || isDatabase(path)
    }

    /// Returns whether a file is a SQLite database. Nothing is read from a pipe.
    static func isDatabase(_ path: String) -> Bool {
        guard path != "-", FileStatus(path)?.isRegular == true,
            let file = FileHandle(forReadingAtPath: path)
        else { return false }
        return (try? file.read(upToCount: databaseHeader.count)) == databaseHeader
    }

    func run(
        _ options: StoreOptions, show: (ChatCommand.ImportChats.Document) throws -> Void
    ) async throws {
        let unreadable = Mutex(0)
        let storage = try SQLiteSessionStorage(existing: URL(fileURLWithPath: path)) { error in
            unreadable.withLock { $0 += 1 }
            Terminal.error("skipped a session: \(Terminal.line(error.message, limit: 300))")
        }
        let sessions = try await storage.getAllSessions()
        let store = try await options.openOrCreate()
        let memory = ConversationMemory(store)
        var document = ChatCommand.ImportChats.Document()
        var omitted = 0
        for session in sessions.reversed() {
            let report = try await memory.remember(
                session, userId: user, agentId: agent, batchSize: ChatCommand.ImportChats.batchSize)
            document.new += report.messages.new
            document.known += report.messages.known
            omitted += report.omitted
        }
        document.files = [
            .init(file: path, format: "sessions", conversations: sessions.count, omitted: omitted)
        ]
        if document.new > 0 { await options.refreshIndex(of: store) }
        try await store.close()
        try show(document)
        let skipped = unreadable.withLock { $0 }
        guard skipped == 0 else {
            throw RoostError(
                .badInput,
                "skipped \(Count.text(skipped, "session")) that cannot be read completely")
        }
    }
}
