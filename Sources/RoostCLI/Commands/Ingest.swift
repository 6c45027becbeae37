import ArgumentParser
import Foundation
import Roost
import Synchronization

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Add or update entries from files, folders or standard input.",
        discussion: """
            Each document becomes one entry, with its title, dates, tags and links. Each row of a JSON Lines \
            file ({"id"?, "text"|"content", …metadata}), and of a CSV or TSV file with a header, becomes one \
            entry, and so does each line of standard input (-). Other files in a folder are skipped; --types \
            lists the supported types.

            Ingesting the same input again changes nothing. If a text has changed, its entry is updated; if \
            a row was removed from a file, its entry is removed. To continue an interrupted ingest, run the \
            same command again.

            The pattern drafts matches files and folders of this name at any depth, drafts/ matches only \
            folders, and /drafts or work/drafts matches only this path below the given folder. In a pattern, \
            * and ? match within a name, ** matches across folders, and {a,b} matches one of several texts.

            Skipped files are counted by type; -v lists them. A skipped file is not reported again until it \
            changes.

            Examples:
              roost ingest ~/notes --exclude drafts
              roost ingest articles.csv --text-column body --id-column url --tag articles
              git ls-files '*.md' | roost ingest --files-from - --prune docs
              roost ingest https://example.org/article.html
              roost ingest --feed https://example.org/feed.xml
              roost ingest -- -dash.md
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("Files, folders, URLs, or - for standard input.", valueName: "PATH"),
        completion: .file())
    var paths: [String] = []

    @Option(name: .long, help: "Ingest only files that match this pattern; repeatable.")
    var glob: [String] = []

    @Option(name: .long, help: "Skip files and folders that match this pattern; repeatable.")
    var exclude: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read paths from a file, one per line or separated by null characters; - for standard input.",
            valueName: "FILE"))
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

    @Flag(name: .shortAndLong, help: "With --prune, remove more than 20 entries without confirmation.")
    var yes = false

    @Flag(name: .long, help: "Show what would be done, without changing anything.")
    var dryRun = false

    @Option(name: .long, help: "Add a tag to every entry; repeatable.", transform: TagArgument.tag)
    var tag: [String] = []

    @Flag(name: .long, help: "List the supported types of files, without ingesting anything.")
    var types = false

    @Flag(name: .long, help: "Read the URLs as feeds (RSS, Atom, JSON Feed); each item becomes an entry.")
    var feed = false

    @Flag(name: .long, help: "Also fetch URLs on this computer and in private networks.")
    var allowPrivate = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard types || !paths.isEmpty || filesFrom != nil else {
            throw ValidationError("nothing to ingest: give files, folders, URLs, or - for standard input")
        }
        try TagArgument.check(tag)
    }

    /// The files and folders that the arguments name.
    private struct Input {
        /// The URLs of pages and feeds.
        var addresses: [String] = []
        /// All paths that were given, without `-` and URLs.
        var paths: [String] = []
        /// The files to read, each once.
        var files: [URL] = []
        /// The given paths that do not exist; collected only if `--prune` may remove their entries.
        var missing: [String] = []
        /// The files in folders that the search skipped.
        var skipped: [IngestReport.Skip] = []
        /// The files that were named, and are therefore reported each time they are skipped.
        var named: Set<String> = []
        var readsStandardInput = false
        /// The patterns of `--exclude` that match nothing in the given folders.
        var unusedExclusions: [String] = []

        /// The given paths that are folders.
        var folders: [URL] {
            paths.map { URL(fileURLWithPath: $0) }.filter { url in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
                    && isFolder.boolValue
            }
        }

        /// Whether the input is a single file or URL that was given by name. In this case, an error in the
        /// file ends the command.
        var isSingleFile: Bool {
            if paths.isEmpty, addresses.count == 1, !readsStandardInput { return true }
            guard paths.count == 1, files.count == 1, !readsStandardInput, addresses.isEmpty else {
                return false
            }
            return FileStatus(paths[0])?.isRegular == true
        }
    }

    /// Returns the files that a path names.
    private func find(_ path: String, _ finder: FileFinder) throws -> FileFinder.Findings {
        do {
            return try finder.find(URL(fileURLWithPath: path))
        } catch let error as RoostError where error.code == .noInput && path.contains("*") {
            throw RoostError(
                .noInput,
                "\(error.message); no file matches the pattern, or it is in quotation marks; give a folder "
                    + "and --glob '*.md' to select files by a pattern")
        }
    }

    /// Returns the input that the arguments describe.
    ///
    /// - Throws: ``RoostError`` if there is nothing to read.
    private func input(hasStore: Bool) throws -> Input {
        var finder = FileFinder(globs: glob, exclusions: exclude)
        finder.followsLinks = follow
        let arguments = try paths.filter { $0 != "-" } + listedPaths()
        var input = Input(
            addresses: arguments.filter(WebSource.isAddress),
            paths: arguments.filter { !WebSource.isAddress($0) })
        input.readsStandardInput = paths.contains("-")
        var seen = Set<Source.ID>()
        var unused: Set<String>?
        for path in input.paths {
            if prune, hasStore, isMissing(path) {
                input.missing.append(path)
                continue
            }
            let found = try find(path, finder)
            // A file that several arguments include is read only once.
            input.files += found.files.filter { seen.insert(RecordReader.sourceID($0)).inserted }
            input.skipped += found.skipped
            if found.files.count == 1, found.files[0].path == URL(fileURLWithPath: path).path {
                input.named.insert(found.files[0].path)
            } else {
                unused = unused?.intersection(found.unusedExclusions) ?? Set(found.unusedExclusions)
            }
        }
        input.unusedExclusions = exclude.filter { unused?.contains($0) ?? false }
        guard !input.files.isEmpty || input.readsStandardInput || prune || !input.addresses.isEmpty else {
            let place = paths.isEmpty ? "the list" : paths.joined(separator: ", ")
            throw RoostError(
                .noInput,
                glob.isEmpty
                    ? "found no files of a supported type in \(place); "
                        + "use --glob to include other file names"
                    : "no file in \(place) matches --glob '\(glob.joined(separator: "', '"))'"
                        + Self.advice(on: glob))
        }
        return input
    }

    /// Returns the next step if a pattern is the extension of a file, with the delimiter before it.
    private static func advice(on globs: [String]) -> String {
        let names = globs.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }
        guard let name = names.first, names.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber } })
        else {
            return ""
        }
        return "; --glob '*.\(name)' selects files by their extension"
    }

    func run() async throws {
        if types { return try FileTypes.show(asJSON: json) }
        let hasStore = try options.hasStore()
        let input = try input(hasStore: hasStore)
        ExclusionNotice.show(input.unusedExclusions, options)
        if textColumn != nil || idColumn != nil, !input.readsStandardInput {
            try IngestInput.requireRows(in: input.files)
        }
        var reader = RecordReader(textColumn: textColumn, idColumn: idColumn)
        // The input is checked first, so that no store is created if no file contains text.
        if !hasStore, !input.readsStandardInput, input.addresses.isEmpty {
            try await requireText(in: input.files, reader, input.isSingleFile)
        }
        let lines = try input.readsStandardInput ? IngestInput.standardInput() : nil
        let store = try await dryRun ? options.openOrSimulate() : options.openOrCreate()
        let progress = Progress(isQuiet: options.quiet)
        reader.keepsOriginals = keepOriginals
        let drafts = IngestInput(
            files: input.files, input: lines, reader: reader, store: store,
            isOnlyFile: input.isSingleFile,
            pages: WebInput(
                input.addresses, store: store, reader: reader, isFeed: feed,
                allowsPrivateAddresses: allowPrivate))
        // The confirmation is requested first, so that the command changes either everything or nothing.
        guard try await permitsPruning(store, input) else {
            try await store.close()
            options.note("nothing was changed")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let start = Date()
        let written = Mutex(0)
        var report: IngestReport
        var skipped = input.skipped
        do {
            report = try await ingest(drafts, store) { [sizes = drafts.sizes] step in
                written.withLock { $0 = step.written }
                progress.update(step.entries, fraction: sizes.fraction(of: step))
            }
            skipped += try await unknown(
                input.missing, store,
                isAll: input.files.isEmpty && !input.readsStandardInput && input.addresses.isEmpty)
            try await resolveMissing(store, input, &report)
        } catch is CancellationError {
            progress.finish()
            try? await store.close()
            throw interruption(afterWriting: written.withLock(\.self))
        }
        progress.finish()
        let isNothing = report.new + report.updated + report.removed + report.unchanged == 0
        let hasFailed = !drafts.skipped.isEmpty || !report.skipped.isEmpty
        setSkipped(skipped + drafts.skipped + report.skipped, of: input, store, &report)
        if !dryRun, report.new + report.updated + report.removed > 0 { await options.refreshIndex(of: store) }
        try await store.close()
        options.remark(on: store.embedder)
        if json { try Terminal.json(report) } else { show(report, Date().timeIntervalSince(start)) }
        if !dryRun, report.new + report.updated > 0 { ConversationNotice.show(input.files, options) }
        TagArgument.remark(on: tag, options)
        // The exit status tells scripts that no input could be ingested.
        if isNothing, hasFailed { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    /// Sets the skipped inputs of a report: those that were named, and those that no earlier run reported.
    private func setSkipped(
        _ all: [IngestReport.Skip], of input: Input, _ store: KnowledgeStore, _ report: inout IngestReport
    ) {
        let found = all.filter { !input.named.contains($0.source) }
        report.skipped = found
        store.omitReportedSkips(from: &report, isDryRun: dryRun)
        if options.verbose { (report.skipped, report.skippedBefore) = (found, 0) }
        report.skipped = all.filter { input.named.contains($0.source) } + report.skipped
    }

    private func interruption(afterWriting written: Int) -> CommandError {
        CommandError(
            .interrupted,
            dryRun
                ? "stopped; nothing was changed"
                : "stopped: \(Count.text(written, "entry was", "entries were")) added or updated; "
                    + "run the same command again to continue")
    }

    private func ingest(
        _ drafts: IngestInput, _ store: KnowledgeStore, progress: @escaping @Sendable (IngestProgress) -> Void
    ) async throws -> IngestReport {
        let report = try await store.ingest(
            IngestOptions(tags: tag, isDryRun: dryRun, progress: progress)
        ) { try await drafts.next() }
        if let error = drafts.fatalError { throw error }
        return report
    }

    /// Checks that at least one file contains text.
    ///
    /// - Throws: ``RoostError`` with the reason why no file could be used.
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

    private func listedPaths() throws -> [String] { try filesFrom.map(PathList.read) ?? [] }

    /// Returns whether the user permits the removal of the entries of missing files.
    private func permitsPruning(_ store: KnowledgeStore, _ input: Input) async throws -> Bool {
        guard prune, !dryRun else { return true }
        let locations = input.paths.map { URL(fileURLWithPath: $0) }
        let vanished = try await store.vanishedSources(below: locations, keeping: input.files)
        return try Confirmation.permitsRemoval(
            of: vanished.entries.count, "entries of files that no longer exist", isConfirmed: yes)
    }

    /// Removes the entries of missing files, or counts the missing files of the given folders.
    private func resolveMissing(
        _ store: KnowledgeStore, _ input: Input, _ report: inout IngestReport
    ) async throws {
        if prune { return try await prune(store, input.paths, keeping: input.files, &report) }
        report.missingFiles = try await store.vanishedSources(below: input.folders).sources.count
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
        if !options.quiet {
            for line in SkipSummary(report.skipped).lines(isDetailed: options.verbose) {
                Terminal.error(line)
            }
        }
        if report.skipped.contains(where: { $0.reason == FileFinder.linkReason }) {
            options.note("symbolic links were skipped; use --follow to follow them")
        }
        if report.missingFiles > 0 {
            options.note(
                Count.text(
                    report.missingFiles,
                    "known file of these folders no longer exists; `roost ingest --prune` removes its "
                        + "entries, and `roost sync` does so for remembered folders",
                    "known files of these folders no longer exist; `roost ingest --prune` removes their "
                        + "entries, and `roost sync` does so for remembered folders"))
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
            "\(report.unchanged) unchanged", SkipSummary.count(report),
        ].joined(separator: ", ")
        Terminal.write(dryRun ? "dry run: \(counts)" : counts)
        options.detail(
            String(
                format: "%d tokens in %.1f s (%.0f tokens/s)", report.tokens, seconds,
                Double(report.tokens) / seconds))
    }
}
