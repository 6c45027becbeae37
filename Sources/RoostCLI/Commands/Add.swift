import ArgumentParser
import Foundation
import Roost

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add one text as an entry.",
        discussion: """
            Prints the entry's id. If the store already contains the text, only the tags and metadata \
            are added.

            With --key, the text replaces that of the entry with this key, if there is one. Other commands \
            accept the key as a name of the entry.

            Examples:
              roost add "The swift is back above the roof." --tag birds
              roost add remember to order seeds --tag garden
              roost add "Interview notes" --meta year=2024 --meta lang=en
              roost add --key shopping milk, bread and tea
              pbpaste | roost add -
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The text, or - for standard input. Several words need no quotes.")
    var text: [String]

    @Option(
        name: .long, help: "Add a tag to the entry; repeatable.",
        transform: TagArgument.tag)
    var tag: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("Add metadata to the entry; repeatable.", valueName: "key=value"))
    var meta: [String] = []

    @Option(name: .long, help: "A name for the entry; an existing entry with this name gets the text.")
    var key: String?

    func validate() throws { try TagArgument.check(tag) }

    func run() async throws {
        let pairs = try KeyValue.parse(meta, option: "--meta")
        let metadata = Dictionary(pairs.map { ($0.key, MetadataValue.string($0.value)) }) { _, last in last }
        // Agents would not find the entry, because they search for messages separately.
        guard !metadata.contains(where: DocumentKey.marksMessage) else {
            throw CommandError(
                .usage,
                "--meta \(DocumentKey.kind)=\(DocumentKey.messageKind) marks messages of conversations; use "
                    + "another key or value")
        }
        let text =
            text == ["-"]
            ? try RecordReader.text(try StandardInput.readToEnd(), name: "standard input")
            : text.joined(separator: " ")
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot add the text: it is empty")
        }
        let store = try await options.openOrCreate()
        let before = try await store.storage.snapshot().stamp.revision
        let added =
            if let key {
                try await store.add(text, key: key, tags: tag, metadata: metadata)
            } else {
                try await store.add(text, tags: tag, metadata: metadata)
            }
        let isChanged = try await store.storage.snapshot().stamp.revision > before
        try await store.close()
        Terminal.write(added.id.text)
        if !added.isNew, let key {
            let name = Terminal.line(key, limit: 60)
            options.note(
                isChanged
                    ? "changed the entry '\(name)'"
                    : "the entry '\(name)' has this text; nothing was changed")
        } else if !added.isNew {
            options.note(
                "the store already contains this text; "
                    + (isChanged ? "the tags and metadata were added to the entry" : "nothing was changed"))
        }
    }
}
