import Roost

struct LinkDocument: Encodable {
    /// `to` for a link of the entry, `from` for the link of another entry to it.
    var direction: String
    var kind: String
    var target: String
    var fragment: String?
    var text: String?
    /// `entry`, `external`, `file` or `missing`.
    var destination: String
    /// The id of the entry at the other end; `nil` for other destinations.
    var entry: String?
    /// The title and the path of the entry from which the link leads here.
    var title: String?
    var path: String?

    private init(_ link: DocumentLink, direction: String, destination: String) {
        (self.direction, self.destination) = (direction, destination)
        (kind, target) = (link.kind.rawValue, link.target)
        (fragment, text) = (link.fragment, link.text)
    }

    init(_ link: EntryLink) {
        switch link.destination {
        case .entry(let id):
            self.init(link.link, direction: "to", destination: "entry")
            entry = id.text
        case .external: self.init(link.link, direction: "to", destination: "external")
        case .file: self.init(link.link, direction: "to", destination: "file")
        case .missing: self.init(link.link, direction: "to", destination: "missing")
        }
    }

    init(_ item: LinkedEntry) {
        self.init(item.link.link, direction: "from", destination: "entry")
        (entry, title, path) = (item.id.text, item.title, item.path)
    }

    /// The link as it is written in Markdown.
    var written: String { Self.written(kind, target, fragment) }

    static func written(_ link: DocumentLink) -> String {
        written(link.kind.rawValue, link.target, link.fragment)
    }

    private static func written(_ kind: String, _ target: String, _ fragment: String?) -> String {
        let target = Terminal.line(target + (fragment.map { "#\($0)" } ?? ""))
        return switch kind {
        case DocumentLink.Kind.wiki.rawValue: "[[\(target)]]"
        case DocumentLink.Kind.embed.rawValue: "![[\(target)]]"
        default: target
        }
    }
}
