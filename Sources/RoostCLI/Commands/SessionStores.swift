import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostMemory

/// The `roost session` commands for the session storages of other programs.
extension SessionCommand {
    struct ImportSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Import the sessions of another program.",
            discussion: """
                PATH is a database of SQLiteSessionStorage or a folder of FileSessionStorage; it is not \
                changed. Importing the same sessions again adds nothing. Thoughts and tool calls are omitted.

                Examples:
                  roost session import sessions.sqlite
                  roost session import ~/app/sessions --user ana --agent helper
                """)

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("The database or folder with the sessions.", valueName: "PATH"))
        var path: String

        @Option(name: .long, help: "The user whose sessions are read.")
        var user = "me"

        @Option(name: .long, help: "The agent whose sessions are read.")
        var agent = "assistant"

        @Flag(name: .long, help: "Print the result as JSON.")
        var json = false

        private struct Document: Encodable {
            var sessions = 0
            var new = 0
            var known = 0
            var omitted = 0
            /// The number of skipped sessions that cannot be read completely.
            var unreadable = 0
        }

        func run() async throws {
            let storage = try SessionStorageOptions.open(path)
            let sessions = try await storage.getAllSessions()
            let store = try await options.openOrCreate()
            let memory = ConversationMemory(store)
            var document = Document(sessions: sessions.count)
            document.unreadable = try await storage.damage().count
            for session in sessions.reversed() {
                let report = try await memory.remember(
                    session, userId: user, agentId: agent, batchSize: ChatCommand.ImportChats.batchSize)
                document.new += report.messages.new
                document.known += report.messages.known
                document.omitted += report.omitted
            }
            if document.new > 0 { await options.refreshIndex(of: store) }
            try await store.close()
            options.remark(on: store.embedder)
            if json {
                try Terminal.json(document)
            } else {
                Terminal.write(
                    "\(document.new) new messages, \(document.known) known, in \(sessions.count) sessions")
                if document.omitted > 0 {
                    options.note("omitted \(document.omitted) thoughts and tool calls")
                }
            }
            guard document.unreadable == 0 else {
                throw RoostError(
                    .badInput,
                    "skipped \(document.unreadable) sessions that cannot be read completely; run "
                        + "`roost session doctor \(Terminal.line(path))` to list them")
            }
        }
    }

    struct CopySessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copy all sessions to another database or folder.",
            discussion: """
                Sessions that already exist in TO with different or newer messages are not overwritten. An \
                interrupted copy continues when you run the same command again.

                Examples:
                  roost session copy sessions.sqlite sessions-folder
                  roost session copy ~/app/sessions backup.sqlite
                """)

        @Argument(help: ArgumentHelp("The database or folder to copy.", valueName: "FROM"))
        var source: String

        @Argument(
            help: ArgumentHelp(
                "The destination: a database if the name ends with .sqlite or .db, otherwise a folder.",
                valueName: "TO"))
        var target: String

        func run() async throws {
            let from = try SessionStorageOptions.open(source)
            let report = try await migrateSessions(
                from: from, to: try SessionStorageOptions.open(target, creates: true))
            Terminal.write("copied \(report.moved) sessions; \(report.unchanged) already existed")
            guard report.unreadable.isEmpty else {
                throw RoostError(
                    .badInput,
                    "skipped \(report.unreadable.count) sessions that cannot be read completely; run "
                        + "`roost session doctor \(Terminal.line(source))` to list them")
            }
            guard report.conflicts.isEmpty else {
                for id in report.conflicts.prefix(Terminal.maximumListedItems) {
                    Terminal.error(
                        "skipped: session '\(Terminal.line(id, limit: 60))' differs in the destination")
                }
                throw RoostError(
                    .badInput,
                    "skipped \(report.conflicts.count) sessions that differ in the destination")
            }
        }
    }

    struct CheckSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor", abstract: "Check the sessions of a database or folder for damage.",
            discussion: """
                With --repair, moves unreadable data to a separate file or table; the sessions keep the \
                messages that can be read.

                Examples:
                  roost session doctor sessions.sqlite
                  roost session doctor ~/app/sessions --repair
                """)

        @Argument(help: ArgumentHelp("The database or folder with the sessions.", valueName: "PATH"))
        var path: String

        @Flag(name: .long, help: "Move unreadable data to a separate file or table.")
        var repair = false

        func run() async throws {
            let storage = try SessionStorageOptions.open(path)
            let found = repair ? try await storage.setDamagedAside() : try await storage.damage()
            for damage in found {
                let session =
                    damage.subject.map { "session '\(Terminal.line($0, limit: 60))'" } ?? "a session"
                let aside =
                    damage.movedTo.map { "; the damaged data is now in \(Terminal.line($0, limit: 300))" }
                    ?? ""
                Terminal.write(
                    "\(session): \(Terminal.line(damage.location, limit: 300)) is corrupt; "
                        + "\(damage.readable) messages can be read\(aside)")
            }
            guard !found.isEmpty else { return Terminal.write("all sessions can be read") }
            if !repair {
                throw RoostError(
                    .badInput,
                    "\(found.count) sessions cannot be read completely; run `roost session doctor --repair` "
                        + "to set the unreadable data aside")
            }
        }
    }
}
