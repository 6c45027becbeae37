import ArgumentParser
import Foundation
import Roost
import Synchronization

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show an entry.")

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("An entry's id, or the beginning of one.", valueName: "ID"))
    var id: String

    @Flag(name: .long, help: "As JSON.")
    var json = false

    @Flag(name: .long, help: "JSON with the vectors.")
    var withEmbeddings = false

    @Flag(name: .long, help: "The file that it came from, byte for byte (see `ingest --keep-originals`).")
    var original = false

    func validate() throws {
        guard !original || !json && !withEmbeddings else {
            throw ValidationError("--original shows the file as it is, not as JSON.")
        }
    }

    /// An entry, and what the store knows of it.
    private struct Document: Encodable {
        var entry: Entry
        /// Tokens that no vector tells of; left out where the model is not installed.
        var omittedTokens: Int?

        enum CodingKeys: String, CodingKey { case omittedTokens }

        func encode(to encoder: any Encoder) throws {
            try entry.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(omittedTokens, forKey: .omittedTokens)
        }
    }

    /// As `3 of 200, 187 and 54 tokens; nothing left out`.
    private static func describe(_ passages: [Passage], _ omitted: Int?) -> String {
        let counts = passages.map { "\($0.tokenCount)" }
        let list =
            counts.count > 12
            ? counts.prefix(12).joined(separator: ", ") + ", …"
            : counts.dropLast().joined(separator: ", ") + (counts.count > 1 ? " and " : "")
                + (counts.last ?? "")
        let left =
            switch omitted {
            case nil: ""
            case 0: "; nothing left out"
            case let count?: "; \(count) tokens left out"
            }
        return counts.isEmpty ? "1\(left)" : "\(counts.count) of \(list) tokens\(left)"
    }

    func run() async throws {
        let store = try await options.open()
        let id = try await options.entryID(id, store)
        if original {
            let document = try await store.original(of: id)
            try await store.close()
            return Terminal.show(document)
        }
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "there is no entry \(id.text)")
        }
        let assignment = try await snapshot.assignments(of: [id]).first
        let cluster = try await snapshot.clusters().first { $0.id == assignment?.cluster }
        // Without the model it cannot be said.
        let omitted = store.embedder is AbsentEmbedder ? nil : store.omittedTokens(of: entry)
        try await store.close()
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.userInfo[.omitsVectors] = !withEmbeddings
            let document = Document(entry: entry, omittedTokens: omitted)
            return Terminal.write(String(decoding: try encoder.encode(document), as: UTF8.self))
        }
        func line(_ name: String, _ value: String) {
            Terminal.write(Terminal.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value)
        }
        line("id", entry.id.text)
        line("source", Terminal.safe(entry.place))
        line("created", DateText.string(from: entry.createdAt))
        line("updated", DateText.string(from: entry.updatedAt))
        if !entry.tags.isEmpty { line("tags", entry.tags.map { Terminal.line($0) }.joined(separator: ", ")) }
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key }) {
            line("metadata", "\(Terminal.line(key)) = \(Terminal.line(value.text ?? "…"))")
        }
        line("passages", Self.describe(entry.passages, omitted))
        if let cluster { line("cluster", "\(Terminal.line(cluster.label)) (\(cluster.id.text.prefix(8)))") }
        // Piped, it is the text as it is.
        Terminal.write(
            "\n"
                + (Terminal.isOutputTerminal
                    ? Terminal.safe(entry.content, keepingLines: true) : entry.content))
    }
}

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List entries, oldest first.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .customShort("n"), parsing: .unconditional,
        help: ArgumentHelp("The most entries; all where it is not given.", valueName: "N"))
    var limit: Int?

    @Flag(name: .long, help: "As JSON, without vectors.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("-n takes a whole number above 0, not \(limit).") }
    }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        let snapshot = try await store.storage.snapshot()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsVectors] = true
        var remaining = limit ?? .max
        var row: UInt32?
        var count = 0
        if json { Terminal.write("[") }
        repeat {
            let page = try await snapshot.entries(after: row, limit: min(remaining, 500), matching: filter)
            for entry in page.entries {
                if json {
                    Terminal.write(
                        (count > 0 ? "," : "") + String(decoding: try encoder.encode(entry), as: UTF8.self))
                } else {
                    Terminal.write(
                        Terminal.dim(String(entry.id.text.prefix(8))) + "  "
                            + Terminal.line(entry.content, limit: 100)
                    )
                }
                count += 1
            }
            remaining -= page.entries.count
            row = page.next
        } while row != nil && remaining > 0
        if json { Terminal.write("]") }
        try await store.close()
        if count == 0 {
            options.note(snapshot.stamp.entryCount == 0 ? "the store is empty" : "no entry meets the filter")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
    }
}

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change an entry's text: in $VISUAL or $EDITOR, or from the command line.")

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("An entry's id, or the beginning of one.", valueName: "ID"))
    var id: String

    @Option(name: .long, help: "The new text; - reads it from standard input.")
    var text: String?

    func run() async throws {
        let store = try await options.open()
        let id = try await options.entryID(id, store)
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "there is no entry \(id.text)")
        }
        let revision = try await snapshot.revisions(of: [id])
        let content = try newText(entry.content)
        if content.utf8.elementsEqual(entry.content.utf8) {
            options.note("nothing changed")
        } else {
            try await store.replaceContent(of: entry, with: content, expecting: revision)
            if entry.source?.hasPrefix("file:") == true {
                options.note(
                    "the file \(entry.place) still has the old text; when it changes, ingesting it takes that"
                )
            }
        }
        try await store.close()
    }

    private func newText(_ old: String) throws -> String {
        if let text {
            guard text == "-" else { return text }
            return try RecordReader.text(
                try StandardInput.readToEnd(), name: "standard input")
        }
        let environment = ProcessInfo.processInfo.environment
        guard
            let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap({ $0 }).first(where: {
                !$0.isEmpty
            })
        else { throw CommandError(.usage, "no editor is set; give the new text with --text, or set $EDITOR") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-\(UUID().uuidString).md")
        defer { try? FileManager.default.removeItem(at: file) }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(old.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.cannotCreate, "cannot write \(file.path)") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The editor may be a command with options; the file is an argument of its own, never part of the
        // script.
        process.arguments = ["-c", "exec \(editor) \"$1\"", "sh", file.path]
        Interruption.isIgnored.store(true, ordering: .relaxed)
        defer { Interruption.isIgnored.store(false, ordering: .relaxed) }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                .unavailable, "the editor ended with status \(process.terminationStatus); nothing was changed"
            )
        }
        return try RecordReader.text(Data(contentsOf: file), name: file.path)
    }
}

struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Put a tag on entries, or take it off.")

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Take the tag off.")
    var remove = false

    @Argument(help: ArgumentHelp("Ids of entries, then the tag.", valueName: "ID… TAG"))
    var arguments: [String]

    func validate() throws {
        guard arguments.count >= 2, arguments.last?.isEmpty == false else {
            throw ValidationError("Give one or more ids, then the tag.")
        }
    }

    func run() async throws {
        let store = try await options.open()
        var ids: [Entry.ID] = []
        for text in arguments.dropLast() { ids.append(try await options.entryID(text, store)) }
        let changed = try await store.setTag(arguments.last ?? "", on: ids, isPresent: !remove)
        try await store.close()
        options.note("\(changed) of \(ids.count) entries changed")
    }
}

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove entries.")

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("Ids of entries, or the beginnings of some.", valueName: "ID"))
    var ids: [String] = []

    @Option(name: .long, help: "Remove everything that came from this file, folder or source.")
    var source: String?

    @Flag(name: .long, help: "Say what would be removed, and remove nothing.")
    var dryRun = false

    func validate() throws {
        guard !ids.isEmpty || source != nil else {
            throw ValidationError("Name entries by id, or a --source.")
        }
    }

    func run() async throws {
        let store = try await options.open()
        var removals: [Entry.ID] = []
        for text in ids { removals.append(try await options.entryID(text, store)) }
        let snapshot = try await store.storage.snapshot()
        if let missing = Set(removals).subtracting(try await snapshot.revisions(of: removals).keys).first {
            throw RoostError(.notFound, "there is no entry \(missing.text); nothing was removed")
        }
        var records: [Source.ID] = []
        if let source {
            let file = RecordReader.sourceID(URL(fileURLWithPath: source))
            let folder = file.hasSuffix("/") ? file : file + "/"
            records = try await snapshot.sources().map(\.id).filter {
                $0 == source || $0 == file || $0.hasPrefix(folder)
            }
            let page = try await snapshot.entries(
                after: nil, limit: .max, matching: EntryFilter(sources: Set(records + [source, file])))
            guard !page.entries.isEmpty || !records.isEmpty else {
                throw RoostError(
                    .notFound, "nothing came from '\(Terminal.line(source))'; nothing was removed")
            }
            removals += page.entries.map(\.id)
        }
        if !dryRun {
            if Set(removals).count >= StoreBackup.fewestRemovals { try await options.backUpFirst() }
            _ = try await store.storage.commit(WriteBatch(removals: removals, removedSources: records))
        }
        if dryRun {
            for entry in try await snapshot.entries(Array(Set(removals))) where !options.quiet {
                Terminal.write("\(entry.id.text.prefix(8))  \(Terminal.line(entry.content))")
            }
        }
        try await store.close()
        Terminal.write("\(dryRun ? "would remove" : "removed") \(Set(removals).count)")
    }
}
