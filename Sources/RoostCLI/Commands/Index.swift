import ArgumentParser
import Foundation
import Roost
import Synchronization

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Rebuild the search index.",
        discussion: """
            The index is derived from the store: a missing, outdated or damaged index makes searches \
            slower, never wrong. `roost ingest` rebuilds it when a tenth of the entries have changed. For \
            50,000 passages or more, it contains a graph for approximate search, which finds nearly all of \
            the nearest passages in a fraction of the time; `roost query --exact` compares all vectors \
            instead. If the vectors of a store in PostgreSQL are searched in the database (`roost config \
            search-in`), this command also builds an index there, while other clients continue to work.

            Example:
              roost index
            """)

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let made = try await Progress(isQuiet: options.quiet).during("building the index") {
            try await store.buildIndex()
        }
        let database = try await buildInDatabase(store)
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

    /// The interval at which a build in the database is reported, in seconds.
    private static let reportInterval: TimeInterval = 5

    /// Builds the index over vectors in the database, if searches run there.
    private func buildInDatabase(_ store: KnowledgeStore) async throws -> PassageIndexState? {
        let last = Mutex(Date())
        return try await store.buildDatabaseIndex { step, share in
            let isDue = last.withLock { last in
                guard Date().timeIntervalSince(last) >= Self.reportInterval else { return false }
                last = Date()
                return true
            }
            guard isDue else { return }
            let done = share.map { String(format: ", %.0f %%", $0 * 100) } ?? ""
            options.note("index in the database: \(step)\(done)")
        }
    }
}
