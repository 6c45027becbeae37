import ArgumentParser
import Foundation
import Roost

struct Reembed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the store to another model: embed every text anew.",
        discussion: """
            The store stays as it is, and can be searched and written to, until all texts have new vectors; \
            then all are replaced at once. A command that was stopped is given again to go on. Before the \
            vectors are replaced, a snapshot of the store as it was is made in its own backups. Clusters \
            keep their names and members; `roost recluster` groups by the new vectors.
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The model: an installed one's name, a folder, remote:NAME, or lexical.", valueName: "NAME"))
    var model: String?

    @Flag(
        name: [.customLong("no-backup"), .customLong("no-copy")],
        help: "Make no backup of the store as it was.")
    var noBackup = false

    @Flag(name: .long, help: "Give up a move that was begun; the store stays as it is.")
    var discard = false

    @Flag(name: .long, help: "Report as JSON.")
    var json = false

    func validate() throws {
        guard (model != nil) != discard else {
            throw ValidationError("Give the --model to move to, or --discard.")
        }
    }

    func run() async throws {
        let location = try options.location()
        guard try options.hasStore() else {
            throw RoostError(.noStore, "there is no store in \(location.path); `roost init` makes one")
        }
        guard let model else {
            let found = try await StoreReembedding.discard(in: location)
            return options.note(found ? "what was embedded is removed" : "no move was begun")
        }
        var notes: [String] = []
        let embedder = try await EmbedderChoice.openForStore(model, &notes)
        for text in notes { options.note(text) }
        var reembedding = StoreReembedding(of: location, with: embedder)
        reembedding.makesBackup = !noBackup
        reembedding.passphrase = BackupOptions.passphraseOfEnvironment()
        let progress = Progress(isQuiet: options.quiet)
        let report: StoreReembedding.Report
        do {
            report = try await reembedding.run {
                progress.update($0.done, fraction: Double($0.done) / Double(max(1, $0.total)))
            }
        } catch is CancellationError {
            progress.finish()
            throw CommandError(
                .interrupted, "stopped; the store is as it was, and the same command goes on from there")
        }
        progress.finish()
        options.remark(on: embedder)
        if report.isMoved {
            // The index of before is of another history, and of no use.
            let store = try await options.open(recordingUndo: false)
            await options.refreshIndex(of: store)
            try await store.close()
        }
        if json { return try Terminal.json(report) }
        guard report.isMoved else {
            return Terminal.write("the store is of \(report.to) already")
        }
        Terminal.write("\(report.entries) entries have vectors of \(report.to) now")
        if report.omittedTokens > 0 {
            options.note("\(report.omittedTokens) tokens exceeded the model's limit and were left out")
        }
        if let backup = report.backup {
            options.note(
                "the store as it was is in its backups: `roost backup restore \(backup.prefix(8)) --into DIR`"
            )
        }
        if report.hasClusters {
            options.note("the clusters are those of before; `roost recluster` groups by the new vectors")
        }
    }
}
