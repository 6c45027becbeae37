import ArgumentParser
import Foundation
import Roost
import RoostServer

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add one text as an entry.",
        discussion: """
            Prints the beginning of the entry's id. If the store already contains the text, only the tags and metadata \
            are added.

            With --key, the text replaces that of an entry with this key. Other commands accept the key as a name of the entry.

            Examples:
              roost add "The swift is back above the roof." --tag birds
              roost add remember to order seeds --tag garden
              roost add "Interview notes" --meta year=2024 --meta lang=en
              roost add --key shopping milk, bread and tea
              pbpaste | roost add -
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

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
        let metadata = Dictionary(pairs.map { ($0.key, JSONValue.string($0.value)) }) { _, last in last }
        _ = try TextValues.metadata(metadata)
        let text =
            text == ["-"]
            ? try RecordReader.text(try StandardInput.readToEnd(), name: "standard input")
            : text.joined(separator: " ")
        guard !text.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot add the text: it is empty")
        }
        let store = try await options.openOrCreate()
        var input: [String: JSONValue] = [
            "text": .string(text), "tags": .array(tag.map { .string($0) }), "metadata": .object(metadata),
        ]
        input["key"] = key.map { .string($0) }
        let added: AddedDocument = try await options.run("remember", input, store)
        try await store.close()
        if output.json { return try Terminal.json(added) }
        Terminal.write(String(added.id.prefix(8)))
        guard !added.stored else { return }
        let entry = key.map { "the entry '\(Terminal.line($0, limit: 60))'" } ?? "the entry"
        options.note(
            added.updated == true ? "changed \(entry)" : "\(entry) has this text; nothing was changed")
    }
}
