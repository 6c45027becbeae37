import ArgumentParser
import Foundation
import Roost

/// Verbs of `roost session` for what programs keep by themselves.
extension SessionCommand {
    struct ImportSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Take in the sessions that a program keeps, to search them.",
            discussion: """
                PATH is a database of SQLiteSessionStorage or a folder of FileSessionStorage; it stays as it \
                is. The same again adds nothing. Thoughts and the use of tools are left out.
                """)

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("The database or folder.", valueName: "PATH"))
        var path: String

        @Option(name: .long, help: "Whose sessions they are.")
        var user = "me"

        @Option(name: .long, help: "The agent's name.")
        var agent = "assistant"

        @Flag(name: .long, help: "As JSON.")
        var json = false

        private struct Document: Encodable {
            var sessions = 0
            var new = 0
            var known = 0
            var omitted = 0
            /// Sessions that cannot be read in full, and were left out.
            var unreadable = 0
        }

        func run() async throws {
            let storage = try SessionPlaceOptions.open(path)
            let sessions = try await storage.getAllSessions()
            let store = try await options.openOrCreate()
            let memory = ConversationMemory(store)
            var document = Document(sessions: sessions.count)
            document.unreadable = try await storage.damage().count
            for session in sessions.reversed() {
                let report = try await memory.remember(
                    session, userId: user, agentId: agent, batchSize: 256)
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
                    "\(document.new) messages new, \(document.known) known, of \(sessions.count) sessions")
                if document.omitted > 0 {
                    options.note("\(document.omitted) thoughts and uses of tools were left out")
                }
            }
            guard document.unreadable == 0 else {
                throw RoostError(
                    .badInput,
                    "\(document.unreadable) sessions cannot be read in full and were left out; "
                        + "`roost session doctor \(Terminal.line(path))` tells which")
            }
        }
    }

    struct CopySessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copy all sessions of one database or folder into another.",
            discussion: """
                What is at TO already stays, where it is another session or went on there. A copy that was \
                stopped is gone on with by the same command.
                """)

        @Argument(help: ArgumentHelp("The database or folder.", valueName: "FROM"))
        var source: String

        @Argument(
            help: ArgumentHelp(
                "The other: a name that ends with .sqlite or .db makes a database, another a folder.",
                valueName: "TO"))
        var target: String

        func run() async throws {
            let from = try SessionPlaceOptions.open(source)
            let report = try await migrateSessions(
                from: from, to: try SessionPlaceOptions.open(target, creates: true))
            Terminal.write("\(report.moved) sessions copied, \(report.unchanged) were there")
            guard report.unreadable.isEmpty else {
                throw RoostError(
                    .badInput,
                    "\(report.unreadable.count) sessions cannot be read in full and were not copied; "
                        + "`roost session doctor \(Terminal.line(source))` tells which")
            }
            guard report.conflicts.isEmpty else {
                for id in report.conflicts.prefix(20) {
                    Terminal.error("left alone: session '\(Terminal.line(id, limit: 60))' is another there")
                }
                throw RoostError(
                    .badInput,
                    "\(report.conflicts.count) sessions are others there and were left as they are")
            }
        }
    }

    struct CheckSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor", abstract: "Say which sessions of a database or folder cannot be read.",
            discussion: """
                With --repair, what cannot be read is kept beside the rest, and the sessions go on without it.
                """)

        @Argument(help: ArgumentHelp("The database or folder.", valueName: "PATH"))
        var path: String

        @Flag(name: .long, help: "Move what cannot be read out of the way.")
        var repair = false

        func run() async throws {
            let storage = try SessionPlaceOptions.open(path)
            let found = repair ? try await storage.setDamagedAside() : try await storage.damage()
            for damage in found {
                let whose = damage.subject.map { "session '\(Terminal.line($0, limit: 60))'" } ?? "a session"
                let aside = damage.aside.map { "; it is now in \(Terminal.line($0, limit: 300))" } ?? ""
                Terminal.write(
                    "\(whose): \(Terminal.line(damage.place, limit: 300)) is not as it was written, "
                        + "\(damage.readable) messages can be read\(aside)")
            }
            guard !found.isEmpty else { return Terminal.write("all sessions can be read") }
            if !repair {
                throw RoostError(
                    .badInput,
                    "\(found.count) sessions cannot be read in full; --repair sets aside what cannot")
            }
        }
    }
}
