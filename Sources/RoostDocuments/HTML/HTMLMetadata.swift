import Foundation

/// The statements of a page about itself, from its `head`, its JSON-LD and the elements for dates and
/// authors.
struct HTMLMetadata: Sendable {
    /// The title without the name of the site.
    var title: String?
    /// The text of the element `title`, which browsers show as the title of the window.
    var windowTitle = ""
    /// The name of the author.
    var author: String?
    /// The name of the site.
    var siteName: String?
    /// The summary.
    var summary: String?
    /// The language as a BCP 47 tag.
    var language: String?
    /// The preferred address of the page.
    var address: String?
    /// The date of publication.
    var publishedAt: Date?
    /// The date of the last change.
    var modifiedAt: Date?
    /// The keywords.
    var keywords: [String] = []
    /// The types of the objects in JSON-LD and the type in Open Graph, in lowercase letters.
    var types: Set<String> = []
    /// The longest text about the page in its JSON-LD.
    var structuredText: String?
    /// The texts of the page in its JSON-LD.
    var statedText = StatedText()

    /// The price of the product that the page describes; `nil` if the page states none or several.
    var price: ProductPrice?

    /// Reads the statements of a page.
    init(_ tree: HTMLTree) {
        var meta: [String: String] = [:]
        var links: [String: String] = [:]
        for node in tree.nodes {
            if node.tag == "meta", let content = node.attribute("content") {
                let name =
                    node.attribute("property") ?? node.attribute("name") ?? node.attribute("itemprop")
                    ?? node.attribute("http-equiv")
                let text = Self.cleaned(content)
                if let name = name?.lowercased(), meta[name] == nil, !text.isEmpty { meta[name] = text }
            } else if node.tag == "link", let rel = node.attribute("rel"), let href = node.attribute("href") {
                for name in rel.lowercased().split(separator: " ") where links[String(name)] == nil {
                    links[String(name)] = href
                }
            }
        }
        let data = StructuredData(tree)
        types = data.types
        if let type = meta["og:type"] { types.insert("og:" + type.lowercased()) }
        structuredText = data.text
        statedText = data.statedText
        price = data.prices.count > 1 ? nil : data.prices.first ?? ProductPrice(meta) ?? ProductPrice(tree)
        siteName = meta["og:site_name"] ?? meta["application-name"]
        summary = meta["og:description"] ?? meta["description"] ?? meta["twitter:description"]
        address = links["canonical"] ?? meta["og:url"]
        language = tree.nodes.first { $0.tag == "html" }?.attribute("lang") ?? meta["content-language"]
        language = language.flatMap(Self.languageTag)
        keywords = (meta["keywords"] ?? "").split(separator: ",").map { Self.cleaned(String($0)) }
            .filter { !$0.isEmpty }
        title = title(tree, meta, data)
        author = author(tree, meta, data)
        readDates(tree, meta, data)
    }

    /// Returns a text with single spaces.
    static func cleaned(_ text: String) -> String {
        var result = CollapsedText()
        result.append(text)
        return result.text
    }

    private static func languageTag(_ text: String) -> String? {
        let tag = text.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "_", with: "-")
        let isTag =
            (2...35).contains(tag.utf8.count)
            && tag.utf8.allSatisfy {
                $0 == 0x2D || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39)
            }
        return isTag ? tag : nil
    }

    // MARK: Title

    private mutating func title(
        _ tree: HTMLTree, _ meta: [String: String], _ data: StructuredData
    ) -> String? {
        let window = tree.nodes.indices.first {
            tree.nodes[$0].tag == "title" && !tree.ancestors(of: $0).contains { tree.nodes[$0].tag == "svg" }
        }
        windowTitle = window.map { tree.text(of: $0) } ?? ""
        let elements = tree.elements("h1").prefix(Self.maximumHeadings)
            .map { (index: $0, text: tree.headingText(of: $0)) }.filter { !$0.text.isEmpty }
        let headings = elements.map(\.text)
        let wholeTitle = meta["og:title"] ?? meta["twitter:title"] ?? windowTitle
        let stated = String(wholeTitle.prefix(Self.maximumTitleLength))
        if let chapter = Self.chapter(of: stated, in: tree, titles: headings) { return chapter }
        if let title = Self.title(sharedBy: stated, windowTitle) { return title }
        let site = siteHeading(of: stated, among: elements, in: tree)
        // A heading that the stated title contains is the title without the name of the site.
        let matching = headings.filter {
            $0.count > 3 && $0 != site?.name && stated.localizedCaseInsensitiveContains($0)
        }
        if let heading = matching.max(by: { $0.count < $1.count }),
            heading.count * 3 >= stated.count
                || Self.separators.contains(where: { stated.hasPrefix(heading + $0) })
        {
            return heading
        }
        if let site { return site.page }
        let short = Self.withoutSiteName(stated, siteName: siteName)
        if !short.isEmpty { return short }
        return data.headline ?? headings.first
    }

    /// The maximum number of main headings that are compared with the stated title.
    private static let maximumHeadings = 100
    /// The maximum number of characters of a title.
    private static let maximumTitleLength = 1000

    /// The separators between the title of a page and the name of its site or book.
    private static let separators = [" | ", " – ", " — ", " - ", " :: ", " · ", " • ", " » ", " « "]

    /// The minimum number of characters of a title that two statements share.
    private static let minimumSharedTitle = 10

    /// Returns the end of a stated title with which the title of the window begins, if the rest of the two
    /// differs: forums add the name of a part of the site in different forms.
    private static func title(sharedBy stated: String, _ window: String) -> String? {
        for separator in separators {
            guard let range = stated.range(of: separator) else { continue }
            let shared = stated[range.upperBound...]
            guard shared.count >= minimumSharedTitle, window.hasPrefix(shared) else { continue }
            let rest = window.dropFirst(shared.count)
            if !rest.isEmpty, !rest.contains(stated[..<range.lowerBound]) { return String(shared) }
        }
        return nil
    }

    /// Returns the title of a page of a book or manual, on every page of which the main heading is the name
    /// of the book: the part of the stated title before that name, if a heading has this text too.
    private static func chapter(of stated: String, in tree: HTMLTree, titles: [String]) -> String? {
        let chapters = titles.flatMap { title in
            separators.lazy.compactMap { part(of: stated, before: $0 + title) }
        }
        guard !chapters.isEmpty else { return nil }
        // Documentation shows a sign with a link to the heading after it.
        let signs = CharacterSet(charactersIn: "¶§").union(.whitespaces)
        let headings = Set(
            (tree.elements("h1") + tree.elements("h2")).map {
                tree.headingText(of: $0).trimmingCharacters(in: signs).lowercased()
            })
        return chapters.first { headings.contains($0.lowercased()) }
    }

    /// Returns the part of a title before an end, which may be written in other letter cases; `nil` if the
    /// title does not have this end or nothing is before it.
    private static func part(of title: String, before end: String) -> String? {
        guard let range = title.range(of: end, options: [.caseInsensitive, .anchored, .backwards]) else {
            return nil
        }
        let part = title[..<range.lowerBound].trimmingCharacters(in: .whitespaces)
        return part.isEmpty ? nil : part
    }

    /// Returns the main heading with the name of the site or book, and the part of the stated title before
    /// that name, which is the title of the page.
    ///
    /// The stated title can also begin with the name of the site and end with the heading of the page. A
    /// heading is therefore the name of the site only if the content of the page has a main heading, too.
    private func siteHeading(
        of stated: String, among headings: [(index: Int, text: String)], in tree: HTMLTree
    ) -> (name: String, page: String)? {
        func isInContent(_ index: Int) -> Bool {
            tree.ancestors(of: index).contains { ["main", "article"].contains(tree.nodes[$0].tag) }
        }
        for heading in headings where !isInContent(heading.index) {
            for separator in Self.separators {
                guard let page = Self.part(of: stated, before: separator + heading.text),
                    page.lowercased() != siteName?.lowercased()
                else { continue }
                if headings.contains(where: { isInContent($0.index) }) { return (heading.text, page) }
            }
        }
        return nil
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
            let (firstWords, lastWords) = (
                first.split(separator: " ").count, last.split(separator: " ").count
            )
            if lastWords <= 4, firstWords > lastWords || separator == " | " {
                return first.trimmingCharacters(in: .whitespaces)
            }
        }
        return title
    }

    // MARK: Author and dates

    private func author(_ tree: HTMLTree, _ meta: [String: String], _ data: StructuredData) -> String? {
        let stated = [
            data.author, meta["author"], meta["article:author"], meta["dc.creator"], meta["parsely-author"],
        ]
        if let name = stated.lazy.compactMap({ $0 }).first(where: Self.isName) { return name }
        var index = 0
        while index < tree.nodes.count {
            let node = tree.nodes[index]
            // The author of a comment, an answer or a review of a product is not that of the page.
            if Self.isResponse(node) {
                index = node.end
                continue
            }
            defer { index += 1 }
            guard node.attribute("rel") == "author" || node.attribute("itemprop") == "author" else {
                continue
            }
            // An element that describes a person can also contain badges, dates and counts.
            let name = (index..<node.end).first { tree.nodes[$0].attribute("itemprop") == "name" }
            let stated = name.flatMap { tree.nodes[$0].attribute("content") }.map(Self.cleaned)
            let text = stated ?? tree.text(of: name ?? index, maximumBytes: Self.maximumNameBytes)
            if Self.isName(text) { return text }
        }
        return nil
    }

    /// The names of the microdata properties whose values are responses to the page.
    private static let responses: Set<String> = [
        "comment", "suggestedanswer", "acceptedanswer", "review", "reviews",
    ]
    /// Returns whether an element with microdata is a comment, an answer or a review.
    static func isResponse(_ node: HTMLTree.Node) -> Bool {
        if let property = node.attribute("itemprop"), responses.contains(property.lowercased()) {
            return true
        }
        let type = node.attribute("itemtype")?.lowercased() ?? ""
        return type.hasSuffix("/comment") || type.hasSuffix("/answer")
    }

    /// The values that programs write in place of a missing name.
    private static let placeholders: Set<String> = ["undefined", "null", "none", "n/a", "unknown"]

    /// The maximum number of characters of a name, and a number of bytes that no name has.
    private static let (maximumNameLength, maximumNameBytes) = (100, 2048)

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.count <= maximumNameLength && !text.contains("://") && !text.hasPrefix("@")
            && !placeholders.contains(text.lowercased())
    }

    private mutating func readDates(_ tree: HTMLTree, _ meta: [String: String], _ data: StructuredData) {
        let publishedNames = [
            "article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created",
            "dcterms.date", "pubdate", "publish-date", "publication_date", "parsely-pub-date",
            "sailthru.date", "citation_publication_date", "article:published_date", "dcterms.issued",
            "ms.date",
        ]
        let modifiedNames = [
            "article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified",
            "revised", "updated", "article:modified_date",
        ]
        publishedAt =
            ([data.published] + publishedNames.map { meta[$0] }).lazy
            .compactMap { $0.flatMap(HTMLDate.parse) }.first
        modifiedAt =
            ([data.modified] + modifiedNames.map { meta[$0] }).lazy
            .compactMap { $0.flatMap(HTMLDate.parse) }.first
    }

    /// Adds the author and the dates that the page shows, if it does not state them: first the dates that are
    /// marked as such, then those near the title.
    mutating func complete(with byline: PageByline, _ dates: PageDates) {
        author = author ?? byline.author
        publishedAt =
            publishedAt ?? dates.marked.published ?? byline.published ?? dates.nearHeading.published
            ?? dates.elsewhere
        modifiedAt =
            modifiedAt ?? dates.marked.modified ?? byline.modified ?? dates.nearHeading.modified
    }
}
