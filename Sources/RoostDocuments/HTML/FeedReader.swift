import Foundation
import RoostModel

/// Reads feeds: RSS 2.0, RSS 1.0, Atom and JSON Feed. Each item becomes a document, whose key is the item's
/// id or link.
///
/// XML is parsed without external entities and without entities that the feed declares.
public struct FeedReader: DocumentReader {
    /// The type of feeds.
    public static let type = DocumentType(
        name: "feed", title: "Feed (RSS, Atom, JSON Feed)", extensions: ["rss", "atom", "rdf"],
        mediaTypes: [
            "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json",
        ])

    public let version = 3

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        let start = String(decoding: input.data.prefix(2048), as: UTF8.self)
        let isXML = ["<rss", "<rdf:RDF", "<feed"].contains { start.contains($0) } && start.contains("<?xml")
        return isXML || start.contains("https://jsonfeed.org/version/") ? Self.type : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        let isJSON = input.data.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "{")
        let feed = isJSON ? try JSONFeed.read(input.data) : try FeedXML.read(input.data)
        guard feed.items.count <= input.limits.maximumParts else {
            throw DocumentError.limitExceeded("it has more than \(input.limits.maximumParts) items")
        }
        var documents: [Document] = []
        for item in feed.items {
            try Task.checkCancellation()
            documents.append(document(of: item, in: feed, type, input))
        }
        guard !documents.isEmpty else { throw DocumentError.noText("it has no items") }
        return documents
    }

    private func document(
        of item: Feed.Item, in feed: Feed, _ type: DocumentType, _ input: DocumentInput
    ) -> Document {
        let base = Self.base(of: item, in: feed, path: input.path)
        let link = item.link.map { address in
            URL(string: address, relativeTo: base).flatMap { $0.scheme == nil ? nil : $0.absoluteString }
                ?? address
        }
        var document = Document(type: type, title: item.title, text: "")
        if item.isMarkup {
            let page = HTMLPage(Data(item.content.utf8), encodingName: "utf-8")
            let isStated = feed.base != nil || item.base != nil
            // All of an item is content, so no block is omitted.
            document.text = HTMLMarkdown.text(of: page.blocks, in: page)
            document.links = HTMLLinks.links(
                in: page.blocks, of: page,
                address: (isStated ? nil : link) ?? base?.absoluteString ?? input.path)
        } else {
            document.text = item.content
        }
        if document.text.isEmpty { document.text = item.title ?? link ?? "" }
        document.key = item.id ?? item.link ?? item.title
        document.tags = Self.tags(item.categories)
        let texts = ["author": item.author, "url": link, "site": feed.title, "language": feed.language]
        for (key, value) in texts {
            if let value, !value.isEmpty { document.metadata[key] = .string(String(value.prefix(2048))) }
        }
        document.createdAt = item.published.flatMap(DocumentDate.date)
        document.updatedAt = item.updated.flatMap(DocumentDate.date)
        if document.createdAt == nil { document.createdAt = document.updatedAt }
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
        return categories.prefix(100).map(HTMLMetadata.cleaned).filter {
            !$0.isEmpty && $0.count <= 60 && seen.insert($0.lowercased()).inserted
        }
    }
}
