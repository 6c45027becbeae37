import ArgumentParser
import Foundation
import Roost

struct Links: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the links of an entry.",
        discussion: """
            Links to notes are resolved as Obsidian does: by the name of the file, by its path, or by an \
            alias. `roost doctor --links` lists the broken links of all entries.

            Examples:
              roost links e2d8942a
              roost links e2d8942a --json
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var target: LinkedEntry
    @OptionGroup var output: RowOutputOptions

    func run() async throws {
        let store = try await options.open()
        let links = try await store.links(of: try await options.entryID(target.id, store))
        try await store.close()
        var writer = ListWriter(output.chosen, LinkText.columns)
        try writer.write(links.map(LinkText.row))
        writer.finish()
        if links.isEmpty { options.note("the entry has no links") }
    }
}

struct Backlinks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the entries that link to an entry.",
        discussion: """
            Examples:
              roost backlinks e2d8942a
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
        let found = try await store.backlinks(to: try await options.entryID(target.id, store))
        try await store.close()
        var writer = ListWriter(output.chosen, Self.columns)
        try writer.write(
            found.map { item in
                ListRow(
                    cells: [
                        item.id.text, Terminal.line(TextTitle.shortened(item.title ?? item.path ?? "")),
                        LinkText.text(of: item.link.link),
                    ],
                    document: Document(
                        id: item.id.text, title: item.title, path: item.path, link: LinkDocument(item.link)),
                    path: item.path)
            })
        writer.finish()
        if found.isEmpty { options.note("no entry links to this entry") }
    }
}
