import ArgumentParser
import Foundation
import Roost
import RoostDocuments
import RoostRemote

/// Reads the input files one by one while the ingest consumes them. An unreadable file is skipped, unless it
/// is the only one.
final class IngestInput {
    private var remaining: ArraySlice<URL>
    /// The sources that were read before the store was opened.
    private var drafts: ArraySlice<SourceDraft>
    private let reader: RecordReader
    private let store: KnowledgeStore
    private let isOnlyFile: Bool
    private let pages: WebInput?
    private(set) var skipped: [IngestReport.Finding] = []
    private(set) var fatalError: (any Error)?

    init(
        files: [URL], drafts: [SourceDraft], reader: RecordReader, store: KnowledgeStore, isOnlyFile: Bool,
        pages: WebInput? = nil
    ) {
        remaining = files[...]
        self.drafts = drafts[...]
        self.reader = reader
        self.store = store
        self.isOnlyFile = isOnlyFile
        self.pages = pages
    }

    /// Reads and returns the next source; `nil` after the last one, or after an error that ends the ingest.
    func next() async throws -> SourceDraft? {
        while fatalError == nil {
            let file = remaining.popFirst()
            guard let name = file?.path ?? pages?.nextAddress() else { break }
            do {
                if let file { return try await reader.read(file, for: store) }
                return try await pages?.draft(of: name)
            } catch let error as CancellationError {
                throw error
            } catch let error as RoostError where !isOnlyFile {
                skipped.append(
                    file.map { IngestReport.Finding($0, error) } ?? .init(source: name, reason: error.message)
                )
            } catch {
                fatalError = error
            }
        }
        return fatalError == nil ? drafts.popFirst() : nil
    }

    /// Reads exports with an importer.
    ///
    /// They are read before a store is opened, so that no store is created if the importer fails.
    static func imported(_ exports: [String], with name: String, _ reader: RecordReader) async throws
        -> [SourceDraft]
    {
        let folders = UserDirectories().importers
        guard let importer = ImporterProgram(name, in: folders) else {
            throw CommandError(
                .usage,
                "unknown importer '\(Terminal.line(name, limit: 40))': found no program roost-import-NAME on the PATH, and "
                    + "neither it nor NAME.py in \(folders.map(\.path).joined(separator: " or "))")
        }
        var drafts: [SourceDraft] = []
        for export in exports {
            let draft = try await reader.read(URL(fileURLWithPath: export), with: importer) { messages in
                for line in messages.split(whereSeparator: \.isNewline) {
                    Terminal.error("\(name): \(Terminal.line(String(line), limit: 400))")
                }
            }
            drafts.append(draft)
        }
        return drafts
    }

    /// Reads standard input, whose lines become entries.
    ///
    /// It is read before a store is opened, so that no store is created if it is empty.
    static func standardInput() throws -> SourceDraft {
        let text = try RecordReader.text(StandardInput.readToEnd(), name: "standard input")
        let entries = RecordReader.lines(text)
        guard !entries.isEmpty else { throw RoostError(.noInput, "standard input is empty") }
        return SourceDraft(id: "stdin", fingerprint: "", entries: entries, isComplete: false)
    }
}

final class WebInput {
    private var remaining: ArraySlice<String>
    private let fetcher: WebFetcher
    private let reader: RecordReader
    private let isFeed: Bool

    init(_ addresses: [String], reader: RecordReader, isFeed: Bool, allowsPrivateAddresses: Bool) {
        remaining = addresses[...]
        fetcher = WebFetcher(
            version: VersionText.number, allowsPrivateAddresses: allowsPrivateAddresses,
            environment: ProcessInfo.processInfo.environment)
        (self.reader, self.isFeed) = (reader, isFeed)
    }

    func nextAddress() -> String? { remaining.popFirst() }

    func draft(of address: String) async throws -> SourceDraft {
        do {
            let page = try await fetcher.fetch(address)
            let input = DocumentInput(
                data: page.data, path: page.url.absoluteString, mediaType: page.mediaType,
                encodingName: page.encodingName)
            return try await reader.read(input, of: WebSource.id(address), asFeed: isFeed)
        } catch let error as WebError {
            // The refused address can be that of a redirect, which the user did not give.
            let message =
                error.code == .privateAddress
                ? "cannot fetch \(Terminal.line(address)): its host, or the host to which it redirects, is "
                    + "this computer or in a private network; use --allow-private if you trust it"
                : error.message
            let isMissing = error.code == .unavailable || error.code == .refused
            throw RoostError(isMissing ? .noInput : .badInput, message)
        }
    }
}

struct ReadingOptions: ParsableArguments {
    @Option(name: .long, help: "Read only files that match this pattern; repeatable.")
    var glob: [String] = []

    @Option(name: .long, help: "Skip files and folders that match this pattern; repeatable.")
    var exclude: [String] = []

    @Flag(
        name: .long,
        help: "Also follow symbolic links to folders, and to files outside the given folder.")
    var follow = false

    @Option(name: .long, help: "The column or key that contains the text of a row.")
    var textColumn: String?

    @Option(name: .long, help: "The column or key that identifies a row.")
    var idColumn: String?

    @Option(name: .long, help: "Add a tag to every entry; repeatable.", transform: TagArgument.tag)
    var tag: [String] = []

    @Flag(name: .long, help: "Store each file byte for byte, for `roost show --original`.")
    var keepOriginals = false

    var isEmpty: Bool {
        glob + exclude + tag == [] && !follow && !keepOriginals && textColumn == nil && idColumn == nil
    }

    func apply(to folder: inout SyncedFolder) {
        (folder.globs, folder.exclusions, folder.followsLinks) = (glob, exclude, follow)
        (folder.textColumn, folder.idColumn) = (textColumn, idColumn)
        (folder.tags, folder.keepsOriginals) = (tag, keepOriginals)
    }

    func validate() throws {
        try TagArgument.check(tag)
        for (option, patterns) in [("--glob", glob), ("--exclude", exclude)] {
            guard let pattern = FileFinder.patternWithBraces(in: patterns) else { continue }
            throw ValidationError(
                "\(option) \(pattern): alternatives in braces are not supported; give \(option) once for each"
            )
        }
    }
}

enum FileTypes {
    static func show() {
        let rows = DocumentType(
            name: "rows", title: "Tables and JSON Lines, one entry per row",
            extensions: RecordReader.rowExtensions, mediaTypes: [])
        let types = DocumentReaders.standard.types + [rows]
        let width = types.map(\.title.count).max() ?? 0
        for type in types {
            let names = type.extensions.sorted().map { ".\($0)" } + type.fileNames.sorted()
            let note = type.isReadInFolders ? "" : "  (only if named)"
            Terminal.write(
                type.title.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
                    + names.joined(separator: " ") + note)
        }
    }
}
