import ArgumentParser
import Foundation
import Roost

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Copy the store to another storage format.",
        discussion: """
            Keeps ids, dates and revisions, so exports of both stores are identical. After the copy, the \
            command compares the contents of both stores. The original store is not changed. To continue an \
            interrupted copy, run the same command again.

            Examples:
              roost migrate --to json ~/notes-json
              roost migrate --to sqlite ~/notes-sqlite --store ~/notes-json
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long,
        help: ArgumentHelp("The storage format of the copy: sqlite or json.", valueName: "storage"))
    var to: String

    @Argument(help: ArgumentHelp("A new folder.", valueName: "DIR"))
    var directory: String

    func run() async throws {
        let provider = try StoreOptions.providerInFolder(to)
        let target = URL(fileURLWithPath: directory)
        let progress = Progress(isQuiet: options.quiet)
        let migration = StoreMigration(from: try options.location(), to: target, provider: provider)
        let stamp: Stamp
        do {
            stamp = try await progress.during("copying") {
                try await migration.run { done, all in
                    progress.update(done, fraction: Double(done) / Double(max(1, all)))
                }
            }
        } catch is CancellationError {
            progress.finish()
            throw CommandError(.interrupted, "stopped; run the same command again to continue")
        }
        progress.finish()
        Terminal.write(
            "copied \(Count.text(stamp.entryCount, "entry", "entries")) at revision \(stamp.revision) to "
                + target.path)
    }
}
