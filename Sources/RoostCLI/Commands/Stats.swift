import ArgumentParser
import Foundation
import Roost

struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the size and contents of the store.",
        discussion: """
            Examples:
              roost stats
              roost stats --store ~/notes-store --json
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    /// The number of entries that are read at once.
    private static let entriesPerRead = 256

    private struct Document: Encodable {
        var store: String
        var provider: String
        var space: EmbeddingSpace
        var stamp: Stamp
        var passages = 0
        var tokens = 0
        /// The number of tokens that no vector covers; `nil` if the model is not installed.
        var omittedTokens: Int?
        /// The number of entries with omitted tokens; `nil` if the model is not installed.
        var entriesWithOmissions: Int?
        var sources: Int
        var bytes: Int
        /// The place where vectors are searched, if the store is on a server.
        var searchIn: SearchPlace?
        /// The progress of an unfinished move to another model.
        var move: ModelMigration.Progress?
    }

    func run() async throws {
        let location = try options.location()
        let store = try await options.open()
        let snapshot = try await store.storage.snapshot()
        var document = Document(
            store: location.path, provider: try StoreManifest.read(in: location).provider.rawValue,
            space: store.embedder.space, stamp: snapshot.stamp, sources: try await snapshot.sources().count,
            bytes: ByteCount.ofFiles(in: location), move: try await ModelMigration.unfinished(in: location))
        if !(store.embedder is AbsentEmbedder) {
            (document.omittedTokens, document.entriesWithOmissions) = (0, 0)
        }
        if document.provider == StoreManifest.Provider.postgres.rawValue {
            document.searchIn = try await store.currentSearchPlace()
        }
        let statistics = try await snapshot.textStatistics(maximumTokens: store.embedder.maximumTokens)
        (document.passages, document.tokens) = (statistics.passages, statistics.tokens)
        for start in stride(from: 0, to: statistics.longEntries.count, by: Self.entriesPerRead) {
            guard let sum = document.omittedTokens else { break }
            let end = min(statistics.longEntries.count, start + Self.entriesPerRead)
            let entries = try await snapshot.entries(Array(statistics.longEntries[start..<end]))
            let omitted = entries.map { store.omittedTokens(of: $0) }
            document.omittedTokens = omitted.reduce(sum, +)
            document.entriesWithOmissions? += omitted.count { $0 > 0 }
        }
        let larger = Set(try await snapshot.clusterRecords().compactMap(\.parent)).count
        try await store.close()
        if json { return try Terminal.json(document) }
        show(document, largerClusters: larger)
    }

    private func show(_ document: Document, largerClusters larger: Int) {
        let size =
            document.searchIn.map { "\(document.bytes / 1024) kB of derived data; search-in: \($0.rawValue)" }
            ?? "\(document.bytes / 1024) kB"
        Terminal.write("store     \(document.store) (\(document.provider), \(size))")
        Terminal.write("model     \(document.space)")
        Terminal.write(
            "entries   \(document.stamp.entryCount) from \(Count.text(document.sources, "source")), "
                + "\(Count.text(document.passages, "passage")), "
                + "\(Count.grouped(document.tokens)) token\(document.tokens == 1 ? "" : "s") in total")
        if let omitted = document.omittedTokens, let entries = document.entriesWithOmissions {
            Terminal.write(
                omitted == 0
                    ? "omitted   0 tokens"
                    : "omitted   \(Count.text(omitted, "token")) of "
                        + "\(Count.text(entries, "entry", "entries")): no vector covers them")
        }
        // The stamp counts the clusters of all levels.
        Terminal.write(
            "clusters  \(document.stamp.clusterCount - larger)"
                + (larger > 0 ? " and \(Count.text(larger, "larger cluster"))" : ""))
        Terminal.write("revision  \(document.stamp.revision)")
        if let move = document.move {
            Terminal.write(
                "move      \(move.done) of \(move.total) entries embedded with \(move.space); "
                    + "run `roost reembed` again to continue")
        }
    }
}
