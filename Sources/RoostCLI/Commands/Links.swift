import ArgumentParser
import Roost

struct Links: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links", abstract: "List the links of an entry.",
        discussion: """
            Links to notes are resolved as Obsidian does: by the name of the file, by its path, or by an \
            alias. `roost doctor --links` lists the broken links of all entries.

            \(StoreOptions.entryRule)

            Examples:
              roost links e2d8942a
              roost links notes/birds.md
              roost links e2d8942a --json
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var target: LinkedEntry
    @OptionGroup var output: RowOutputOptions

    func run() async throws {
        let store = try await options.open()
        var links: [EntryLink] = []
        for id in try await options.namedEntries(target.id, store).ids {
            links += try await store.links(of: id)
        }
        try await store.close()
        var writer = ListWriter(output, LinkText.columns)
        try writer.write(links.map(LinkText.row))
        writer.finish(options)
        if links.isEmpty { options.note("the entry has no links") }
    }
}
