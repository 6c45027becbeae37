import ArgumentParser
import Foundation
import Roost

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Add or update entries from files, folders or standard input.",
        discussion: """
            A text or Markdown file becomes one entry. JSON Lines ({"id"?, "text"|"content", \
            …metadata}), CSV and TSV files with a header become one entry per row; each line of standard \
            input (-) becomes one entry. Ingesting the same input again changes nothing. If a text has \
            changed, its entry is updated; if a row was removed from a file, its entry is removed. An \
            interrupted ingest continues when you run the same command again.

            Examples:
              roost ingest ~/notes --exclude drafts
              roost ingest articles.csv --text-column body --id-column url --tag articles
              git ls-files '*.md' | roost ingest --files-from - --prune docs
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("Files, folders, or - for standard input.", valueName: "PATH"))
    var paths: [String] = []

    @Option(name: .long, help: "Ingest only files that match this pattern; repeatable.")
    var glob: [String] = []

    @Option(name: .long, help: "Skip files and folders that match this pattern; repeatable.")
    var exclude: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read paths from a file, one per line; - for standard input.", valueName: "FILE"))
    var filesFrom: String?

    @Option(name: .long, help: "The column or key that contains the text.")
    var textColumn: String?

    @Option(name: .long, help: "The column or key that identifies a row.")
    var idColumn: String?

    @Flag(
        name: .long,
        help: "Also follow symbolic links to folders, and to files outside the given folder.")
    var follow = false

    @Flag(name: .long, help: "Store each file byte for byte, for `roost show --original`.")
    var keepOriginals = false

    @Flag(name: .long, help: "Remove the entries of files that no longer exist in the given folders.")
    var prune = false

    @Flag(name: .long, help: "Show what would be done, without changing anything.")
    var dryRun = false

    @Option(name: .long, help: "Add a tag to every entry; repeatable.")
    var tag: [String] = []

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard !paths.isEmpty || filesFrom != nil else {
            throw ValidationError("Nothing to ingest: give files, folders, or - for standard input.")
        }
        guard !tag.contains(where: \.isEmpty) else {
            throw ValidationError("--tag must not be empty.")
        }
    }

    /// The files and folders that the arguments name.
    private struct Input {
        /// All paths that were given, without `-`.
        var paths: [String] = []
        /// The files to read, each once.
        var files: [URL] = []
        /// The given paths that do not exist; collected only if `--prune` may remove their entries.
        var missing: [String] = []
        /// The files that the search for text files skipped.
        var skipped: [IngestReport.Skip] = []
        var readsStandardInput = false

        /// Whether the input is a single file that was given by name. In this case, an error in the file ends
        /// the command.
        var isSingleFile: Bool {
            guard paths.count == 1, files.count == 1, !readsStandardInput else { return false }
            var status = stat()
            return stat(paths[0], &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// Returns the input that the arguments describe.
    ///
    /// - Throws: ``RoostError`` if there is nothing to read.
    private func input(hasStore: Bool) throws -> Input {
        var finder = FileFinder(globs: glob, exclusions: exclude)
        finder.followsLinks = follow
        var input = Input(paths: try paths.filter { $0 != "-" } + listedPaths())
        input.readsStandardInput = paths.contains("-")
        var seen = Set<Source.ID>()
        for path in input.paths {
            if prune, hasStore, isMissing(path) {
                input.missing.append(path)
                continue
            }
            let found = try finder.find(URL(fileURLWithPath: path))
            // A file that several arguments include is read only once.
            input.files += found.files.filter { seen.insert(RecordReader.sourceID($0)).inserted }
            input.skipped += found.skipped
        }
        guard !input.files.isEmpty || input.readsStandardInput || prune else {
            throw RoostError(
                .noInput,
                "found no text files in \(paths.isEmpty ? "the list" : paths.joined(separator: ", ")); "
                    + "use --glob to include other file names")
        }
        return input
    }

    func run() async throws {
        let hasStore = try options.hasStore()
        let input = try input(hasStore: hasStore)
        var reader = RecordReader(textColumn: textColumn, idColumn: idColumn)
        // The input is checked first, so that no store is created if no file contains text.
        if !hasStore, !input.readsStandardInput {
            try requireText(in: input.files, reader, input.isSingleFile)
        }
        let store = try await dryRun ? options.openOrSimulate() : options.openOrCreate()
        let progress = Progress(isQuiet: options.quiet)
        reader.keepsOriginals = keepOriginals
        let drafts = IngestInput(
            files: input.files, readsInput: input.readsStandardInput, reader: reader,
            isOnlyFile: input.isSingleFile)
        let start = Date()
        var report: IngestReport
        var skipped = input.skipped
        do {
            report = try await ingest(drafts, store, progress)
            skipped += try await unknown(
                input.missing, store, isAll: input.files.isEmpty && !input.readsStandardInput)
            if prune { try await prune(store, input.paths, keeping: input.files, &report) }
        } catch is CancellationError {
            progress.finish()
            try? await store.close()
            throw CommandError(
                .interrupted,
                dryRun
                    ? "stopped; nothing was changed"
                    : "stopped: \(progress.done) entries of the input are in the store; run the same command "
                        + "again to continue")
        }
        progress.finish()
        let isNothing = report.new + report.updated + report.removed + report.unchanged == 0
        let hasFailed = !drafts.skipped.isEmpty || !report.skipped.isEmpty
        report.skipped = skipped + drafts.skipped + report.skipped
        if !dryRun, report.new + report.updated + report.removed > 0 { await options.refreshIndex(of: store) }
        try await store.close()
        options.remark(on: store.embedder)
        if json { try Terminal.json(report) } else { show(report, Date().timeIntervalSince(start)) }
        // The exit status tells scripts that no input could be ingested.
        if isNothing, hasFailed { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    private func ingest(
        _ drafts: IngestInput, _ store: KnowledgeStore, _ progress: Progress
    ) async throws -> IngestReport {
        let sizes = drafts.sizes
        let report = try await store.ingest(
            drafts.sequence(),
            IngestOptions(tags: tag, isDryRun: dryRun) {
                progress.update($0.entries, fraction: sizes.fraction(of: $0))
            })
        if let error = drafts.fatalError { throw error }
        return report
    }

    /// Checks that at least one file contains text.
    ///
    /// - Throws: ``RoostError`` with the reason why no file could be used.
    private func requireText(in files: [URL], _ reader: RecordReader, _ isOnlyFile: Bool) throws {
        var reason: String?
        for file in files {
            do {
                let draft = try reader.read(file)
                if draft.entries.contains(where: { !$0.content.allSatisfy(\.isWhitespace) }) { return }
                reason = reason ?? "\(file.path) has no text"
            } catch let error as RoostError where !isOnlyFile {
                reason = reason ?? error.message
            }
        }
        throw RoostError(.badInput, "\(reason ?? "the input contains no text"); nothing was ingested")
    }

    /// Returns the missing paths from which no entry came, because they were mistyped or already pruned.
    ///
    /// - Throws: ``RoostError`` if there is no other input.
    private func unknown(
        _ missing: [String], _ store: KnowledgeStore, isAll: Bool
    ) async throws -> [IngestReport.Skip] {
        guard !missing.isEmpty else { return [] }
        let sources = try await store.storage.snapshot().sources().map(\.id)
        let unknown = missing.filter { path in
            let id = RecordReader.sourceID(URL(fileURLWithPath: path))
            let folder = id.hasSuffix("/") ? id : id + "/"
            return !sources.contains { $0 == id || $0.hasPrefix(folder) }
        }
        let reason = "the file does not exist, and no entry came from it"
        if isAll, unknown.count == missing.count {
            throw RoostError(.noInput, "cannot ingest \(missing[0]): \(reason)")
        }
        return unknown.map { .init(source: $0, reason: reason) }
    }

    private func isMissing(_ path: String) -> Bool {
        access(path, F_OK) != 0 && errno == ENOENT
    }

    private func listedPaths() throws -> [String] {
        guard let filesFrom else { return [] }
        return try RecordReader.text(try InputFile.read(filesFrom), name: filesFrom).split(
            whereSeparator: \.isNewline
        ).map(
            String.init)
    }

    /// Removes the entries whose source files, at or below the given paths, no longer exist.
    private func prune(
        _ store: KnowledgeStore, _ named: [String], keeping files: [URL], _ report: inout IngestReport
    ) async throws {
        let locations = named.map { URL(fileURLWithPath: $0) }
        let vanished = try await store.vanishedSources(below: locations, keeping: files)
        report.removed += vanished.entries.count
        guard !dryRun, !vanished.sources.isEmpty else { return }
        if vanished.entries.count >= StoreBackup.minimumRemovalsForBackup { try await options.backUpFirst() }
        try await store.remove(vanished)
    }

    private func show(_ report: IngestReport, _ seconds: TimeInterval) {
        for skip in report.skipped where !options.quiet {
            Terminal.error("skipped \(Terminal.line(skip.source)): \(skip.reason)")
        }
        if report.skipped.contains(where: { $0.reason == FileFinder.linkReason }) {
            options.note("symbolic links were skipped; use --follow to follow them")
        }
        if report.omittedTokens > 0 {
            Terminal.error(
                "omitted \(report.omittedTokens) tokens that fit into no passage; searches do not find them")
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
