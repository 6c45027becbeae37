import ArgumentParser
import Roost

struct Backlinks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backlinks", abstract: "List the entries that link to an entry.",
        discussion: """
            \(StoreOptions.entryRule)

            Examples:
              roost backlinks e2d8942a
              roost backlinks notes/birds.md
              roost backlinks e2d8942a --format paths
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var target: LinkedEntry
    @OptionGroup var output: ListOutputOptions

    /// The JSON output for an entry that links to another one.
    private struct Document: Encodable {
        var id: String
        var title: String?
        var path: String?
        var link: LinkDocument
    }

    private static let columns = [
        EntryRow.idColumn, TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "link", style: .dim, isFlexible: true),
    ]

    func run() async throws {
        let store = try await options.open()
        var found: [Roost.LinkedEntry] = []
        for id in try await options.namedEntries(target.id, store).ids {
            found += try await store.backlinks(to: id)
        }
        try await store.close()
        var writer = ListWriter(output, Self.columns)
        try writer.write(
            found.map { item in
                ListRow(
                    cells: [
                        item.id.text, Terminal.line(item.title ?? item.path ?? "", limit: .max),
                        LinkText.text(of: item.link.link),
                    ],
                    document: Document(
                        id: item.id.text, title: item.title, path: item.path, link: LinkDocument(item.link)),
                    path: item.path)
            })
        writer.finish(options)
        if found.isEmpty { options.note("no entry links to this entry") }
    }
}
