import Foundation
import Roost
import RoostDocuments

/// The text output for links.
enum LinkText {
    /// Returns a link as it is written in Markdown.
    static func text(of link: DocumentLink) -> String {
        let target = link.target + (link.fragment.map { "#\($0)" } ?? "")
        return switch link.kind {
        case .wiki: "[[\(Terminal.line(target))]]"
        case .embed: "![[\(Terminal.line(target))]]"
        case .address: Terminal.line(target)
        }
    }

    /// The columns of a list of links.
    static let columns = [
        TableColumn(name: "target", style: .dim, shownLength: 8), TableColumn(name: "link", isFlexible: true),
    ]

    /// Returns the line of a link, without a table around it.
    static func line(_ link: EntryLink) -> String {
        let cells = row(link).cells
        let destination = String(cells[0].prefix(8)).padding(toLength: 8, withPad: " ", startingAt: 0)
        return Terminal.dim(destination) + "  " + cells[1]
    }

    /// Returns the row of a link: the id of its entry, or the kind of its target, and the link.
    static func row(_ link: EntryLink) -> ListRow {
        let destination =
            switch link.destination {
            case .entry(let id): id.text
            case .external: "web"
            case .file: "file"
            case .missing: "missing"
            }
        return ListRow(cells: [destination, text(of: link.link)], document: LinkDocument(link))
    }
}
