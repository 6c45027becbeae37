import ArgumentParser
import Foundation
import Roost
import RoostFiles
import RoostServer
import Synchronization

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the text, title, metadata or tags of entries.",
        discussion: """
            Opens the text in $VISUAL or $EDITOR, unless an option gives the changes. A new text is embedded \
            at once. The text of an entry from a file is edited in the file itself, which is ingested again. \
            Your title, metadata and tags stay when the file changes.

            Only tags can be changed for several entries, which ids or files name, or options such as \
            --source, --where and --tag select. Case does not matter: on an entry with the tag Birds, \
            --add-tag birds changes nothing, and --remove-tag birds removes Birds. Tags that are nested in a \
            removed tag, such as birds/swifts, stay.

            \(StoreOptions.entryRule)

            Examples:
              roost edit e2d8942a
              roost edit e2d8942a --text - < new.txt
              roost edit e2d8942a --title "Autumn work" --meta status=done --unset due
              roost edit --tag draft --where status=done --add-tag final --remove-tag draft
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions

    @Argument(help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"))
    var items: [String] = []

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
        help: ArgumentHelp("Remove a value of the metadata, such as title; repeatable.", valueName: "key"))
    var unset: [String] = []

    @Option(name: .long, help: "Add a tag; repeatable.", transform: TagArgument.tag)
    var addTag: [String] = []

    @Option(
        name: .long, help: "Remove a tag; repeatable. A tag that a file states returns with its next change.",
        transform: TagArgument.tag)
    var removeTag: [String] = []

    @Flag(name: .long, help: "Print the changed entries as JSON.")
    var json = false

    private var changesContents: Bool {
        text != nil || title != nil || !meta.isEmpty || !unset.isEmpty || addTag.isEmpty && removeTag.isEmpty
    }

    func validate() throws {
        guard items.isEmpty != filters.isEmpty else {
            throw ValidationError(
                "give either ids of entries or options that select entries, such as --source")
        }
        guard !changesContents || items.count == 1 else {
            throw ValidationError("only --add-tag and --remove-tag can change several entries")
        }
        try TagArgument.check(addTag, name: "--add-tag")
    }

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
        return try TextValues.metadata(changes)
    }

    func run() async throws {
        let store = try await options.open()
        if changesContents {
            try await changeContents(store)
        } else {
            try await changeTags(store)
        }
        try await store.close()
    }

    private func changeTags(_ store: KnowledgeStore) async throws {
        var ids: [Entry.ID] = []
        for item in items { ids += try await options.namedEntries(item, store).ids }
        if !filters.isEmpty {
            // The entries are selected before the first change, which can change whether they match.
            let filter = try await filters.filter(options, store)
            let snapshot = try await store.storage.snapshot()
            ids += try await snapshot.ids(matching: filter)
            if ids.isEmpty { throw RoostError(.notFound, "no tag was changed: " + filters.missReason) }
        }
        let all = Count.text(ids.count, "entry", "entries")
        for tag in addTag {
            let count = try await store.update(ids, EntryChanges(addedTags: [tag]))
            options.note("added \(Terminal.line(tag, limit: 60)) to \(count) of \(all)")
        }
        for tag in removeTag {
            let count = try await store.update(ids, EntryChanges(removedTags: [tag]))
            options.note("removed \(Terminal.line(tag, limit: 60)) from \(count) of \(all)")
        }
        try await writeJSON(of: ids, store)
    }

    private func writeJSON(of ids: [Entry.ID], _ store: KnowledgeStore) async throws {
        guard json else { return }
        let snapshot = try await store.storage.snapshot()
        let documents = try await EntryDocument.documents(
            of: snapshot.entries(ids), in: snapshot, withTexts: false)
        if documents.count == 1 { try Terminal.json(documents[0]) } else { try Terminal.json(documents) }
    }

    private func changeContents(_ store: KnowledgeStore) async throws {
        let id = try await options.namedEntry(items[0], store)
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "no entry has the id \(id.text)")
        }
        let revision = try await snapshot.revisions(of: [id])[id]
        var changes = EntryChanges(
            addedTags: Set(addTag), removedTags: Set(removeTag), metadata: try metadataChanges())
        // Its metadata determines the conversation of a message, and its place and author there.
        guard changes.metadata.isEmpty || !entry.metadata.contains(where: DocumentKey.marksMessage) else {
            throw CommandError(
                .usage, "cannot change the metadata of the entry: it is the message of a conversation")
        }
        if text != nil || changes == EntryChanges() {
            if let path = entry.sourcePath {
                guard FileManager.default.fileExists(atPath: path) else {
                    throw CommandError(
                        .noInput,
                        "cannot edit the text of the entry: its file \(Terminal.line(path, limit: 400)) is missing, so "
                            + "the next `roost sync` removes the entry; `roost add` stores a text without a file"
                    )
                }
                try await edit(URL(fileURLWithPath: path), store)
                return try await writeJSON(of: [id], store)
            }
            changes.content = try newText(entry.content)
        }
        if entry == (try await store.update(id, changes, expecting: revision)) {
            let subject = meta.isEmpty && unset.isEmpty && title == nil ? "text" : "entry"
            options.note("the \(subject) is unchanged")
        }
        try await writeJSON(of: [id], store)
    }

    /// Opens the file of an entry in the editor and ingests it again. A changed copy in the store would be
    /// replaced as soon as the file changes.
    private func edit(_ file: URL, _ store: KnowledgeStore) async throws {
        let path = Terminal.line(file.path, limit: 400)
        let advice = "change the file, then run `roost ingest '\(path)'`"
        guard text == nil else {
            throw CommandError(
                .usage, "cannot replace the text of the entry: it is in the file \(path); \(advice)")
        }
        try options.requireTrust(in: [SyncedFolder(file.deletingLastPathComponent())])
        let old = try Data(contentsOf: file)
        guard (try? RecordReader.text(old, name: file.path)) != nil else {
            throw CommandError(
                .usage, "cannot edit the entry: the file \(path) is not a text in UTF-8; \(advice)")
        }
        try openInEditor(file)
        guard try Data(contentsOf: file) != old else { return options.note("the text is unchanged") }
        let report = try await store.folders.ingest(file: file)
        SyncText.showSkipped(report, options)
        guard report.skipped.isEmpty else { throw ExitCode(ExitStatus.badData.rawValue) }
        await options.refreshIndex(of: store)
        options.note("\(path) was changed and ingested; `roost undo` does not change the file")
    }

    private func newText(_ old: String) throws -> String {
        if let text {
            guard text == "-" else { return text }
            return try RecordReader.text(
                try StandardInput.readToEnd(), name: "standard input")
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-\(UUID().uuidString).md")
        defer { try? FileManager.default.removeItem(at: file) }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(old.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.cannotCreate, "cannot write the temporary file \(file.path)") }
        try openInEditor(file)
        return try RecordReader.text(Data(contentsOf: file), name: file.path)
    }

    private func openInEditor(_ file: URL) throws {
        let environment = ProcessInfo.processInfo.environment
        let editors = ["VISUAL", "EDITOR"].compactMap { environment[$0] }
        guard let editor = editors.first(where: { !$0.isEmpty }) else {
            throw CommandError(
                .usage,
                "cannot edit the entry: no editor is configured; set $EDITOR, or give the text with --text")
        }
        // $EDITOR may contain options, so a shell splits it. The file is a separate argument: its name
        // never becomes part of the script.
        let arguments = ["/bin/sh", "-c", "exec \(editor) \"$1\"", "sh", file.path]
        Interruption.isIgnored.store(true, ordering: .relaxed)
        defer { Interruption.isIgnored.store(false, ordering: .relaxed) }
        guard let process = try? ChildProcess.start(arguments, environment: environment) else {
            throw CommandError(.unavailable, "cannot edit the entry: the editor cannot be started")
        }
        let status = ChildProcess.wait(for: process)
        guard status == 0 else {
            throw CommandError(
                .unavailable,
                "cannot edit the entry: the editor exited with status \(status); the store was not changed")
        }
    }
}
