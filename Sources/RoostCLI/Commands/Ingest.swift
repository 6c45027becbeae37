import ArgumentParser
import Foundation
import Roost
import RoostDocuments
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
            a row was removed from a file, its entry is removed. `roost folder` and `roost sync` also remove \
            the entries of removed files. To continue an interrupted ingest, run the same command again.

            The pattern drafts matches files and folders of this name at any depth, drafts/ matches only \
            folders, and /drafts or work/drafts matches only this path below the given folder. In a pattern, \
            * and ? match within a name, and ** matches across folders.

            Skipped files are counted by reason; -v lists them.

            Examples:
              roost ingest ~/notes --exclude drafts
              roost ingest articles.csv --text-column body --id-column url --tag articles
              git ls-files '*.md' | roost ingest --files-from -
              roost ingest https://example.org/article.html
              roost ingest --feed https://example.org/feed.xml
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

    @Flag(name: .long, help: "Show what would be done, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "List the supported types of files, without ingesting anything.")
    var types = false

    @Flag(name: .long, help: "Read the URLs as feeds (RSS, Atom); each item becomes an entry.")
    var feed = false

    @Flag(name: .long, help: "Also fetch URLs on this computer and in private networks.")
    var allowPrivate = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard types || !paths.isEmpty || filesFrom != nil else {
            throw ValidationError("nothing to ingest: give files, folders, URLs, or - for standard input")
        }
    }

    private struct Input {
        var addresses: [String] = []
        /// All paths that were given, without `-` and URLs.
        var paths: [String] = []
        var files: [URL] = []
        var skipped: [IngestReport.Skip] = []
        var hasNamedFile = false
        var readsStandardInput = false

        /// Whether the input is a single file or URL that was given by name. In this case, an error in the
        /// file ends the command.
        var isSingleFile: Bool {
            if paths.isEmpty, addresses.count == 1, !readsStandardInput { return true }
            return paths.count == 1 && hasNamedFile && !readsStandardInput && addresses.isEmpty
        }
    }

    /// The readers of documents, with the user's converters.
    private static func readers() throws -> DocumentReaders {
        DocumentReaders.standard.adding(
            converters: try UserConfiguration().converters())
    }

    private func input() throws -> Input {
        let arguments = try paths.filter { $0 != "-" } + (filesFrom.map(PathList.read) ?? [])
        var input = Input(
            addresses: arguments.filter(WebSource.isAddress),
            paths: arguments.filter { !WebSource.isAddress($0) })
        input.readsStandardInput = paths.contains("-")
        var finder = reading.finder
        finder.readers = try Self.readers()
        var seen = Set<Source.ID>()
        for path in input.paths {
            let url = URL(fileURLWithPath: path)
            let found = try finder.find(url)
            // A file that several arguments include is read only once.
            input.files += found.files.filter { seen.insert(RecordReader.sourceID($0)).inserted }
            input.skipped += found.skipped
            if found.files.count == 1, found.files[0].path == url.path { input.hasNamedFile = true }
        }
        guard !input.files.isEmpty || input.readsStandardInput || !input.addresses.isEmpty else {
            let place = paths.isEmpty ? "the list" : paths.joined(separator: ", ")
            throw RoostError(
                .noInput,
                "found no files of a supported type in \(Terminal.line(place, limit: 400))"
                    + (reading.glob.isEmpty
                        ? "; use --glob to include other file names" : " that match --glob"))
        }
        return input
    }

    func run() async throws {
        if types { return FileTypes.show() }
        let input = try input()
        var reader = RecordReader(textColumn: reading.textColumn, idColumn: reading.idColumn)
        reader.readers = try Self.readers()
        // The input is checked first, so that no store is created if no file contains text.
        if try !options.hasStore(), !input.readsStandardInput, input.addresses.isEmpty {
            try await requireText(in: input.files, reader, input.isSingleFile)
        }
        let lines = try input.readsStandardInput ? IngestInput.standardInput() : nil
        let store = try await dryRun ? options.openOrSimulate() : options.openOrCreate()
        let progress = Progress(isQuiet: options.quiet)
        reader.keepsOriginals = reading.keepOriginals
        let drafts = IngestInput(
            files: input.files, input: lines, reader: reader, store: store,
            isOnlyFile: input.isSingleFile,
            pages: WebInput(
                input.addresses, store: store, reader: reader, isFeed: feed,
                allowsPrivateAddresses: allowPrivate))
        let start = Date()
        let written = Mutex(0)
        let all = Double(max(1, input.files.count + input.addresses.count))
        var report = try await progress.untilStopped(interruption(afterWriting: written.withLock(\.self))) {
            try await ingest(drafts, store) { step in
                written.withLock { $0 = step.written }
                progress.update(step.entries, fraction: min(1, Double(step.sources) / all))
            }
        }
        let isNothing = report.new + report.updated + report.removed + report.unchanged == 0
        let hasFailed = !drafts.skipped.isEmpty || !report.skipped.isEmpty
        let folders = input.paths.filter { FileStatus($0)?.isFolder == true }
        report.missingFiles = try await Pruner(folders.map { URL(fileURLWithPath: $0) })
            .vanished(in: store.storage.snapshot()).sources.count
        report.skipped = input.skipped + drafts.skipped + report.skipped
        if !dryRun, report.new + report.updated + report.removed > 0 { await options.refreshIndex(of: store) }
        try await store.close()
        if json { try Terminal.json(report) } else { show(report, Date().timeIntervalSince(start)) }
        // The exit status tells scripts that no input could be ingested.
        if isNothing, hasFailed { throw ExitCode(ExitStatus.badData.rawValue) }
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

    private func show(_ report: IngestReport, _ seconds: TimeInterval) {
        if !options.quiet {
            for line in report.skipped.lines(isDetailed: options.verbose) {
                Terminal.error(line)
            }
        }
        if report.skipped.contains(where: { $0.reason == FileFinder.linkReason }) {
            options.note("symbolic links were skipped; use --follow to follow them")
        }
        if report.missingFiles > 0 {
            let files = Count.text(report.missingFiles, "known file", "known files")
            options.note(
                "\(files) of these folders no longer exist; `roost sync` removes the entries of remembered "
                    + "folders")
        }
        if report.omittedTokens > 0 {
            Terminal.error(
                "omitted "
                    + Count.text(
                        report.omittedTokens, "token that fits into no passage; searches do not find it",
                        "tokens that fit into no passage; searches do not find them"))
        }
        let counts = [
            "\(report.new) new", "\(report.updated) updated", "\(report.removed) removed",
            "\(report.unchanged) unchanged", "\(report.skipped.count) skipped",
        ].joined(separator: ", ")
        Terminal.write(dryRun ? "dry run: \(counts)" : counts)
        options.detail(
            String(
                format: "%d tokens in %.1f s (%.0f tokens/s)", report.tokens, seconds,
                Double(report.tokens) / seconds))
    }
}
