import ArgumentParser
import Foundation
import Roost

struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What the store has in it.")

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "As JSON.")
    var json = false

    private struct Document: Encodable {
        var store: String
        var provider: String
        var space: EmbeddingSpace
        var stamp: Stamp
        var passages = 0
        var tokens = 0
        /// Tokens that no vector tells of, and the entries that have some; left out where the model is not
        /// installed.
        var omittedTokens: Int?
        var entriesWithOmissions: Int?
        var sources: Int
        var bytes: Int
        /// A move to another model that was begun.
        var move: StoreReembedding.Progress?
    }

    func run() async throws {
        let location = try options.location()
        let store = try await options.open()
        let snapshot = try await store.storage.snapshot()
        var document = Document(
            store: location.path, provider: try StoreManifest.read(in: location).provider.rawValue,
            space: store.embedder.space, stamp: snapshot.stamp, sources: try await snapshot.sources().count,
            bytes: ByteCount.ofFiles(in: location), move: try await StoreReembedding.unfinished(in: location))
        if !(store.embedder is AbsentEmbedder) {
            (document.omittedTokens, document.entriesWithOmissions) = (0, 0)
        }
        var row: UInt32?
        repeat {
            let page = try await snapshot.entries(after: row, limit: 1000, matching: .all)
            for entry in page.entries {
                document.passages += entry.searchablePassages.count
                document.tokens += entry.passages.reduce(0) { $0 + $1.tokenCount }
                guard let sum = document.omittedTokens else { continue }
                let omitted = store.omittedTokens(of: entry)
                document.omittedTokens = sum + omitted
                if omitted > 0 { document.entriesWithOmissions? += 1 }
            }
            row = page.next
        } while row != nil
        try await store.close()
        if json { return try Terminal.json(document) }
        show(document)
    }

    private func show(_ document: Document) {
        Terminal.write("store     \(document.store) (\(document.provider), \(document.bytes / 1024) kB)")
        Terminal.write("model     \(document.space)")
        Terminal.write(
            "entries   \(document.stamp.entryCount) from \(document.sources) sources, "
                + "\(document.passages) passages of \(document.tokens) tokens")
        if let omitted = document.omittedTokens, let entries = document.entriesWithOmissions {
            Terminal.write(
                omitted == 0
                    ? "left out  nothing"
                    : "left out  \(omitted) tokens of \(entries) entries: no vector tells of them")
        }
        Terminal.write("clusters  \(document.stamp.clusterCount)")
        Terminal.write("revision  \(document.stamp.revision)")
        if let move = document.move {
            Terminal.write(
                "move      \(move.done) of \(move.total) entries embedded for \(move.space); "
                    + "`roost reembed` goes on with it")
        }
    }
}

struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show or change your settings.",
        discussion: UserConfiguration.keys.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            .joined(separator: "\n"))

    @Argument(help: "A setting; all are shown where it is not given.")
    var key: String?

    @Argument(help: "Its new value.")
    var value: String?

    @Option(name: .long, help: ArgumentHelp("Forget a setting.", valueName: "KEY"))
    var unset: String?

    @Flag(name: .long, help: "As JSON.")
    var json = false

    func run() throws {
        var configuration = try UserConfiguration(UserPlaces().configurationFile)
        if let unset { return try configuration.set(unset, nil) }
        guard let key else {
            if json { return try Terminal.json(configuration.values) }
            Terminal.write("# \(configuration.file.path)")
            for (key, value) in configuration.values.sorted(by: { $0.key < $1.key }) {
                Terminal.write("\(key) = \(value)")
            }
            return
        }
        if let value { return try configuration.set(key, value) }
        guard UserConfiguration.keys[key] != nil else { return try UserConfiguration.check(key, "") }
        guard let value = configuration.values[key] else { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        if json { try Terminal.json([key: value]) } else { Terminal.write(value) }
    }
}
