import Foundation
import RoostModel

/// The statements of a page about itself, from its JSON-LD, Open Graph and the other elements of its `head`.
struct HTMLMetadata: Sendable {
    private(set) var title: String?
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
    private static let separators = [" | ", " – ", " — ", " - ", " · "]

    init(_ tree: HTMLTree) {
        var meta: [String: String] = [:]
        for node in tree.nodes {
            if node.tag == "meta", let content = node.attribute("content") {
                let name = node.attribute("property") ?? node.attribute("name")
                let text = Self.cleaned(content)
                if let name = name?.lowercased(), meta[name] == nil, !text.isEmpty { meta[name] = text }
            } else if node.tag == "link", node.attribute("rel")?.lowercased() == "canonical" {
                address = address ?? node.attribute("href")
            }
        }
        let data = StructuredData(tree)
        siteName = meta["og:site_name"]
        summary = meta["og:description"] ?? meta["description"]
        address = address ?? meta["og:url"]
        let tag = tree.nodes.first { $0.tag == "html" }?.attribute("lang")
        language = tag.flatMap { $0.wholeMatch(of: /[A-Za-z0-9-]{2,35}/) == nil ? nil : $0 }
        keywords = (meta["keywords"] ?? "").split(separator: ",").map { Self.cleaned(String($0)) }
            .filter { !$0.isEmpty }
        author = [data.author, meta["author"], meta["article:author"]]
            .compactMap(\.self).first(where: Self.isName)
        publishedAt = Self.date([data.published, meta["article:published_time"], meta["date"]])
        modifiedAt = Self.date([data.modified, meta["article:modified_time"], meta["og:updated_time"]])
        title = title(tree, stated: meta["og:title"]) ?? data.headline
    }

    static func cleaned(_ text: String) -> String {
        var result = CollapsedText()
        result.append(text)
        return result.text
    }

    private static func date(_ texts: [String?]) -> Date? {
        texts.lazy.compactMap { $0.flatMap(Date.init(written:)) }.first
    }

    /// Returns whether a text can be a name: some pages state an address in place of it.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.count <= maximumNameLength && !text.contains("://")
    }

    // MARK: Title

    private func title(_ tree: HTMLTree, stated: String?) -> String? {
        let window = tree.nodes.indices.first {
            tree.nodes[$0].tag == "title" && tree.nodes[max(0, tree.nodes[$0].parent)].tag != "svg"
        }
        let stated = String(
            (stated ?? window.map { tree.text(of: $0) } ?? "").prefix(Self.maximumTitleLength))
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

    /// Removes the name of a site from the end or the beginning of a title. If a page does not state the name,
    /// it is at most four words after the last separator.
    static func withoutSiteName(_ title: String, siteName: String?) -> String {
        for separator in separators {
            if let siteName, title.hasPrefix(siteName + separator) {
                return String(title.dropFirst(siteName.count + separator.count))
            }
            guard let range = title.range(of: separator, options: .backwards) else { continue }
            let (first, last) = (title[..<range.lowerBound], title[range.upperBound...])
            let isShort = last.split(separator: " ").count <= 4
            if last == siteName ?? "" || isShort && first.count > last.count { return String(first) }
        }
        return title
    }
}

extension HTMLMetadata {
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

struct StructuredData {
    private(set) var headline: String?
    private(set) var author: String?
    private(set) var published: String?
    private(set) var modified: String?

    /// The maximum number of bytes of a script that is parsed.
    private static let maximumLength = 2 << 20
    /// The maximum number of objects that are examined.
    private static let maximumObjects = 10_000
    /// The types of the works that a page can consist of, other than articles and postings. Books, films,
    /// reviews and products are not among them: a page about a book was not written by its author.
    private static let workTypes: Set<String> = [
        "WebPage", "Report", "Question", "Recipe", "HowTo", "Course", "CreativeWork",
    ]

    /// The names of the objects with an identifier, to which other objects can refer.
    private var names: [String: String] = [:]

    init(_ tree: HTMLTree) {
        var objects: [[String: Any]] = []
        for (index, node) in tree.nodes.enumerated() where node.tag == "script" {
            guard node.attribute("type")?.lowercased().hasPrefix("application/ld+json") == true else {
                continue
            }
            let text = tree.nodes[index..<node.end].map(\.text).joined()
            guard text.utf8.count <= Self.maximumLength,
                let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
            else { continue }
            Self.collect(value, &objects)
        }
        for object in objects {
            if let id = object["@id"] as? String, let name = object["name"] as? String { names[id] = name }
        }
        for object in objects where Self.types(of: object).contains(where: Self.isWork) { read(object) }
    }

    private static func collect(_ value: Any, _ objects: inout [[String: Any]]) {
        guard objects.count < maximumObjects else { return }
        if let array = value as? [Any] {
            for element in array { collect(element, &objects) }
        } else if let object = value as? [String: Any] {
            objects.append(object)
            for key in ["@graph", "mainEntity", "hasPart"] {
                if let element = object[key] { collect(element, &objects) }
            }
        }
    }

    private static func types(of object: [String: Any]) -> [String] {
        ((object["@type"] as? [String]) ?? [object["@type"] as? String].compactMap(\.self))
            .compactMap { $0.split { "/:#".contains($0) }.last.map(String.init) }
    }

    private static func isWork(_ type: String) -> Bool {
        type.hasSuffix("Article") || type.hasSuffix("Posting") || workTypes.contains(type)
    }

    private mutating func read(_ object: [String: Any]) {
        headline = headline ?? (object["headline"] as? String)
        author = author ?? name(object["author"])
        published = published ?? (object["datePublished"] as? String)
        modified = modified ?? (object["dateModified"] as? String)
    }

    /// Returns the name of a person or an organization, or the names of several. An object with only an
    /// identifier refers to another object of the page.
    private func name(_ value: Any?) -> String? {
        switch value {
        case let text as String: return names[text] ?? text
        case let object as [String: Any]:
            return (object["name"] as? String) ?? (object["@id"] as? String).flatMap { names[$0] }
        case let array as [Any]:
            let found = array.prefix(8).compactMap(name)
            return found.isEmpty ? nil : found.joined(separator: ", ")
        default: return nil
        }
    }
}
