import ArgumentParser
import Foundation
import Roost

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Bring the store up to date with the remembered folders.",
        discussion: """
            New and changed files are read, and the entries of deleted files are removed. Renamed and moved \
            files are recognized by their contents: their entries keep their ids, tags and clusters, and \
            nothing is embedded again. Files whose size and dates have not changed are not read.

            If more than 20% of the known files of a folder are missing, or if the folder itself is missing, \
            empty, unreadable or no longer mounted, Roost asks for confirmation. Without a terminal, it \
            changes nothing for this folder and exits with 75, unless --force is given.

            Skipped files are counted by type; -v lists them. A skipped file is not reported again until it \
            changes.

            Examples:
              roost sync
              roost sync ~/notes --dry-run
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("Remembered folders; all if none is given.", valueName: "PATH"),
        completion: .directory)
    var paths: [String] = []

    @Flag(
        name: [.customLong("force"), .customLong("yes"), .customShort("y")],
        help: "Remove the entries of missing files without confirmation.")
    var force = false

    @Flag(name: .long, help: "Show what would be done, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let store = try await options.open()
        let folders = try folders(of: store)
        let progress = Progress(isQuiet: options.quiet)
        let report: SyncReport
        do {
            report = try await store.sync(folders, syncOptions(progress))
        } catch is CancellationError {
            progress.finish()
            try? await store.close()
            throw CommandError(
                .interrupted,
                dryRun
                    ? "stopped; nothing was changed" : "stopped; run the same command again to continue")
        }
        progress.finish()
        if !dryRun, report.hasChanges { await options.refreshIndex(of: store) }
        try await store.close()
        options.remark(on: store.embedder)
        try show(report)
        guard report.skippedFolders.isEmpty else {
            let status = Confirmation.isPossible ? ExitStatus.nothingFound : .tryAgain
            throw ExitCode(status.rawValue)
        }
    }

    /// Returns the folders that the arguments name.
    private func folders(of store: KnowledgeStore) throws -> [SyncedFolder] {
        guard !paths.isEmpty else { return try options.trustedFolders(of: store) }
        let named = try paths.map { try options.syncedFolder($0, in: store) }
        try options.requireTrust(in: named)
        return named
    }

    private func syncOptions(_ progress: Progress) -> SyncOptions {
        var result = SyncOptions()
        let (options, force, dryRun) = (options, force, dryRun)
        result.isDryRun = dryRun
        result.listsAllSkips = options.verbose
        result.decide = { risk in
            if dryRun { options.note("\(risk)") }
            if force || dryRun { return .remove }
            guard Confirmation.isPossible else { return .skipFolder }
            progress.finish()
            return try Confirmation.ask(
                "\(Terminal.line(risk.description, limit: 400)). Remove their entries?")
                ? .remove : .skipFolder
        }
        result.willRemove = { count in
            if count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
        }
        result.onWaiting = { holder in
            options.note("waiting for another sync (\(Terminal.line(holder, limit: 80)))")
        }
        result.progress = { progress.update($0.entries, fraction: $0.fractionOfFiles) }
        return result
    }

    private func show(_ report: SyncReport) throws {
        if !options.quiet {
            for line in SkipSummary(report.entries.skipped).lines(isDetailed: options.verbose) {
                Terminal.error(line)
            }
        }
        for folder in report.skippedFolders {
            let advice = Confirmation.isPossible ? "" : "; check the folder, or use --force to remove them"
            Terminal.error(
                "roost: nothing was changed for this folder: \(Terminal.line(folder.reason, limit: 400))"
                    + advice)
        }
        if json { return try Terminal.json(report) }
        let counts = SyncText.line(report)
        Terminal.write(dryRun ? "dry run: \(counts)" : counts)
        options.detail(
            "\(Count.text(report.files, "file")), \(Count.text(report.entries.tokens, "token")) embedded")
    }
}
