import ArgumentParser
import Foundation
import Roost

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Rebuild the search index.",
        discussion: """
            The index is derived from the store: a missing, outdated or damaged index makes searches \
            slower, never wrong. `roost ingest` rebuilds it when a tenth of the entries have changed. For \
            50,000 passages or more, it contains a graph for approximate search; `roost query --exact` \
            compares all vectors instead. If the vectors of a store in PostgreSQL are searched in the database (`roost config \
            search-in`), this command also builds an index there, while other clients continue to work.

            Example:
              roost index
            """)

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let progress = Progress(isQuiet: options.quiet)
        let made = try await progress.during("building the index") { try await store.index.build() }
        let database = try await store.index.buildInDatabase { step, share in
            progress.update("index in the database: \(step)", fraction: share ?? 0)
        }
        progress.finish()
        try await store.close()
        guard let made else {
            options.note("cannot build an index: the store is empty")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        options.detail(String(format: "built in %.1f s", Date().timeIntervalSince(start)))
        Terminal.write(
            "\(Count.text(made.entries, "entry", "entries")), \(Count.text(made.passages, "passage")), "
                + ByteCount.text(made.bytes)
                + (made.hasGraph ? ", with a graph for approximate search" : "")
                + (database.map { ", and \(ByteCount.text($0.bytes)) in the database" } ?? ""))
    }
}
