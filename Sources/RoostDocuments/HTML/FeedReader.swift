import Foundation
import RoostModel

/// Reads feeds: RSS 2.0, RSS 1.0 and Atom. Each item becomes a document, whose key is the item's id or link.
///
/// XML is parsed without external entities and without entities that the feed declares.
public struct FeedReader: DocumentReader {
    /// The type of feeds.
    public static let type = DocumentType(
        name: "feed", title: "Feed (RSS, Atom)", extensions: ["rss", "atom", "rdf"],
        mediaTypes: ["application/rss+xml", "application/atom+xml", "application/rdf+xml"])

    public let version = 4

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        let feed = try FeedXML.read(input.data)
        guard feed.items.count <= input.limits.maximumParts else {
            throw DocumentError.limitExceeded("it has more than \(input.limits.maximumParts) items")
        }
        guard !feed.items.isEmpty else { throw DocumentError.noText("it has no items") }
        var contents = DocumentContents([], isComplete: !feed.isDamaged)
        for item in feed.items {
            try Task.checkCancellation()
            contents.documents.append(document(of: item, in: feed, input))
        }
        if feed.isDamaged {
            contents.faults = [
                .init(position: "after item \(feed.items.count)", reason: "its XML is not well-formed")
            ]
        }
        return contents
    }

    private func document(
        of item: Feed.Item, in feed: Feed, _ input: DocumentInput
    ) -> Document {
        let base = Self.base(of: item, in: feed, path: input.path)
        let link = item.link.map { address in
            URL(string: address, relativeTo: base).flatMap { $0.scheme == nil ? nil : $0.absoluteString }
                ?? address
        }
        var document = Document(title: item.title, text: item.content?.text ?? "")
        if let page = item.content?.page {
            (document.text, document.links) = page.content(address: base?.absoluteString ?? input.path)
        }
        if document.text.isEmpty { document.text = item.title ?? link ?? "" }
        document.key = item.id ?? item.link ?? item.title
        document.tags = Self.tags(item.categories)
        let texts = ["author": item.author, "url": link, "site": feed.title, "language": feed.language]
        for (key, value) in texts {
            if let value, !value.isEmpty { document.metadata[key] = .string(String(value.prefix(2048))) }
        }
        document.updatedAt = item.updated.flatMap(Date.init(written:))
        document.createdAt = item.published.flatMap(Date.init(written:)) ?? document.updatedAt
        return document
    }

    /// Returns the address against which relative addresses are resolved (RFC 3986, section 5; XML Base):
    /// that of the item, of the feed, the page of the feed, or the feed itself, of which each can be relative
    /// to the next one.
    private static func base(of item: Feed.Item, in feed: Feed, path: String) -> URL? {
        let isWeb = path.hasPrefix("https://") || path.hasPrefix("http://")
        return [isWeb ? path : nil, feed.link, feed.base, item.base].compactMap(\.self).reduce(nil as URL?) {
            URL(string: $1.trimmingCharacters(in: .whitespaces), relativeTo: $0) ?? $0
        }
    }

    /// Returns the categories of an item as tags: without white space around them, and without duplicates.
    private static func tags(_ categories: [String]) -> [String] {
        var seen: Set<String> = []
        return categories.prefix(100).filter {
            !$0.isEmpty && $0.count <= 60 && seen.insert($0.lowercased()).inserted
        }
    }
}

private struct Feed {
    struct Item {
        var id: String?
        var link: String?
        /// The base of relative addresses in the item (`xml:base`); `nil` if it is that of the feed.
        var base: String?
        var title: String?
        var author: String?
        var published: String?
        var updated: String?
        var categories: [String] = []
        /// The content, or the summary if there is no content.
        var content: Content?
    }

    /// A text, or a part of a page.
    struct Content {
        var text = ""
        var page: HTMLPage?

        var isEmpty: Bool { page?.blocks.isEmpty ?? text.allSatisfy(\.isWhitespace) }
    }

    var title: String?
    var link: String?
    /// The base of relative addresses in the feed (`xml:base`); `nil` if it does not state one.
    var base: String?
    var language: String?
    var items: [Item] = []
    /// Whether its XML ends with a fault, in or after the last item.
    var isDamaged = false
}

/// Reads the elements of RSS and Atom. The names of their elements differ, except for those with the same
/// meaning.
private struct FeedXML {
    private let parser: XMLPull
    private var feed = Feed()

    static func read(_ data: Data) throws -> Feed {
        var reader = FeedXML(parser: try XMLPull(xml: data) { Task.isCancelled })
        var root: String?
        try reader.parser.children { element in
            root = element.name
            guard ["feed", "rss", "rdf"].contains(element.name.lowercased()) else { return }
            reader.feed.language = element["xml:lang"]
            reader.feed.base = element["xml:base"]
            try reader.readFeed()
        }
        guard let root else { throw DocumentError.damaged("it is not valid XML") }
        if reader.feed.items.isEmpty {
            throw reader.parser.isDamaged
                ? DocumentError.damaged("its XML is not well-formed")
                : DocumentError.noText("it has no items; its root element is '\(root)'")
        }
        reader.feed.isDamaged = reader.parser.isDamaged
        return reader.feed
    }

    /// Reads the children of the root or of a channel. In RSS 1.0, the items follow the channel; in RSS 2.0,
    /// the channel contains them.
    private mutating func readFeed() throws {
        try parser.children { element in
            switch element.name {
            case "channel": try readFeed()
            case "title" where feed.title == nil: feed.title = try title()
            case "link" where feed.link == nil: feed.link = try link(element)
            case "language": feed.language = try cleanText()
            case "item", "entry":
                let depth = parser.depth
                let item = try item(element)
                // The text of an item that does not end is incomplete.
                guard parser.depth < depth else { break }
                if item.id ?? item.link ?? item.title != nil || item.content != nil {
                    feed.items.append(item)
                }
            default: break
            }
        }
    }

    private func item(_ element: XMLPull.Element) throws -> Feed.Item {
        var item = Feed.Item(id: element["rdf:about"], base: element["xml:base"])
        var (summary, content): (Feed.Content?, Feed.Content?)
        try parser.children { element in
            switch element.name {
            case "id", "guid": item.id = try cleanText()
            case "title": item.title = try title()
            case "link" where item.link == nil: item.link = try link(element)
            case "author", "creator": item.author = try author()
            case "pubDate", "published", "issued": item.published = try cleanText()
            case "date": item.published = try item.published ?? cleanText()
            case "updated", "modified": item.updated = try cleanText()
            case "category":
                item.categories.append(try element["term"].map(HTMLMetadata.cleaned) ?? cleanText())
            case "description", "summary": summary = try text(element)
            case "content", "encoded": content = try text(element)
            default: break
            }
        }
        // Some feeds have an empty content and a summary.
        item.content = [content, summary].compactMap { $0 }.first { !$0.isEmpty }
        return item
    }

    /// Returns the address in a link: its text in RSS, and an attribute in Atom, which also has other links.
    private func link(_ element: XMLPull.Element) throws -> String? {
        guard let address = element["href"] else { return try cleanText() }
        return (element["rel"] ?? "alternate") == "alternate" ? address : nil
    }

    private func title() throws -> String { HTMLMetadata.cleaned(HTMLText.plain(try parser.text())) }

    private func cleanText() throws -> String { HTMLMetadata.cleaned(try parser.text()) }

    /// Reads the name of an author: the text of the element, or of its child `name`.
    private func author() throws -> String {
        var (name, text) = ("", "")
        try parser.children {
            if $0.name == "name" { name = try cleanText() }
        } text: {
            text += $0
        }
        return name.isEmpty ? HTMLMetadata.cleaned(text) : name
    }

    /// Reads a content or summary. XHTML in Atom is markup in the XML itself.
    private func text(_ element: XMLPull.Element) throws -> Feed.Content {
        switch element["type"]?.lowercased() {
        case "xhtml":
            let tree = try HTMLTree(parser, maximumDepth: DocumentLimits().maximumDepth)
            return Feed.Content(page: HTMLPage(tree))
        case "text", "text/plain": return Feed.Content(text: try parser.text())
        default:
            return Feed.Content(page: HTMLPage(Data(try parser.text().utf8), encodingName: "utf-8"))
        }
    }
}
