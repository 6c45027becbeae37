import ArgumentParser
import Foundation
import Roost

struct UseModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Move the store to another model by embedding all texts again.",
        discussion: """
            You can search and change the store while the new vectors are computed. Roost then creates a \
            backup and replaces all vectors in one commit. To continue an interrupted move, run the same \
            command again. Clusters keep their labels and members; run `roost recluster` to cluster by the \
            new vectors.

            Examples:
              roost model use minilm
              roost model use remote:nomic-embed-text
              roost model use --discard
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp(
            "The new model: an installed model, a model folder, remote:NAME, or lexical.", valueName: "NAME"))
    var model: String?

    @Flag(name: .long, help: "Do not create a backup before the vectors are replaced.")
    var noBackup = false

    @Flag(name: .long, help: "Abandon an unfinished move; the store keeps its model.")
    var discard = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard (model != nil) != discard else {
            throw ValidationError("give the name of a model, or --discard")
        }
    }

    func run() async throws {
        let location = try options.location()
        guard try options.hasStore() else {
            throw RoostError(
                .noStore, "cannot open a store in \(location.path): not found; create one with `roost init`")
        }
        guard let model else {
            let found = try await ModelMigration.discard(in: location)
            return options.note(
                found ? "removed the vectors of the unfinished move" : "no unfinished move to discard")
        }
        var notes: [String] = []
        let embedder = try await EmbedderChoice.openForStore(model, &notes)
        for text in notes { options.note(text) }
        var reembedding = ModelMigration(of: location, to: embedder)
        reembedding.makesBackup = !noBackup
        reembedding.passphrase = try BackupOptions.passphraseFromEnvironment()
        let progress = Progress(isQuiet: options.quiet)
        let report: ModelMigration.Report
        do {
            report = try await reembedding.run {
                progress.update($0.done, fraction: Double($0.done) / Double(max(1, $0.total)))
            }
        } catch is CancellationError {
            progress.finish()
            throw CommandError(
                .interrupted,
                "stopped: the store is unchanged; run the same command again to continue")
        }
        progress.finish()
        if report.isMoved {
            // The move to another model started a new epoch, so the old index can no longer be used.
            let store = try await options.open(recordingUndo: false)
            await options.refreshIndex(of: store)
            try await store.close()
        }
        if json { return try Terminal.json(report) }
        guard report.isMoved else {
            return Terminal.write("the store already uses \(report.to)")
        }
        Terminal.write("embedded \(Count.text(report.entries, "entry", "entries")) with \(report.to)")
        if report.omittedTokens > 0 {
            options.note(
                "omitted "
                    + Count.text(report.omittedTokens, "token that exceeds", "tokens that exceed")
                    + " the model's maximum length")
        }
        if let backup = report.backup {
            options.note(
                "the previous state is in a backup: `roost backup restore \(backup.prefix(8)) --into DIR`")
        }
        if report.hasClusters {
            options.note(
                "the clusters are unchanged; run `roost recluster` to cluster by the new vectors")
        }
    }
}
