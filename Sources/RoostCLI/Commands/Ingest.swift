import ArgumentParser
import Foundation
import Roost
import RoostModel
import Synchronization

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Add or update entries from files and folders.",
        discussion: """
            Each document becomes one entry, with its title, dates, tags and links. Each row of a JSON Lines \
            file ({"id"?, "text"|"content", …metadata}), and of a CSV or TSV file with a header, becomes one \
            entry, and so does each line of standard input (-). Other files in a folder are skipped; --types \
            lists the supported types.

            Ingesting the same input again changes nothing. If a text has changed, its entry is updated; if \
            a row was removed from a file, its entry is removed. To continue an interrupted ingest, run the \
            same command again.

            A folder is remembered with its options, unless --once is given: files whose size and dates have \
            not changed are not read again, entries of removed files are removed, and `roost sync` updates \
            all remembered folders. Without options, a remembered folder keeps its own.

            The pattern drafts matches files and folders of this name at any depth, drafts/ matches only \
            folders, and /drafts or work/drafts matches only this path below the given folder. In a pattern, \
            * and ? match within a name, and ** matches across folders.

            Skipped files are counted by reason, and other findings by kind; -v lists them, and --report \
            writes them to a file. `roost status` counts those of all sources.

            Examples:
              roost ingest ~/notes --exclude drafts
              roost ingest articles.csv --text-column body --id-column url --tag articles
              git ls-files '*.md' | roost ingest --files-from -
              roost ingest https://example.org/article.html
              roost ingest --feed https://example.org/feed.xml
              roost ingest --importer keep Takeout/
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("Files, folders, URLs, or - for standard input.", valueName: "PATH"),
        completion: .file())
    var paths: [String] = []

    @OptionGroup var reading: ReadingOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read paths from a file, one per line or separated by null characters; - for standard input.",
            valueName: "FILE"))
    var filesFrom: String?

    @Flag(name: .long, help: "Do not remember the folders.")
    var once = false

    @Flag(name: .long, help: "Show what would be done, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "List the supported types of files, without ingesting anything.")
    var types = false

    @Flag(name: .long, help: "Read the URLs as feeds (RSS, Atom); each item becomes an entry.")
    var feed = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read exports of another program, such as keep, notion or whatsapp, with its importer.",
            valueName: "NAME"))
    var importer: String?

    @Option(
        name: .customLong("report"),
        help: ArgumentHelp(
            "Write all findings to a file as JSON Lines: inputs, parts and dates that were not read, and guessed encodings.",
            valueName: "FILE"))
    var findingsFile: String?

    @Flag(name: .long, help: "Also fetch URLs on this computer and in private networks.")
    var allowPrivate = false

    @Flag(name: .shortAndLong, help: "Download the default model without a question if none is installed.")
    var yes = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard types || !paths.isEmpty || filesFrom != nil else {
            throw ValidationError("nothing to ingest: give files, folders, URLs, or - for standard input")
        }
        guard importer == nil || !paths.contains(where: { $0 == "-" || WebSource.isAddress($0) }) else {
            throw ValidationError("an importer reads files and folders, not URLs or standard input")
        }
    }

    private struct Input {
        var addresses: [String] = []
        var folders: [URL] = []
        var files: [URL] = []
        var readsStandardInput = false
        var exports: [String] = []

        var hasOthers: Bool {
            readsStandardInput || !files.isEmpty || !addresses.isEmpty || !exports.isEmpty
        }

        /// Whether the input is a single file or URL that was given by name. In this case, an error in the
        /// file ends the command.
        var isSingleFile: Bool {
            folders.isEmpty && !readsStandardInput && files.count + addresses.count == 1
        }
    }

    private func folder(_ url: URL) throws -> SyncedFolder {
        var folder = SyncedFolder(url)
        reading.apply(to: &folder)
        folder.converters = try UserConfiguration().converters()
        return folder
    }

    private func input() throws -> Input {
        let arguments = try paths.filter { $0 != "-" } + (filesFrom.map(PathList.read) ?? [])
        if importer != nil { return Input(exports: arguments) }
        var input = Input(
            addresses: arguments.filter(WebSource.isAddress), readsStandardInput: paths.contains("-"))
        var seen = Set<Source.ID>()
        for path in arguments where !WebSource.isAddress(path) {
            let url = URL(fileURLWithPath: path)
            // A file that is named twice is read only once.
            guard seen.insert(RecordReader.sourceID(url)).inserted else { continue }
            if try FileFinder.isFolder(url) { input.folders.append(url) } else { input.files.append(url) }
        }
        return input
    }

    private var noFiles: RoostError {
        let place = paths.isEmpty ? "the list" : paths.joined(separator: ", ")
        return RoostError(
            .noInput,
            "found no files of a supported type in \(Terminal.line(place, limit: 400))"
                + (reading.glob.isEmpty ? "; use --glob to include other file names" : " that match --glob"))
    }

    func run() async throws {
        if types { return FileTypes.show() }
        let input = try input()
        let reader = try folder(URL(fileURLWithPath: ".")).reader
        // The input is checked first, so that no store is created if no file contains text.
        if try !options.hasStore(), !input.readsStandardInput, input.addresses.isEmpty, importer == nil {
            let found = try input.files + input.folders.flatMap { try folder($0).finder.find($0).files }
            guard !found.isEmpty else { throw noFiles }
            try await requireText(in: found, reader, input.isSingleFile)
        }
        var sources = try input.readsStandardInput ? [IngestInput.standardInput()] : []
        if let importer { sources = try await IngestInput.imported(input.exports, with: importer, reader) }
        let store =
            try await dryRun
            ? options.openOrSimulate() : options.openOrCreate(downloadsModel: yes)
        let folders = try await folders(input, store)
        let progress = Progress(isQuiet: options.quiet)
        let drafts = IngestInput(
            files: input.files, drafts: sources, reader: reader, store: store,
            isOnlyFile: input.isSingleFile,
            pages: WebInput(
                input.addresses, reader: reader, isFeed: feed, allowsPrivateAddresses: allowPrivate))
        let start = Date()
        let written = Mutex(0)
        let all = Double(max(1, input.files.count + input.addresses.count))
        var report = try await progress.untilStopped(interruption(afterWriting: written.withLock(\.self))) {
            var syncOptions = options.syncOptions(progress, confirmed: false, isDryRun: dryRun)
            let show = syncOptions.progress
            syncOptions.progress = { step in
                written.withLock { $0 = step.written }
                show?(step)
            }
            var report = folders.isEmpty ? IngestReport() : try await store.folders.sync(folders, syncOptions)
            guard input.hasOthers else { return report }
            let before = report.new + report.updated
            report.add(
                try await ingest(drafts, store) { step in
                    written.withLock { $0 = before + step.written }
                    progress.update(step.entries, fraction: min(1, Double(step.sources) / all))
                })
            return report
        }
        report.skipped += drafts.skipped
        if !dryRun, report.hasChanges { await options.refreshIndex(of: store) }
        try await store.close()
        if let findingsFile { try write(report.skipped + report.notices, to: findingsFile) }
        noteLanguages(report, of: store.embedder)
        if output.json { try Terminal.json(report) } else { show(report, Date().timeIntervalSince(start)) }
        try SyncText.requireAllFolders(report)
        // The exit status tells scripts that no input could be ingested.
        if !report.hasChanges && report.unchanged == 0 && !report.skipped.isEmpty
            || importer != nil && sources.contains(where: { !$0.skipped.isEmpty })
        {
            throw ExitCode(ExitStatus.badData.rawValue)
        }
    }

    /// Returns the folders to sync. They are remembered first, so that the sync can record the states of their
    /// files.
    private func folders(_ input: Input, _ store: KnowledgeStore) async throws -> [SyncedFolder] {
        var folders: [SyncedFolder] = []
        for url in input.folders {
            var folder = try folder(url)
            if let known = try store.folders.all().first(where: { $0.path == folder.path }) {
                folder.id = known.id
                if reading.isEmpty {
                    folder = known
                    // The user has named the folder, but not the targets of its links.
                    if known.followsLinks { try options.requireTrust(in: [known]) }
                }
            } else if try folder.finder.find(url).files.isEmpty {
                continue
            }
            if !once, !dryRun { try await store.folders.add(folder) }
            folders.append(folder)
        }
        guard !folders.isEmpty || input.hasOthers else { throw noFiles }
        return folders
    }

    private func write(_ findings: [IngestReport.Finding], to path: String) throws {
        let file = try OutputFile(path)
        for finding in findings { try file.write(try Terminal.lineEncoder.encode(finding) + Data("\n".utf8)) }
        try file.finish()
    }

    private func interruption(afterWriting written: Int) -> String {
        dryRun
            ? "stopped; nothing was changed"
            : "stopped: \(Count.text(written, "entry was", "entries were")) added or updated; "
                + "run the same command again to continue"
    }

    private func ingest(
        _ drafts: IngestInput, _ store: KnowledgeStore, progress: @escaping @Sendable (IngestProgress) -> Void
    ) async throws -> IngestReport {
        let report = try await store.ingest(
            IngestOptions(tags: reading.tag, isDryRun: dryRun, progress: progress)
        ) { try await drafts.next() }
        if let error = drafts.fatalError { throw error }
        return report
    }

    private func requireText(in files: [URL], _ reader: RecordReader, _ isOnlyFile: Bool) async throws {
        var reason: String?
        for file in files {
            do {
                let draft = try await reader.read(file)
                if draft.entries.contains(where: { !$0.content.allSatisfy(\.isWhitespace) }) { return }
                reason = reason ?? "\(file.path) has no text"
            } catch let error as RoostError where !isOnlyFile {
                reason = reason ?? error.message
            }
        }
        throw RoostError(.badInput, "\(reason ?? "the input contains no text"); nothing was ingested")
    }

    /// Tells that the model reads only English if most new texts are in other languages.
    private func noteLanguages(_ report: IngestReport, of embedder: any Embedder) {
        let others = report.languages.filter { $0.key != "english" }
        let count = others.values.reduce(0, +)
        guard count > report.languages["english", default: 0], embedder.readsOnlyEnglish,
            let most = others.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key
        else { return }
        let name = most == "other" ? "" : " (most in \(most.capitalized))"
        options.note(
            "\(Count.text(count, "text is", "texts are")) not in English\(name), the only language of the model "
                + "\(embedder.space.model); for a multilingual model, run `roost model pull "
                + "intfloat/multilingual-e5-small --query-prefix 'query: ' --document-prefix 'passage: '` and "
                + "`roost model use multilingual-e5-small`")
    }

    private func show(_ report: IngestReport, _ seconds: TimeInterval) {
        SyncText.showSkipped(report, options)
        if report.skipped.contains(where: { $0.reason == FileFinder.linkReason }) {
            options.note("symbolic links were skipped; use --follow to follow them")
        }
        if report.omittedTokens > 0 {
            Terminal.error(
                "omitted "
                    + Count.text(
                        report.omittedTokens, "token that fits into no passage; searches do not find it",
                        "tokens that fit into no passage; searches do not find them"))
        }
        let counts = SyncText.line(report)
        Terminal.write(dryRun ? "dry run: \(counts)" : counts)
        options.detail(
            String(
                format: "%d tokens in %.1f s (%.0f tokens/s)", report.tokens, seconds,
                Double(report.tokens) / seconds))
    }
}
