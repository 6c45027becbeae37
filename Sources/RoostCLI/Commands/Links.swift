import ArgumentParser
import Foundation
import Roost

struct Links: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the links of an entry.",
        discussion: """
            Links to notes are resolved as Obsidian does: by the name of the file, by its path, or by an \
            alias. Exits with 1 if the entry has no links. `roost doctor --links` lists the broken links of \
            all entries.

            Examples:
              roost links e2d8942a
              roost links e2d8942a --json
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var target: LinkOptions

    func run() async throws {
        let store = try await options.open()
        let links = try await store.links(of: try await options.entryID(target.id, store))
        try await store.close()
        if target.json {
            try Terminal.json(links.map(LinkDocument.init))
        } else {
            for link in links { Terminal.write(LinkText.line(link)) }
        }
        if links.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }
}

struct Backlinks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the entries that link to an entry.",
        discussion: """
            Exits with 1 if no entry links to it.

            Examples:
              roost backlinks e2d8942a
              roost backlinks e2d8942a --json
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var target: LinkOptions

    /// The JSON output for an entry that links to another one.
    private struct Document: Encodable {
        var id: String
        var title: String?
        var path: String?
        var link: LinkDocument
    }

    func run() async throws {
        let store = try await options.open()
        let found = try await store.backlinks(to: try await options.entryID(target.id, store))
        try await store.close()
        if target.json {
            try Terminal.json(
                found.map {
                    Document(
                        id: $0.id.text, title: $0.title, path: $0.path, link: LinkDocument($0.link))
                })
        } else {
            for item in found {
                let title = item.title ?? item.path ?? ""
                Terminal.write(
                    Terminal.dim(String(item.id.text.prefix(8))) + "  "
                        + Terminal.line(TextTitle.shortened(title))
                        + Terminal.dim("  \(LinkText.text(of: item.link.link))"))
            }
        }
        if found.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }
}
