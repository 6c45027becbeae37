import ArgumentParser
import Foundation
import Roost

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Build and look at the index that searches read.",
        discussion: """
            The index is derived from the store: a missing, old or damaged one costs time and nothing else. \
            Ingest writes it where a store has grown by a tenth; for stores of 50,000 passages or more, \
            build adds a graph, with which searches find nearly all of what is nearest in a fraction of the \
            time (`roost query --exact` compares them all).
            """,
        subcommands: [BuildIndex.self, IndexStats.self])
}

struct BuildIndex: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Write the index anew.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let made = try await store.buildIndex()
        try await store.close()
        guard let made else {
            options.note("the store is empty; there is nothing to index")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        options.detail(String(format: "built in %.1f s", Date().timeIntervalSince(start)))
        let graph = made.hasGraph ? ", with a graph for approximate search" : ""
        Terminal.write(
            "\(made.entries) entries, \(made.passages) passages, \(ByteCount.text(made.bytes))\(graph)")
    }
}

struct IndexStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Size and age of the index, and what has changed since.")

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "As JSON.")
    var json = false

    @Flag(
        name: .long,
        help: "Measure on the store's own passages how much of what is nearest the graph finds.")
    var recall = false

    /// As `--json` writes it.
    private struct Document: Encodable {
        var index: IndexDescription
        var recall: RecallMeasurement?

        func encode(to encoder: any Encoder) throws {
            try index.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encodeIfPresent(recall, forKey: .recall)
        }

        private enum Keys: String, CodingKey { case recall }
    }

    func run() async throws {
        let store = try await options.open()
        let found = try await store.indexDescription()
        let measured = recall && found != nil ? try await store.measureRecall() : nil
        try await store.close()
        guard let found else {
            options.note("the store has no index; `roost index build` writes one")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        if json { return try Terminal.json(Document(index: found, recall: measured)) }
        Terminal.write("entries   \(found.entries) with \(found.terms) different words")
        Terminal.write("passages  \(found.passages) of \(found.dimension) dimensions")
        Terminal.write("size      \(ByteCount.text(found.bytes))\(found.hasGraph ? ", with a graph" : "")")
        Terminal.write(
            "made      \(DateText.string(from: found.createdAt)) at revision \(found.revision); "
                + "\(found.changesSince) entries changed since")
        guard recall else { return }
        guard let measured else {
            return Terminal.write("recall    1, by comparing all: there is no graph")
        }
        Terminal.write(
            String(
                format:
                    "recall    %.3f of the ten nearest of %ld passages (%.2f ms each; exact %.2f ms)",
                measured.recall, measured.samples, measured.graphMilliseconds, measured.exactMilliseconds))
    }
}
