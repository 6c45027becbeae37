import ArgumentParser
import Foundation
import Roost
import Synchronization

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the text, title or metadata of an entry.",
        discussion: """
            Opens the text in $VISUAL or $EDITOR, unless you give the new text, which needs no quotes, or \
            only change the title or the metadata. All changes are made in one step. A new text is embedded \
            at once. The file that the entry came from is not changed; when it changes, its title and \
            metadata replace yours. If you name a file, it must have exactly one entry. `roost tag` changes \
            the tags.

            \(StoreOptions.entryRule)

            Examples:
              roost edit e2d8942a
              roost edit e2d8942a The hedge is cut in autumn.
              roost edit e2d8942a --text - < new.txt
              roost edit e2d8942a --title "Autumn work" --meta status=done --unset due
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

    @Option(name: .long, help: "The new title; the same as --meta title=TITLE.")
    var title: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Set a value of the metadata, in place of the one with this key; repeatable.",
            valueName: "key=value"))
    var meta: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Remove a value of the metadata, such as title; repeatable.", valueName: "key"),
        completion: DynamicCompletion.metadataKeys)
    var unset: [String] = []

    func validate() throws {
        guard words.isEmpty || text == nil else {
            throw ValidationError("give the new text as arguments or with --text, not both")
        }
    }

    /// The changes of the metadata.
    ///
    /// - Throws: ``CommandError`` if a key is given twice, or the changes would mark the entry as a message.
    private func metadataChanges() throws -> [String: MetadataValue] {
        var changes: [String: MetadataValue] = [:]
        var list = try KeyValue.parse(meta, option: "--meta").map { ($0.key, MetadataValue.string($0.value)) }
        if let title { list.append((DocumentKey.title, .string(title))) }
        list += unset.map { ($0, .null) }
        for (key, value) in list {
            guard changes.updateValue(value, forKey: key) == nil else {
                throw CommandError(
                    .usage, "the key '\(Terminal.line(key, limit: 40))' is given more than once")
            }
        }
        guard !changes.contains(where: DocumentKey.marksMessage) else {
            throw CommandError(
                .usage,
                "--meta \(DocumentKey.kind)=\(DocumentKey.messageKind) marks messages of conversations; use "
                    + "another key or value")
        }
        return changes
    }

    func run() async throws {
        let store = try await options.open()
        let id = try await options.namedEntry(id, store)
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "no entry has the id \(id.text)")
        }
        let revision = try await snapshot.revisions(of: [id])[id]
        var changes = EntryChanges(metadata: try metadataChanges())
        // Its metadata determines the conversation of a message, and its place and author there.
        guard changes.metadata.isEmpty || !entry.metadata.contains(where: DocumentKey.marksMessage) else {
            throw CommandError(
                .usage, "cannot change the metadata of the entry: it is the message of a conversation")
        }
        let hasText = text != nil || !words.isEmpty || changes.metadata.isEmpty
        changes.content = hasText ? try newText(entry.content) : nil
        let changed = try await store.update(id, changes, expecting: revision)
        report(entry, changed)
        try await store.close()
    }

    /// Reports whether the entry has changed, and whether the next ingest can replace the changes.
    private func report(_ old: Entry, _ new: Entry) {
        guard old != new else {
            let subject = meta.isEmpty && unset.isEmpty && title == nil ? "text" : "entry"
            return options.note("the \(subject) is unchanged")
        }
        guard old.source?.hasPrefix("file:") == true else { return }
        let isNewText = !old.content.utf8.elementsEqual(new.content.utf8)
        options.note(
            "the file \(old.displayPath) \(isNewText ? "still has the old text" : "was not changed"); if you "
                + "change the file, the next ingest replaces this edit")
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
