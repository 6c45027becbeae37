import ArgumentParser
import Foundation
import Roost
import Synchronization

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the text of an entry.",
        discussion: """
            Opens the text in $VISUAL or $EDITOR, unless you give the new text, which needs no quotes. The \
            new text is embedded at once. The file that the entry came from is not changed. If you name a \
            file, it must have exactly one entry.

            \(StoreOptions.entryRule)

            Examples:
              roost edit e2d8942a
              roost edit e2d8942a The hedge is cut in autumn.
              roost edit e2d8942a --text - < new.txt
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"),
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
        let id = try await options.namedEntry(id, store)
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "no entry has the id \(id.text)")
        }
        let revision = try await snapshot.revisions(of: [id])[id]
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
        guard let editor = EditorCommand.configuredEditor else {
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
        // $EDITOR may contain options, so a shell splits it. The file is a separate argument: its name
        // never becomes part of the script.
        let arguments = ["/bin/sh", "-c", "exec \(editor) \"$1\"", "sh", file.path]
        Interruption.isIgnored.store(true, ordering: .relaxed)
        defer { Interruption.isIgnored.store(false, ordering: .relaxed) }
        guard let process = ForegroundProcess.start(arguments, ProcessInfo.processInfo.environment) else {
            throw CommandError(.unavailable, "cannot edit the entry: the editor cannot be started")
        }
        let status = ForegroundProcess.status(of: process)
        guard status == 0 else {
            throw CommandError(
                .unavailable,
                "cannot edit the entry: the editor exited with status \(status); nothing was changed")
        }
        return try RecordReader.text(Data(contentsOf: file), name: file.path)
    }
}
