import ArgumentParser
import Foundation
import Roost
import Synchronization

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show an entry.",
        discussion: """
            Prints the entry's properties and its text: the reader of its file, the title, the dates, the \
            sections and the links. Parts that are stored but not embedded, such as front matter, comments \
            and addresses, are listed as "hidden", and parts that could not be read as "unread". Lines that \
            more than 5% of the entries contain, such as footers and navigation, are listed as "excluded": \
            the last `roost recluster` ignored them.

            Examples:
              roost show e2d8942a
              roost show e2d8942a --json --with-embeddings
              roost show --original e2d8942a > article.md
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("An entry's id, or the beginning of its id.", valueName: "ID"),
        completion: DynamicCompletion.entries)
    var id: String

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    @Flag(name: .long, help: "Include the vectors in the JSON.")
    var withEmbeddings = false

    @Flag(
        name: .long,
        help: "Print the original file of the entry, byte for byte; see `roost ingest --keep-originals`.")
    var original = false

    func validate() throws {
        guard !original || !json && !withEmbeddings else {
            throw ValidationError("--original cannot be combined with --json or --with-embeddings")
        }
    }

    /// The JSON output for an entry.
    private struct Document: Encodable {
        var entry: Entry
        /// The number of tokens that no vector covers; `nil` if the model is not installed.
        var omittedTokens: Int?
        /// The lines that the last clustering run excluded; `nil` if there are none.
        var boilerplateLines: [String]?
        var treatment: EntryTreatmentDocument

        enum CodingKeys: String, CodingKey { case omittedTokens, boilerplateLines }

        func encode(to encoder: any Encoder) throws {
            try entry.encode(to: encoder)
            try treatment.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(omittedTokens, forKey: .omittedTokens)
            try container.encodeIfPresent(boilerplateLines, forKey: .boilerplateLines)
        }
    }

    /// The maximum number of passages whose token counts are printed.
    private static let maximumListedPassages = 12

    /// Returns a description such as `3 of 200, 187 and 54 tokens; none omitted`.
    private static func describe(_ passages: [Passage], _ omitted: Int?) -> String {
        let counts = passages.map { "\($0.tokenCount)" }
        let list =
            counts.count > maximumListedPassages
            ? counts.prefix(maximumListedPassages).joined(separator: ", ") + ", …"
            : counts.dropLast().joined(separator: ", ") + (counts.count > 1 ? " and " : "")
                + (counts.last ?? "")
        let omission =
            switch omitted {
            case nil: ""
            case 0: "; none omitted"
            case let count?: "; \(Count.text(count, "token")) omitted"
            }
        return counts.isEmpty ? "1\(omission)" : "\(counts.count) of \(list) tokens\(omission)"
    }

    func run() async throws {
        let store = try await options.open()
        let id = try await options.entryID(id, store)
        if original {
            let document = try await store.original(of: id)
            try await store.close()
            return Terminal.write(document)
        }
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "no entry has the id \(id.text)")
        }
        let assignment = try await snapshot.assignments(of: [id]).first
        let cluster = try await snapshot.clusters().first { $0.id == assignment?.cluster }
        // Only the model can count tokens.
        let omitted = store.embedder is AbsentEmbedder ? nil : store.omittedTokens(of: entry)
        let boilerplate = store.boilerplateLines(of: entry)
        let treatment = try await EntryTreatmentDocument(of: entry, in: store, snapshot)
        try await store.close()
        if json {
            let encoder = Terminal.prettyEncoder
            encoder.userInfo[.omitsVectors] = !withEmbeddings
            let document = Document(
                entry: entry, omittedTokens: omitted,
                boilerplateLines: boilerplate.isEmpty ? nil : boilerplate, treatment: treatment)
            return try Terminal.json(document, encoder)
        }
        options.page()
        func line(_ name: String, _ value: String) {
            Terminal.write(Terminal.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value)
        }
        line("id", entry.id.text)
        line("source", Terminal.safe(entry.displayPath))
        line("created", DateText.string(from: entry.createdAt))
        line("updated", DateText.string(from: entry.updatedAt))
        if !entry.tags.isEmpty { line("tags", entry.tags.map { Terminal.line($0) }.joined(separator: ", ")) }
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key })
        where !EntryTreatmentDocument.listedKeys.contains(key) {
            line("metadata", "\(Terminal.line(key)) = \(Terminal.line(value.displayText))")
        }
        for item in treatment.lines { line(item.name, item.value) }
        line("passages", Self.describe(entry.passages, omitted))
        if let cluster { line("cluster", "\(Terminal.line(cluster.label)) (\(cluster.id.text.prefix(8)))") }
        for text in boilerplate { line("excluded", Terminal.line(text)) }
        // A pipe or file gets the exact text; a terminal gets it without control characters.
        Terminal.write(Data("\n\(entry.content)\n".utf8))
    }
}

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change the text of an entry.",
        discussion: """
            Opens the text in $VISUAL or $EDITOR, unless the new text is given; it needs no quotes. The \
            entry is embedded again. The file that the entry came from is not changed.

            Examples:
              roost edit e2d8942a
              roost edit e2d8942a The hedge is cut in autumn.
              roost edit e2d8942a --text - < new.txt
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("An entry's id, or the beginning of its id.", valueName: "ID"),
        completion: DynamicCompletion.entries)
    var id: String

    @Argument(help: ArgumentHelp("The new text, or - for standard input.", valueName: "TEXT"))
    var words: [String] = []

    @Option(name: .long, help: "The new text, or - for standard input.")
    var text: String?

    func validate() throws {
        guard words.isEmpty || text == nil else {
            throw ValidationError("give the new text as arguments or with --text, not both")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let id = try await options.entryID(id, store)
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "no entry has the id \(id.text)")
        }
        let revision = try await snapshot.revisions(of: [id])
        let content = try newText(entry.content)
        if content.utf8.elementsEqual(entry.content.utf8) {
            options.note("the text is unchanged")
        } else {
            try await store.replaceContent(of: entry, with: content, expecting: revision)
            if entry.source?.hasPrefix("file:") == true {
                options.note(
                    "the file \(entry.displayPath) still has the old text; if you change the file, the next "
                        + "ingest replaces this edit")
            }
        }
        try await store.close()
    }

    private func newText(_ old: String) throws -> String {
        if let text = text ?? (words.isEmpty ? nil : words.joined(separator: " ")) {
            guard text == "-" else { return text }
            return try RecordReader.text(
                try StandardInput.readToEnd(), name: "standard input")
        }
        let environment = ProcessInfo.processInfo.environment
        guard
            let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap({ $0 }).first(where: {
                !$0.isEmpty
            })
        else {
            throw CommandError(
                .usage,
                "cannot edit the entry: no editor is configured; set $EDITOR, or give the text with --text")
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-\(UUID().uuidString).md")
        defer { try? FileManager.default.removeItem(at: file) }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(old.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.cannotCreate, "cannot write the temporary file \(file.path)") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // $EDITOR may contain options, so a shell splits it. The file is a separate argument: its name
        // never becomes part of the script.
        process.arguments = ["-c", "exec \(editor) \"$1\"", "sh", file.path]
        Interruption.isIgnored.store(true, ordering: .relaxed)
        defer { Interruption.isIgnored.store(false, ordering: .relaxed) }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                .unavailable,
                "cannot edit the entry: the editor exited with status \(process.terminationStatus); nothing "
                    + "was changed")
        }
        return try RecordReader.text(Data(contentsOf: file), name: file.path)
    }
}
