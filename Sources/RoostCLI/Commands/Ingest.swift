import ArgumentParser
import Foundation
import Roost

struct Initialize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "init", abstract: "Make a store.")

    @OptionGroup var options: StoreOptions

    @Option(name: .long, help: "How entries are kept: sqlite or json.")
    var provider: String?

    @Option(
        name: .long,
        help:
            "The embedding model: minilm, lexical, an installed model's name, a model folder, or remote:NAME."
    )
    var model: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The most that the storage may take: 500MB, 2GB, or none.", valueName: "SIZE"))
    var maxSize: String?

    @Argument(help: ArgumentHelp("The folder; .roost in this one where it is not given.", valueName: "DIR"))
    var directory: String?

    func run() async throws {
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let location =
            (directory ?? options.store).map { URL(fileURLWithPath: $0) }
            ?? UserPlaces().environmentStore ?? here.appendingPathComponent(".roost")
        let limit = try maxSize.flatMap { try ByteCount.parse($0, option: "--max-size") }
        let store = try await options.create(
            location, provider: provider, model: model, maximumSize: limit)
        try await store.close()
        options.note("made a store in \(location.path) (\(store.embedder.space.model))")
    }
}

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add one text.")

    @OptionGroup var options: StoreOptions

    @Argument(help: "The text; - reads it from standard input.")
    var text: String

    @Option(name: .long, help: "Put a tag on it.")
    var tag: [String] = []

    @Option(name: .long, help: ArgumentHelp("Put metadata on it.", valueName: "key=value"))
    var meta: [String] = []

    func run() async throws {
        let pairs = try KeyValue.parse(meta, option: "--meta")
        let text =
            text == "-"
            ? try RecordReader.text(try StandardInput.readToEnd(), name: "standard input") : text
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "the text is empty; nothing was added")
        }
        guard !tag.contains(where: \.isEmpty) else {
            throw CommandError(.usage, "--tag takes a word, not nothing")
        }
        let store = try await options.openOrCreate()
        let before = try await store.storage.snapshot().stamp.revision
        let metadata = Dictionary(pairs.map { ($0.key, MetadataValue.string($0.value)) }) { _, last in last }
        let (id, isNew) = try await store.add(text, tags: tag, metadata: metadata)
        let isChanged = try await store.storage.snapshot().stamp.revision > before
        try await store.close()
        options.remark(on: store.embedder)
        Terminal.write(id.text)
        if !isNew {
            options.note(
                "the store had this text already; "
                    + (isChanged ? "its tags and metadata were added to" : "nothing was added twice"))
        }
    }
}

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Take in files and folders, or lines from standard input.",
        discussion: """
            Text and Markdown become one entry a file; JSON Lines ({"id"?, "text"|"content", …metadata}), \
            CSV and TSV with a header one a row; standard input (-) one a line. The same input again changes \
            nothing; what changed is \
            updated, and what vanished from a file is removed.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("Files, folders, or - for standard input.", valueName: "PATH"))
    var paths: [String] = []

    @Option(name: .long, help: "Only files that fit this pattern.")
    var glob: [String] = []

    @Option(name: .long, help: "Not files or folders that fit this pattern.")
    var exclude: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Read paths from a file, one a line; - for standard input.", valueName: "FILE"))
    var filesFrom: String?

    @Option(name: .long, help: "The column, or key, that holds the text.")
    var textColumn: String?

    @Option(name: .long, help: "The column, or key, that names a row.")
    var idColumn: String?

    @Flag(name: .long, help: "Keep each file itself, byte for byte, for `roost show --original`.")
    var keepOriginals = false

    @Flag(name: .long, help: "Remove the entries of files that are gone from the given folders.")
    var prune = false

    @Flag(name: .long, help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Option(name: .long, help: "Put a tag on every entry.")
    var tag: [String] = []

    @Flag(name: .long, help: "Report as JSON.")
    var json = false

    func validate() throws {
        guard !paths.isEmpty || filesFrom != nil else {
            throw ValidationError("Nothing to ingest: name files, folders, or - for standard input.")
        }
        guard !tag.contains(where: \.isEmpty) else {
            throw ValidationError("--tag takes a word, not nothing.")
        }
    }

    func run() async throws {
        let finder = FileFinder(globs: glob, exclusions: exclude)
        var files: [URL] = []
        var skipped: [IngestReport.Skip] = []
        let named = try paths.filter { $0 != "-" } + listedPaths()
        var seen = Set<Source.ID>()
        let hasStore = try options.hasStore()
        var gone: [String] = []
        for path in named {
            if prune, hasStore, isGone(path) {
                gone.append(path)
                continue
            }
            let found = try finder.find(URL(fileURLWithPath: path))
            // A file that is reached in several ways is one source.
            files += found.files.filter { seen.insert(RecordReader.sourceID($0)).inserted }
            skipped += found.skipped
        }
        let readsInput = paths.contains("-")
        if files.isEmpty, !readsInput, !prune {
            throw RoostError(
                .noInput,
                "there is no text file in \(paths.isEmpty ? "the list" : paths.joined(separator: ", ")); "
                    + "name other kinds of files with --glob"
            )
        }
        var reader = RecordReader(textColumn: textColumn, idColumn: idColumn)
        let isOnlyFile = named.count == 1 && files.count == 1 && !readsInput && Self.isFile(named[0])
        // A store is not made for files that have nothing to put into it.
        if !hasStore, !readsInput { try requireText(in: files, reader, isOnlyFile) }
        let store = try await dryRun ? options.openOrPretend() : options.openOrCreate()
        let progress = Progress(isQuiet: options.quiet)
        reader.keepsOriginals = keepOriginals
        let drafts = IngestInput(
            files: files, readsInput: readsInput,
            reader: reader, isOnlyFile: isOnlyFile)
        let sizes = drafts.sizes
        let start = Date()
        var report: IngestReport
        do {
            report = try await store.ingest(
                drafts.sequence(),
                IngestOptions(tags: tag, isDryRun: dryRun) {
                    progress.update($0.entries, fraction: sizes.fraction(of: $0))
                })
            if let error = drafts.fatalError { throw error }
            skipped += try await unknown(gone, store, isAll: files.isEmpty && !readsInput)
            if prune { try await prune(store, named, keeping: files, &report) }
        } catch is CancellationError {
            progress.finish()
            try? await store.close()
            throw CommandError(
                .interrupted,
                dryRun
                    ? "stopped; nothing was changed"
                    : "stopped; \(progress.done) entries of the input are in the store, and the same command "
                        + "goes on from there")
        }
        progress.finish()
        let isNothing = report.new + report.updated + report.removed + report.unchanged == 0
        let hasFailed = !drafts.skipped.isEmpty || !report.skipped.isEmpty
        report.skipped = skipped + drafts.skipped + report.skipped
        if !dryRun, report.new + report.updated + report.removed > 0 { await options.refreshIndex(of: store) }
        try await store.close()
        options.remark(on: store.embedder)
        if json { try Terminal.json(report) } else { show(report, Date().timeIntervalSince(start)) }
        // Programs are told that nothing came of it.
        if isNothing, hasFailed { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// - Throws: what is wrong with the only file; ``RoostError`` where no file has a text.
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
        throw RoostError(.badInput, "\(reason ?? "there is no text"); nothing was taken in")
    }

    /// The paths that are gone and that nothing in the store came from: mistyped, or pruned before.
    ///
    /// - Throws: ``RoostError`` where there is nothing else to do.
    private func unknown(
        _ gone: [String], _ store: KnowledgeStore, isAll: Bool
    ) async throws -> [IngestReport.Skip] {
        guard !gone.isEmpty else { return [] }
        let sources = try await store.storage.snapshot().sources().map(\.id)
        let unknown = gone.filter { path in
            let id = RecordReader.sourceID(URL(fileURLWithPath: path))
            let folder = id.hasSuffix("/") ? id : id + "/"
            return !sources.contains { $0 == id || $0.hasPrefix(folder) }
        }
        let reason = "there is no such file, and nothing in the store came from it"
        if isAll, unknown.count == gone.count {
            throw RoostError(.noInput, "\(gone[0]): \(reason)")
        }
        return unknown.map { .init(source: $0, reason: reason) }
    }

    private func isGone(_ path: String) -> Bool {
        access(path, F_OK) != 0 && errno == ENOENT
    }

    private func listedPaths() throws -> [String] {
        guard let filesFrom else { return [] }
        return try RecordReader.text(try InputFile.read(filesFrom), name: filesFrom).split(
            whereSeparator: \.isNewline
        ).map(
            String.init)
    }

    /// Removes what came from files below the given folders that are there no longer.
    private func prune(
        _ store: KnowledgeStore, _ named: [String], keeping files: [URL], _ report: inout IngestReport
    ) async throws {
        let folders = named.map { path -> String in
            let id = RecordReader.sourceID(URL(fileURLWithPath: path))
            return id.hasSuffix("/") ? id : id + "/"
        }
        let present = Set(files.map(RecordReader.sourceID))
        let snapshot = try await store.storage.snapshot()
        let gone = try await snapshot.sources().map(\.id).filter { id in
            folders.contains { id.hasPrefix($0) || id + "/" == $0 } && !present.contains(id)
                && !FileManager.default.fileExists(atPath: URL(string: id)?.path ?? "")
        }
        let removals = try await snapshot.sources(gone).flatMap(\.entryIDs)
        report.removed += removals.count
        guard !dryRun, !gone.isEmpty else { return }
        if removals.count >= StoreBackup.fewestRemovals { try await options.backUpFirst() }
        _ = try await store.storage.commit(WriteBatch(removals: removals, removedSources: gone))
    }

    private func show(_ report: IngestReport, _ seconds: TimeInterval) {
        for skip in report.skipped where !options.quiet {
            Terminal.error("skipped \(Terminal.line(skip.source)): \(skip.reason)")
        }
        if report.omittedTokens > 0 {
            Terminal.error("\(report.omittedTokens) tokens fit no passage and cannot be found")
        }
        let counts = [
            "\(report.new) new", "\(report.updated) updated", "\(report.removed) removed",
            "\(report.unchanged) unchanged", "\(report.skipped.count) skipped",
        ].joined(separator: ", ")
        Terminal.write(dryRun ? "would be: \(counts)" : counts)
        options.detail(
            String(
                format: "%d tokens in %.1f s (%.0f tokens/s)", report.tokens, seconds,
                Double(report.tokens) / seconds))
    }
}
