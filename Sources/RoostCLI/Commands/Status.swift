import ArgumentParser
import Foundation
import Roost
import RoostModel

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the size and contents of the store.",
        discussion: """
            Examples:
              roost status
              roost status --store ~/notes-store --json
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    private struct Document: Encodable {
        var store: String
        var provider: String
        var space: EmbeddingSpace
        var stamp: Stamp
        var sources: Int
        var bytes: Int
        var index: IndexDescription?
        /// The place where vectors are searched, and the index there, if the store is on a server.
        var searchIn: SearchPlace?
        var databaseIndex: PassageIndexState?
        var move: ModelMigration.Progress?
    }

    func run() async throws {
        let location = try options.location()
        let store = try await options.open()
        let snapshot = try await store.storage.snapshot()
        var document = Document(
            store: location.path, provider: try StoreManifest.read(in: location).provider.rawValue,
            space: store.embedder.space, stamp: snapshot.stamp, sources: try await snapshot.sources().count,
            bytes: ByteCount.ofFiles(in: location), index: try await store.index.description(),
            move: try await ModelMigration.unfinished(in: location))
        if document.provider == StoreManifest.Provider.postgres.rawValue {
            document.searchIn = try await store.index.place()
            document.databaseIndex = try await store.index.databaseState()
        }
        let larger = Set(try await snapshot.clusterRecords().compactMap(\.parent)).count
        try await store.close()
        if json { return try Terminal.json(document) }
        show(document, largerClusters: larger)
    }

    private func show(_ document: Document, largerClusters larger: Int) {
        let size = ByteCount.text(document.bytes) + (document.searchIn == nil ? "" : " of derived data")
        Terminal.write("store     \(document.store) (\(document.provider), \(size))")
        Terminal.write("model     \(document.space)")
        Terminal.write(
            "entries   \(document.stamp.entryCount) from \(Count.text(document.sources, "source"))")
        // The stamp counts the clusters of all levels.
        Terminal.write(
            "clusters  \(document.stamp.clusterCount - larger)"
                + (larger > 0 ? " and \(Count.text(larger, "larger cluster"))" : ""))
        Terminal.write("index     " + indexText(document.index))
        if let place = document.searchIn {
            let index = document.databaseIndex.map { index in
                index.isComplete
                    ? ", index of \(ByteCount.text(index.bytes))"
                    : ", no index: \(index.obstacle ?? "run `roost index`")"
            }
            Terminal.write("search-in \(place.rawValue)\(index ?? "")")
        }
        Terminal.write("revision  \(document.stamp.revision)")
        if let move = document.move {
            Terminal.write(
                "move      \(move.done) of \(move.total) entries embedded with \(move.space); "
                    + "run `roost model use` again to continue")
        }
    }

    private func indexText(_ index: IndexDescription?) -> String {
        guard let index else { return "none; `roost index` builds it" }
        return "\(Count.text(index.passages, "passage")) and \(Count.text(index.terms, "term")), "
            + "\(ByteCount.text(index.bytes))\(index.hasGraph ? ", with a graph" : ""); "
            + "\(Count.text(index.changesSince, "entry", "entries")) changed since"
    }
}
