import ArgumentParser
import Foundation
import Roost

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
