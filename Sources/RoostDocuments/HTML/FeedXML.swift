import Foundation

/// Reads a feed in the formats RSS 2.0, RSS 1.0 and Atom.
struct FeedXML {
    private let parser: XMLPull
    private var feed = Feed()

    static func read(_ data: Data) throws -> Feed {
        var reader = FeedXML(parser: try XMLPull(xml: data) { Task.isCancelled })
        guard case .start(let root)? = try reader.firstElement() else {
            throw DocumentError.damaged("it is not valid XML")
        }
        switch root.name.lowercased() {
        case "feed":
            reader.feed.language = root["xml:lang"]
            reader.feed.base = root["xml:base"]
            try reader.readFeed()
        case "rss", "rdf": try reader.readRoot()
        default: throw DocumentError.unsupported("it is not a feed: its root element is '\(root.name)'")
        }
        if reader.feed.items.isEmpty, reader.parser.isDamaged {
            throw DocumentError.damaged("its XML is not well-formed")
        }
        return reader.feed
    }

    private func firstElement() throws -> XMLPull.Event? {
        while let event = try parser.next() {
            if case .start = event { return event }
        }
        return nil
    }

    /// Reads the root of RSS. In RSS 1.0, the items follow the channel; in RSS 2.0, the channel contains
    /// them.
    private mutating func readRoot() throws {
        var items: [Feed.Item] = []
        var channel = Feed()
        try parser.children { element in
            switch element.name {
            case "channel": channel = try Self.channel(parser)
            case "item": items.append(try Self.item(parser, element, id: element["rdf:about"]))
            default: break
            }
        }
        feed = channel
        feed.items += items
    }

    private static func channel(_ parser: XMLPull) throws -> Feed {
        var feed = Feed()
        try parser.children { element in
            switch element.name {
            case "title" where feed.title == nil: feed.title = try title(parser)
            case "link" where feed.link == nil && element["href"] == nil: feed.link = try cleanText(parser)
            case "language": feed.language = try cleanText(parser)
            case "item": feed.items.append(try item(parser, element))
            default: break
            }
        }
        return feed
    }

    private mutating func readFeed() throws {
        var feed = feed
        try parser.children { element in
            switch element.name {
            case "title": feed.title = try Self.title(parser)
            case "link" where (element["rel"] ?? "alternate") == "alternate": feed.link = element["href"]
            case "entry": feed.items.append(try Self.item(parser, element))
            default: break
            }
        }
        self.feed = feed
    }

    private static func item(
        _ parser: XMLPull, _ element: XMLPull.Element, id: String? = nil
    ) throws -> Feed.Item {
        var item = Feed.Item(id: id, base: element["xml:base"])
        var (summary, content): ((text: String, isMarkup: Bool)?, (text: String, isMarkup: Bool)?)
        try parser.children { element in
            switch element.name {
            case "id", "guid": item.id = try cleanText(parser)
            case "title": item.title = try title(parser)
            case "link":
                if let address = element["href"] {
                    if item.link == nil, (element["rel"] ?? "alternate") == "alternate" {
                        item.link = address
                    }
                } else {
                    item.link = try cleanText(parser)
                }
            case "author", "creator": item.author = try author(parser)
            case "pubDate", "published", "issued": item.published = try cleanText(parser)
            case "date": item.published = try item.published ?? cleanText(parser)
            case "updated", "modified": item.updated = try cleanText(parser)
            case "category": item.categories.append(try element["term"] ?? cleanText(parser))
            case "description", "summary": summary = try text(parser, element)
            case "content", "encoded": content = try text(parser, element)
            default: break
            }
        }
        // Some feeds have an empty content and a summary.
        let chosen = [content, summary].compactMap { $0 }.first { !$0.text.allSatisfy(\.isWhitespace) }
        (item.content, item.isMarkup) = chosen.map { ($0.text, $0.isMarkup) } ?? ("", false)
        return item
    }

    private static func title(_ parser: XMLPull) throws -> String {
        HTMLMetadata.cleaned(HTMLText.plain(try parser.text()))
    }

    private static func cleanText(_ parser: XMLPull) throws -> String {
        HTMLMetadata.cleaned(try parser.text())
    }

    /// Reads the name of an author: the text of the element, or of its child `name`.
    private static func author(_ parser: XMLPull) throws -> String {
        var name = ""
        var text = ""
        try parser.children { child in
            if child.name == "name" { name = try cleanText(parser) }
        } text: {
            text += $0
        }
        return name.isEmpty ? HTMLMetadata.cleaned(text) : name
    }

    /// Reads a content or summary. XHTML in Atom is markup in the XML itself.
    private static func text(_ parser: XMLPull, _ element: XMLPull.Element) throws -> (String, Bool) {
        let type = element["type"]?.lowercased()
        guard type == "xhtml" else { return (try parser.text(), type != "text" && type != "text/plain") }
        var markup = ""
        let base = parser.depth
        var open: [String] = []
        while let event = try parser.next() {
            switch event {
            case .start(let child):
                let address = child["href"].map { " href=\"\(HTMLText.escaped($0))\"" } ?? ""
                markup += "<\(child.name)\(address)>"
                open.append(child.name)
            case .end: if let name = open.popLast() { markup += "</\(name)>" }
            case .text(let text): markup += HTMLText.escaped(text)
            }
            if parser.depth < base { break }
        }
        return (markup, true)
    }
}
