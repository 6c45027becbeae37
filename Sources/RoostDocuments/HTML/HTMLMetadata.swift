import Foundation
import RoostModel

/// The statements of a page about itself, from its JSON-LD, Open Graph and the other elements of its `head`.
struct HTMLMetadata: Sendable {
    private(set) var title: String?
    /// The text of the element `title`, which browsers show as the title of the window.
    private(set) var windowTitle = ""
    private(set) var author: String?
    private(set) var siteName: String?
    private(set) var summary: String?
    /// The language as a BCP 47 tag.
    private(set) var language: String?
    /// The preferred address of the page.
    private(set) var address: String?
    private(set) var publishedAt: Date?
    private(set) var modifiedAt: Date?
    private(set) var keywords: [String] = []

    /// The maximum number of main headings that are compared with the stated title.
    private static let maximumHeadings = 100
    /// The maximum numbers of characters of a title and of a name, and of bytes of a heading.
    private static let (maximumTitleLength, maximumNameLength, maximumHeadingBytes) = (1000, 100, 8192)
    /// The separators between the title of a page and the name of its site.
    private static let separators = [" | ", " – ", " — ", " - ", " :: ", " · ", " • ", " » ", " « "]

    init(_ tree: HTMLTree) {
        var meta: [String: String] = [:]
        for node in tree.nodes {
            if node.tag == "meta", let content = node.attribute("content") {
                let name =
                    node.attribute("property") ?? node.attribute("name") ?? node.attribute("itemprop")
                    ?? node.attribute("http-equiv")
                let text = Self.cleaned(content)
                if let name = name?.lowercased(), meta[name] == nil, !text.isEmpty { meta[name] = text }
            } else if node.tag == "link", node.attribute("rel")?.lowercased() == "canonical" {
                address = address ?? node.attribute("href")
            }
        }
        let data = StructuredData(tree)
        siteName = meta["og:site_name"] ?? meta["application-name"]
        summary = meta["og:description"] ?? meta["description"] ?? meta["twitter:description"]
        address = address ?? meta["og:url"]
        let tag = tree.nodes.first { $0.tag == "html" }?.attribute("lang") ?? meta["content-language"]
        language = tag.flatMap { $0.wholeMatch(of: /[A-Za-z0-9-]{2,35}/) == nil ? nil : $0 }
        keywords = (meta["keywords"] ?? "").split(separator: ",").map { Self.cleaned(String($0)) }
            .filter { !$0.isEmpty }
        author = [data.author, meta["author"], meta["article:author"], meta["dc.creator"]]
            .compactMap(\.self).first(where: Self.isName)
        publishedAt = Self.date([
            data.published, meta["article:published_time"], meta["datepublished"], meta["date"],
            meta["dc.date"], meta["dcterms.created"],
        ])
        modifiedAt = Self.date([
            data.modified, meta["article:modified_time"], meta["og:updated_time"], meta["datemodified"],
            meta["last-modified"], meta["dcterms.modified"],
        ])
        title = title(tree, stated: meta["og:title"] ?? meta["twitter:title"]) ?? data.headline
    }

    /// Returns a text with single spaces.
    static func cleaned(_ text: String) -> String {
        var result = CollapsedText()
        result.append(text)
        return result.text
    }

    private static func date(_ texts: [String?]) -> Date? {
        texts.lazy.compactMap { $0.flatMap(DocumentDate.date) }.first
    }

    /// Returns whether a text can be a name: some pages state an address in place of it.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.count <= maximumNameLength && !text.contains("://")
    }

    // MARK: Title

    private mutating func title(_ tree: HTMLTree, stated: String?) -> String? {
        let window = tree.nodes.indices.first {
            tree.nodes[$0].tag == "title" && tree.nodes[max(0, tree.nodes[$0].parent)].tag != "svg"
        }
        windowTitle = window.map { tree.text(of: $0) } ?? ""
        let stated = String((stated ?? windowTitle).prefix(Self.maximumTitleLength))
        // Documentation shows a sign with a link to the heading after it.
        let signs = CharacterSet(charactersIn: "¶§#").union(.whitespaces)
        let headings = tree.nodes.indices.lazy.filter { tree.nodes[$0].tag == "h1" }
            .prefix(Self.maximumHeadings)
            .map {
                tree.text(of: $0, maximumBytes: Self.maximumHeadingBytes).trimmingCharacters(in: signs)
            }
            .filter { !$0.isEmpty }
        // A heading that the stated title contains is the title without the name of the site.
        let matching = headings.filter {
            $0.count * 3 >= stated.count && stated.localizedCaseInsensitiveContains($0)
        }
        if let heading = matching.max(by: { $0.count < $1.count }) { return heading }
        let short = Self.withoutSiteName(stated, siteName: siteName)
        return short.isEmpty ? headings.first : short
    }

    /// Removes the name of a site from the end or the beginning of a title.
    static func withoutSiteName(_ title: String, siteName: String?) -> String {
        if let siteName, !siteName.isEmpty {
            for separator in separators + [": "] {
                if title.hasSuffix(separator + siteName) {
                    return String(title.dropLast(separator.count + siteName.count))
                }
                if title.hasPrefix(siteName + separator) {
                    return String(title.dropFirst(separator.count + siteName.count))
                }
            }
        }
        for separator in separators {
            guard let range = title.range(of: separator, options: .backwards) else { continue }
            let (first, last) = (title[..<range.lowerBound], title[range.upperBound...])
            let lastWords = last.split(separator: " ").count
            if lastWords <= 4, first.split(separator: " ").count > lastWords || separator == " | " {
                return first.trimmingCharacters(in: .whitespaces)
            }
        }
        return title
    }
}

extension HTMLMetadata {
    /// The values as the metadata of an entry.
    var values: [String: MetadataValue] {
        var values: [String: MetadataValue] = [:]
        let texts = [
            "author": author, "language": language, "url": address, "description": summary, "site": siteName,
        ]
        for (key, value) in texts {
            if let value, !value.isEmpty { values[key] = .string(String(value.prefix(2048))) }
        }
        if !keywords.isEmpty { values["keywords"] = .array(keywords.prefix(50).map { .string($0) }) }
        return values
    }
}
