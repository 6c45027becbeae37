import ArgumentParser
import Foundation
import Roost
import RoostModel
import RoostServer

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: Operations.summary(of: "status"),
        discussion: """
            Examples:
              roost status
              roost status --store ~/notes-store --json
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    private struct Facts: Encodable {
        var path: String
        var provider: String
        var space: EmbeddingSpace
        var stamp: Stamp
        var sources: Int
        /// The number of findings of all sources by their kinds.
        var findings: [String: Int]
        var index: IndexDescription?
        /// The place where vectors are searched, and the index there, if the store is on a server.
        var searchIn: SearchPlace?
        var databaseIndex: PassageIndexState?
        var move: EmbeddingSpace?
    }

    func run() async throws {
        let location = try options.location()
        let store = try await options.open()
        let snapshot = try await store.storage.snapshot()
        let status = try await StatusDocument(
            of: store, snapshot, in: location, version: VersionText.number)
        let sources = try await snapshot.sources()
        var facts = Facts(
            path: location.path, provider: try StoreManifest.read(in: location).provider.rawValue,
            space: store.embedder.space, stamp: snapshot.stamp, sources: sources.count,
            findings: sources.reduce(into: [:]) { $0.merge($1.findings, uniquingKeysWith: +) },
            index: try await store.index.description(), move: ModelMigration.unfinished(in: location))
        if facts.provider == StoreManifest.Provider.postgres.rawValue {
            facts.searchIn = try await store.index.place()
            facts.databaseIndex = try await store.index.databaseState()
        }
        let scales = ClusterScales(try await snapshot.clusterRecords())
        try await store.close()
        if output.json { return try Terminal.json(JoinedDocument(status, facts)) }
        show(facts, status.bytes ?? 0, snapshot.stamp, scales)
    }

    private func show(_ facts: Facts, _ bytes: Int, _ stamp: Stamp, _ scales: ClusterScales) {
        let size = ByteCount.text(bytes) + (facts.searchIn == nil ? "" : " of derived data")
        Terminal.write("store     \(facts.path) (\(facts.provider), \(size))")
        Terminal.write("model     \(facts.space)")
        Terminal.write(
            "entries   \(stamp.entryCount) from \(Count.text(facts.sources, "source"))")
        let findings = IngestReport.Finding.Kind.allCases.compactMap { kind in
            facts.findings[kind.rawValue].map(kind.text)
        }
        if !findings.isEmpty { Terminal.write("findings  \(findings.joined(separator: ", "))") }
        Terminal.write("clusters  \(scales.groups)\(scales.details)")
        Terminal.write("index     " + indexText(facts.index))
        if let place = facts.searchIn {
            let index = facts.databaseIndex.map { index in
                index.isComplete
                    ? ", index of \(ByteCount.text(index.bytes))"
                    : ", no index: \(index.obstacle ?? "run `roost index`")"
            }
            Terminal.write("search-in \(place.rawValue)\(index ?? "")")
        }
        Terminal.write("revision  \(stamp.revision)")
        if let move = facts.move {
            Terminal.write(
                "move      an unfinished move to \(move); run `roost model use` again to continue")
        }
    }

    private func indexText(_ index: IndexDescription?) -> String {
        guard let index else { return "none; `roost index` builds it" }
        return "\(Count.text(index.passages, "passage")) and \(Count.text(index.terms, "term")), "
            + "\(ByteCount.text(index.bytes))\(index.hasGraph ? ", with a graph" : ""); "
            + "\(Count.text(index.changesSince, "entry", "entries")) changed since"
    }
}

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Rebuild the search index.",
        discussion: """
            The index is derived from the store: a missing, outdated or damaged index makes searches \
            slower, never wrong. `roost ingest` updates it when a tenth of the entries have changed. For \
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
