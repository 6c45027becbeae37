import ArgumentParser
import Foundation
import Roost
import Synchronization

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Build and inspect the search index.",
        discussion: """
            The index is derived from the store: a missing, outdated or damaged index makes searches \
            slower, never wrong. `roost ingest` rebuilds it when a tenth of the entries have changed. \
            For stores with 50,000 passages or more, `roost index build` adds a proximity graph for \
            approximate search, which finds nearly all of the nearest passages in a fraction of the \
            time; `roost query --exact` compares all vectors instead. If the vectors of a store in \
            PostgreSQL are searched in the database (`roost config search-in`), `roost index build` \
            builds an index of words on this machine and an index of vectors in the database, while other \
            clients continue to work.

            Examples:
              roost index build
              roost index stats --recall
            """,
        subcommands: [BuildIndex.self, IndexStats.self])
}

struct BuildIndex: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Rebuild the index.",
        discussion: """
            Examples:
              roost index build
              roost index build -v
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
        if let database {
            return Terminal.write(
                "\(Count.text(made.entries, "entry", "entries")); "
                    + "index of words: \(ByteCount.text(made.bytes)); "
                    + "index of vectors in the database: \(ByteCount.text(database.bytes))")
        }
        let graph = made.hasGraph ? ", with a graph for approximate search" : ""
        Terminal.write(
            "\(Count.text(made.entries, "entry", "entries")), \(Count.text(made.passages, "passage")), "
                + "\(ByteCount.text(made.bytes))\(graph)")
    }
}

extension BuildIndex {
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

struct IndexStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show the size and age of the index, and how many entries have changed since.",
        discussion: """
            Exits with 1 if the store has no index.

            Examples:
              roost index stats
              roost index stats --recall --json
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    @Flag(
        name: .long,
        help: "Measure the recall of the graph, with passages of the store as queries.")
    var recall = false

    /// The JSON output.
    private struct Document: Encodable {
        var index: IndexDescription
        /// The index in the database, if searches run there.
        var database: PassageIndexState?
        var recall: RecallMeasurement?

        func encode(to encoder: any Encoder) throws {
            try index.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encodeIfPresent(recall, forKey: .recall)
            try container.encodeIfPresent(database, forKey: .database)
        }

        private enum Keys: String, CodingKey { case recall, database }
    }

    func run() async throws {
        let store = try await options.open()
        let found = try await store.indexDescription()
        let database = try await store.databaseIndexState()
        let measured = recall && found != nil ? try await store.measureRecall() : nil
        try await store.close()
        guard let found else {
            options.note("the store has no index; run `roost index build` to create one")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        if json {
            return try Terminal.json(Document(index: found, database: database, recall: measured))
        }
        Terminal.write("entries   \(found.entries) with \(found.terms) distinct terms")
        Terminal.write("passages  \(found.passages) of \(found.dimension) dimensions")
        Terminal.write("size      \(ByteCount.text(found.bytes))\(found.hasGraph ? ", with a graph" : "")")
        Terminal.write(
            "created   \(DateText.string(from: found.createdAt)) at revision \(found.revision); "
                + "\(Count.text(found.changesSince, "entry", "entries")) changed since")
        if let database {
            Terminal.write(
                database.isComplete
                    ? "database  \(ByteCount.text(database.bytes)) of vectors"
                    : "database  no index: \(database.obstacle ?? "run `roost index build`")")
        }
        guard recall else { return }
        guard let measured else {
            return Terminal.write("recall    1: without a graph, searches compare all vectors")
        }
        Terminal.write(
            String(
                format:
                    "recall    %.3f at 10, over %ld sampled passages (%.2f ms per query; exact %.2f ms)",
                measured.recall, measured.samples, measured.graphMilliseconds, measured.exactMilliseconds))
    }
}
