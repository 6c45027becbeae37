import Foundation
import Roost
import RoostDocuments

/// The JSON output for a link.
struct LinkDocument: Encodable {
    var kind: String
    var target: String
    var fragment: String?
    var text: String?
    /// `entry`, `external`, `file` or `missing`.
    var destination: String
    /// The id of the entry to which the link leads; `nil` for other destinations.
    var entry: String?

    init(_ link: EntryLink) {
        kind = link.link.kind.rawValue
        target = link.link.target
        fragment = link.link.fragment
        text = link.link.text
        switch link.destination {
        case .entry(let id): (destination, entry) = ("entry", id.text)
        case .external: destination = "external"
        case .file: destination = "file"
        case .missing: destination = "missing"
        }
    }
}

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

    /// Returns the line of a link: the id of its entry, or the kind of its target, and the link.
    static func line(_ link: EntryLink) -> String {
        let destination =
            switch link.destination {
            case .entry(let id): String(id.text.prefix(8))
            case .external: "web"
            case .file: "file"
            case .missing: "missing"
            }
        return Terminal.dim(destination.padding(toLength: 8, withPad: " ", startingAt: 0)) + "  "
            + text(of: link.link)
    }
}
