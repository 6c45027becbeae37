import Foundation
import RoostModel

/// The conversion of an EPUB book to Markdown, in the order of its spine.
final class BookDocument {
    private let archive: ZipArchive
    private let limits: DocumentLimits
    private var output: MarkdownOutput
    private var links: [DocumentLink] = []
    private var unread: [String] = []
    /// The titles of the chapters in the table of contents, by the paths of their parts.
    private var chapterTitles: [String: String] = [:]

    private struct Item {
        var path: String
        var mediaType: String
        var isNavigation: Bool
    }

    init(_ archive: ZipArchive, limits: DocumentLimits) throws {
        self.archive = archive
        self.limits = limits
        output = MarkdownOutput(limits: limits)
    }

    func document() throws -> Document {
        let part = try packagePart()
        guard let xml = try archive.xml(part) else {
            throw DocumentError.damaged("its part \(part) is missing")
        }
        var items: [String: Item] = [:]
        var spine: [String] = []
        var properties = CoreProperties()
        var date: String?
        try xml.descendants { element in
            switch element.name {
            case "item":
                guard let id = element["id"],
                    let path = element["href"].flatMap({ PartPath.resolve($0, from: part) })
                else { return }
                let flags = (element["properties"] ?? "").split(separator: " ")
                items[id] = Item(
                    path: path, mediaType: element["media-type"] ?? "", isNavigation: flags.contains("nav"))
            case "itemref": if let id = element["idref"] { spine.append(id) }
            case "date": date = try date ?? xml.text()
            case "subject": properties.add("keyword", try xml.text())
            // Many programs write a description in HTML.
            case "description": properties.add("description", HTMLText.plain(try xml.text()))
            case "meta":
                if element["property"] == "dcterms:modified" { properties.add("modified", try xml.text()) }
            case "title", "creator", "language", "publisher":
                properties.add(element.name, try xml.text())
            default: break
            }
        }
        properties.add("created", date ?? "")
        guard spine.count <= limits.maximumParts else {
            throw DocumentError.limitExceeded("it has \(spine.count) chapters")
        }
        let encrypted = try encryptedParts()
        try readContents(Array(items.values))
        try readSpine(spine.compactMap { items[$0] }, encrypted: encrypted)
        if xml.isDamaged { unread.append("its list of chapters is damaged; chapters may be missing") }
        var document = Document(text: output.text, links: links, unreadParts: unread)
        properties.apply(to: &document)
        return document
    }

    private func readSpine(_ items: [Item], encrypted: Set<String>) throws {
        var count = 0
        for item in items where !item.isNavigation {
            if encrypted.contains(item.path) { throw DocumentError.encrypted }
            do {
                guard let data = try archive.part(item.path) else {
                    unread.append("\(item.path): the part is missing")
                    continue
                }
                try readChapter(data, path: item.path)
                count += 1
            } catch let error as DocumentError {
                if case .limitExceeded = error { throw error }
                unread.append("\(item.path): \(error)")
            }
        }
        guard count > 0 else {
            throw DocumentError.damaged(unread.first ?? "its list of chapters is empty")
        }
    }

    private func readChapter(_ data: Data, path: String) throws {
        let xml = try XMLPull(xml: data, isCancelled: archive.isCancelled)
        var page = HTMLPage(try HTMLTree(xml, maximumDepth: limits.maximumDepth))
        if xml.isDamaged {
            // The parser of HTML accepts elements that are not closed.
            page = HTMLPage(data, maximumDepth: limits.maximumDepth)
            unread.append("\(path): it is not well-formed; a part of it may be missing")
        }
        let (text, found) = page.content()
        let hasHeading = page.blocks.contains { page.headingLevel(of: $0) != nil }
        if !hasHeading, let title = chapterTitles[path], !text.isEmpty {
            try output.add(MarkdownText.heading(ofPlainText: title, level: 1))
        }
        try output.add(text)
        links += found
        if let fault = page.tree.fault { unread.append("\(path): \(fault)") }
    }

    private func packagePart() throws -> String {
        guard let xml = try archive.xml("META-INF/container.xml") else {
            throw DocumentError.damaged("its part META-INF/container.xml is missing")
        }
        var path: String?
        try xml.descendants { element in
            if element.name == "rootfile", path == nil { path = element["full-path"] }
        }
        guard let path else { throw DocumentError.damaged("it names no package document") }
        return path
    }

    /// Returns the paths of the parts that are encrypted. Most books encrypt only fonts.
    private func encryptedParts() throws -> Set<String> {
        guard let xml = try archive.xml("META-INF/encryption.xml") else { return [] }
        var parts: Set<String> = []
        try xml.descendants { element in
            guard element.name == "CipherReference", let address = element["URI"] else { return }
            if let path = PartPath.resolve(address, from: "") { parts.insert(path) }
        }
        return parts
    }

    /// Reads the titles of the chapters from the table of contents of EPUB 3 or EPUB 2.
    private func readContents(_ items: [Item]) throws {
        for item in items where item.isNavigation || item.mediaType == "application/x-dtbncx+xml" {
            guard let xml = try archive.xml(item.path) else { continue }
            var label = ""
            try xml.descendants { element in
                switch element.name {
                case "a":
                    let text = MarkdownText.singleLine(try xml.text())
                    addTitle(text, element["href"], from: item.path)
                case "text": label = MarkdownText.singleLine(try xml.text())
                case "content": addTitle(label, element["src"], from: item.path)
                default: break
                }
            }
        }
    }

    private func addTitle(_ title: String, _ address: String?, from part: String) {
        guard !title.isEmpty, let path = address.flatMap({ PartPath.resolve($0, from: part) }) else { return }
        if chapterTitles[path] == nil { chapterTitles[path] = title }
    }
}
