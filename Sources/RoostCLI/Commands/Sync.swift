import ArgumentParser
import Foundation
import Roost

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Update the store from the remembered folders.",
        discussion: """
            New and changed files are read, and the entries of deleted files are removed. Renamed and moved \
            files are recognized by their contents: their entries keep their ids, tags and clusters, and \
            nothing is embedded again. Files whose size and dates have not changed are not read.

            If more than 20% of the known files of a folder are missing, or if the folder itself is missing \
            or unreadable, Roost asks for confirmation. Without a terminal, it changes nothing for this \
            folder and exits with 75, unless --yes is given.

            With --watch, a saved file can be found within a second, and folders that `roost ingest` remembers \
            take effect at once; where Roost would ask for confirmation, it keeps the entries.

            Skipped files are counted by type; -v lists them. --watch does not report a skipped file again \
            until it changes.

            Examples:
              roost sync
              roost sync ~/notes --dry-run
              roost sync --watch
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("Remembered folders; all if none is given.", valueName: "PATH"),
        completion: .directory)
    var paths: [String] = []

    @Flag(name: .long, help: "Keep syncing all remembered folders until Ctrl-C.")
    var watch = false

    @Flag(name: .shortAndLong, help: "Remove the entries of missing files without confirmation.")
    var yes = false

    @Flag(name: .long, help: "Show what would be done, without changing anything.")
    var dryRun = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard !watch || paths.isEmpty && !yes && !dryRun && !output.json else {
            throw ValidationError("--watch syncs all folders; it permits no PATH, --yes, --dry-run or --json")
        }
    }

    func run() async throws {
        let store = try await options.open()
        if watch { return try await watch(store) }
        let folders = try folders(of: store)
        let progress = Progress(isQuiet: options.quiet)
        let report = try await progress.untilStopped(
            dryRun ? "stopped; nothing was changed" : "stopped; run the same command again to continue"
        ) {
            try await store.folders.sync(
                folders, options.syncOptions(progress, confirmed: yes, isDryRun: dryRun))
        }
        if !dryRun, report.hasChanges { await options.refreshIndex(of: store) }
        try await store.close()
        try show(report)
        try SyncText.requireAllFolders(report)
    }

    /// The time in seconds after which Ctrl-C ends the process even if a step of the sync has not ended. A
    /// commit is atomic, so this is safe.
    private static let maximumDelay = 0.7

    private func watch(_ store: KnowledgeStore) async throws {
        _ = try options.trustedFolders(of: store)
        let options = options
        var watchOptions = WatchOptions()
        watchOptions.onEvent = { WatchStatus.show($0, options) }
        watchOptions.check = { try options.requireTrust(in: $0) }
        watchOptions.willRemove = { count in
            if count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
        }
        watchOptions.onIdle = { await options.refreshIndex(of: store) }
        do {
            try await withTaskCancellationHandler {
                try await store.folders.watch(watchOptions)
            } onCancel: {
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.maximumDelay) {
                    Foundation.exit(ExitStatus.interrupted.rawValue)
                }
            }
        } catch is CancellationError {
            try? await store.close()
            throw CommandError(.interrupted, "stopped watching")
        }
    }

    private func folders(of store: KnowledgeStore) throws -> [SyncedFolder] {
        guard !paths.isEmpty else { return try options.trustedFolders(of: store) }
        let named = try paths.map { try options.syncedFolder($0, in: store) }
        try options.requireTrust(in: named)
        return named
    }

    private func show(_ report: IngestReport) throws {
        SyncText.showSkipped(report, options)
        if output.json { return try Terminal.json(report) }
        let counts = SyncText.line(report)
        Terminal.write(dryRun ? "dry run: \(counts)" : counts)
        options.detail(
            "\(Count.text(report.files, "file")), \(Count.text(report.tokens, "token")) embedded")
    }
}

extension StoreOptions {
    func syncOptions(_ progress: Progress, confirmed: Bool, isDryRun: Bool) -> SyncOptions {
        var result = SyncOptions()
        result.isDryRun = isDryRun
        result.decide = { risk in
            if isDryRun { note("\(risk)") }
            if confirmed || isDryRun { return .remove }
            guard Confirmation.isPossible else { return .skipFolder }
            progress.finish()
            return try Confirmation.ask(
                "\(Terminal.line(risk.description, limit: 400)). Remove their entries?")
                ? .remove : .skipFolder
        }
        result.willRemove = { count in
            if count >= StoreBackup.minimumRemovalsForBackup { try await backUpFirst() }
        }
        result.onWaiting = { holder in
            note("waiting for another sync (\(Terminal.line(holder, limit: 80)))")
        }
        result.progress = { progress.update($0.entries, fraction: $0.fractionOfFiles) }
        return result
    }
}

enum SyncText {
    /// Prints the inputs that were skipped, and the folders for which nothing was changed. If nothing was read, the reasons
    /// are the error.
    static func showSkipped(_ report: IngestReport, _ options: StoreOptions) {
        if !options.quiet || !report.hasChanges && report.unchanged == 0 {
            for line in report.skipped.lines(isDetailed: options.verbose) {
                Terminal.error(line)
            }
        }
        for line in report.notices.noticeLines(isDetailed: options.verbose) { options.note(line) }
        let advice =
            Confirmation.isPossible ? "" : "; check the folder, or use `roost sync --yes` to remove them"
        for folder in report.skippedFolders {
            Terminal.error(
                "roost: nothing was changed for this folder: \(Terminal.line(folder.reason, limit: 400))"
                    + advice)
        }
    }

    /// Ends the command with its own status if nothing was changed for a folder.
    static func requireAllFolders(_ report: IngestReport) throws {
        guard !report.skippedFolders.isEmpty else { return }
        throw ExitCode((Confirmation.isPossible ? ExitStatus.nothingFound : .tryAgain).rawValue)
    }

    /// Returns the numbers of changes on one line, such as `2 new, 1 updated, 0 moved, …`.
    static func line(_ report: IngestReport) -> String {
        [
            "\(report.new) new", "\(report.updated) updated",
            report.movedFiles == 0 ? nil : "\(report.movedFiles) moved", "\(report.removed) removed",
            "\(report.unchanged) unchanged", "\(report.skipped.reduce(0) { $0 + $1.count }) skipped",
        ].compactMap(\.self).joined(separator: ", ")
    }

    static func changes(_ report: IngestReport) -> String {
        let counts = [
            (report.new, "new"), (report.updated, "updated"), (report.movedFiles, "moved"),
            (report.removed, "removed"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

/// Shows the progress of `roost sync --watch`, one line per event.
enum WatchStatus {
    static func show(_ event: WatchEvent, _ options: StoreOptions) {
        switch event {
        case .watching(let folders, let files):
            options.note("watching \(Count.text(files, "file")) in \(Count.text(folders, "folder"))")
        case .synced(let report):
            options.note("\(DateText.minutes(of: Date()))  \(SyncText.changes(report))")
        case .notice(let text): Terminal.error("roost: \(Terminal.line(text, limit: 400))")
        }
    }
}

extension IngestReport.Finding.Kind {
    /// Returns a number of findings with the name of the kind, such as `2 dates not understood`.
    func text(_ count: Int) -> String {
        let (one, many, state) =
            switch self {
            case .input: ("input", "inputs", "not read")
            case .row: ("row or message", "rows or messages", "not read")
            case .part: ("part", "parts", "not read")
            case .date: ("date", "dates", "not understood")
            case .encoding: ("encoding", "encodings", "guessed")
            }
        return "\(Count.text(count, one, many)) \(state)"
    }
}

extension [IngestReport.Finding] {
    /// Returns one line for the inputs with the same reason, or one line for each input.
    func lines(isDetailed: Bool) -> [String] {
        let groups = Dictionary(grouping: self, by: \.reason).sorted { $0.key < $1.key }
        return groups.flatMap { reason, group in
            isDetailed || group.count == 1
                ? group.map { "skipped \(Terminal.line($0.source)): \(reason)" }
                : ["skipped \(group.count) inputs: \(reason); -v lists them"]
        }
    }

    /// Returns one line for the inputs with findings of the same kind, or one line for each finding.
    func noticeLines(isDetailed: Bool) -> [String] {
        IngestReport.Finding.Kind.allCases.flatMap { kind -> [String] in
            let findings = filter { $0.kind == kind }
            let lines = findings.map { "\(Terminal.line($0.source)): \($0.reason)" }
            guard let first = lines.first, lines.count > 1, !isDetailed else { return lines }
            return ["\(kind.text(findings.reduce(0) { $0 + $1.count })), such as \(first); -v lists them"]
        }
    }
}

struct FolderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folder", abstract: "Manage the folders that `roost sync` reads.",
        discussion: """
            Examples:
              roost folder list
              roost folder remove ~/notes
            """,
        subcommands: [ListFolders.self, RemoveFolder.self])

    struct ListFolders: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the remembered folders.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let store = try await options.open(recordingUndo: false)
            let folders = try store.folders.all()
            try await store.close()
            let columns = [
                TableColumn(name: "path"), TableColumn(name: "options", style: .dim, isFlexible: true),
            ]
            var writer = ListWriter(output, columns)
            try writer.write(
                folders.map { folder in
                    ListRow(
                        cells: [folder.path, Self.settings(of: folder)], document: folder, path: folder.path)
                })
            writer.finish(options)
            if folders.isEmpty {
                options.note("the store remembers no folders; `roost ingest PATH` remembers one")
            }
        }

        private static func settings(of folder: SyncedFolder) -> String {
            var settings =
                folder.globs.map { "--glob \($0)" } + folder.exclusions.map { "--exclude \($0)" }
                + folder.tags.map { "--tag \($0)" }
            if let column = folder.textColumn { settings.append("--text-column \(column)") }
            if let column = folder.idColumn { settings.append("--id-column \(column)") }
            if folder.followsLinks { settings.append("--follow") }
            if folder.keepsOriginals { settings.append("--keep-originals") }
            return Terminal.line(settings.joined(separator: " "), limit: .max)
        }
    }

    struct RemoveFolder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forget a remembered folder, and keep its entries.",
            discussion: "`roost remove --source PATH` removes the entries of a folder.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("The folder.", valueName: "PATH"), completion: .directory)
        var path: String

        func run() async throws {
            let store = try await options.open(recordingUndo: false)
            try await store.folders.remove(try options.syncedFolder(path, in: store))
            try await store.close()
            Terminal.write("\(Terminal.line(path)) is no longer synced; its entries stay")
        }
    }
}
