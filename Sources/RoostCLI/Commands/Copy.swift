import ArgumentParser
import Foundation
import Roost

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a store, also to another kind of storage.",
        discussion: """
            Keeps ids, dates, vectors, source records, clusters and original files. After the copy, the \
            command compares everything except the original files. Revisions are not kept. The target must \
            be empty or contain a part of the same copy; if it does not exist, a folder is created. To copy \
            to PostgreSQL, first create the target with `roost init --provider postgres` and the same model. \
            To continue an interrupted copy, run the same command again.

            Examples:
              roost copy ~/notes-store ~/team-store
              roost copy ~/team-store ~/notes-local --provider sqlite
            """)

    @OptionGroup var options: StoreOptions

    @Option(name: .long, help: "The storage format of a new target: sqlite or json. Default: sqlite.")
    var provider: String?

    @Argument(
        help: ArgumentHelp("The folder of the store to copy.", valueName: "FROM"), completion: .directory)
    var from: String

    @Argument(help: ArgumentHelp("The folder of the target.", valueName: "TO"), completion: .directory)
    var to: String

    func validate() throws {
        guard options.store == nil else {
            throw ValidationError("name both folders as arguments, without --store")
        }
    }

    func run() async throws {
        let (from, to) = (URL(fileURLWithPath: from), URL(fileURLWithPath: to))
        guard from.resolvingSymlinksInPath() != to.resolvingSymlinksInPath() else {
            throw CommandError(.usage, "cannot copy a store to itself; name another folder")
        }
        let source = try await open(from)
        let target = try await openTarget(to, like: source)
        let progress = Progress(isQuiet: options.quiet)
        let report = try await progress.untilStopped("stopped; run the same command again to continue") {
            try await StoreCopy(from: source, to: target).run { progress.update($0, of: $1) }
        }
        try await source.close()
        try await target.close()
        Terminal.write(
            "copied \(Count.text(report.entries, "entry", "entries")), "
                + "\(Count.text(report.sources, "source")) and "
                + "\(Count.text(report.clusters, "cluster")) to \(to.path)")
    }

    private func open(_ folder: URL) async throws -> KnowledgeStore {
        var options = options
        options.store = folder.path
        return try await options.open(recordingUndo: false)
    }

    private func openTarget(_ folder: URL, like source: KnowledgeStore) async throws -> KnowledgeStore {
        let provider = try StoreOptions.providerInFolder(provider ?? "sqlite")
        if StoreManifest.exists(in: folder) { return try await open(folder) }
        guard !StoreManifest.hasOtherFiles(in: folder) else {
            throw RoostError(
                .configuration,
                "cannot create a store in \(folder.path): the folder contains other files; name a new or "
                    + "empty folder")
        }
        let target = try await KnowledgeStore.create(
            at: folder, provider: provider, embedder: source.embedder)
        options.note("created a store in \(folder.path) (\(target.embedder.space.model))")
        return target
    }
}
