import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostMemory

/// The `roost chat` commands for the session storages of other programs.
extension ChatCommand {
    struct CopyChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copy all sessions to another database or folder.",
            discussion: """
                Sessions that already exist in TO with different or newer messages are not overwritten. An \
                interrupted copy continues when you run the same command again.

                Examples:
                  roost chat copy sessions.sqlite sessions-folder
                  roost chat copy ~/app/sessions backup.sqlite
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
            Terminal.write(
                "copied \(Count.text(report.moved, "session")); \(report.unchanged) already existed")
            guard report.unreadable.isEmpty else {
                throw RoostError(
                    .badInput,
                    "skipped \(Count.text(report.unreadable.count, "session")) that cannot be read "
                        + "completely; run `roost chat doctor \(Terminal.line(source))` to list them")
            }
            guard report.conflicts.isEmpty else {
                for id in report.conflicts.prefix(Terminal.maximumListedItems) {
                    Terminal.error(
                        "skipped: session '\(Terminal.line(id, limit: 60))' differs in the destination")
                }
                throw RoostError(
                    .badInput,
                    "skipped \(Count.text(report.conflicts.count, "session")) with other contents in the "
                        + "destination"
                )
            }
        }
    }

    struct CheckChats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor", abstract: "Check the sessions of a database or folder for damage.",
            discussion: """
                With --repair, moves unreadable data to a separate file or table; the sessions keep the \
                messages that can be read.

                Examples:
                  roost chat doctor sessions.sqlite
                  roost chat doctor ~/app/sessions --repair
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
                        + "\(Count.text(damage.readable, "message")) can be read\(aside)")
            }
            guard !found.isEmpty else { return Terminal.write("all sessions can be read") }
            if !repair {
                throw RoostError(
                    .badInput,
                    "\(Count.text(found.count, "session")) cannot be read completely; "
                        + "run `roost chat doctor --repair` to set the unreadable data aside")
            }
        }
    }
}
