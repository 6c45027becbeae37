import Foundation
import RoostModel

/// Reads web pages: their main content as Markdown, without parts such as navigation and advertisements.
///
/// The parts of a page are scored by properties such as their length, their share of links and the elements
/// that contain them (decision 20). The title, author, dates, language, address and summary that a page
/// states about itself become the document's metadata.
public struct HTMLReader: DocumentReader {
    /// The type of web pages.
    public static let type = DocumentType(
        name: "html", title: "HTML", extensions: ["html", "htm", "xhtml", "xht", "shtml"],
        mediaTypes: ["text/html", "application/xhtml+xml"])

    public let version = 14

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        var start = input.data.prefix(1024)[...]
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        var text = String(decoding: start, as: UTF8.self).lowercased()[...].drop { $0.isWhitespace }
        // Comments, and an XML declaration, may come before the first element.
        while text.hasPrefix("<!--") || text.hasPrefix("<?xml") {
            guard let end = text.range(of: text.hasPrefix("<?xml") ? "?>" : "-->") else { return nil }
            text = text[end.upperBound...].drop { $0.isWhitespace }
        }
        let beginnings = ["<!doctype html", "<html>", "<html ", "<html\n", "<head>"]
        // Source code in PHP can begin with the elements of a page.
        guard input.fileExtension != "php", beginnings.contains(where: text.hasPrefix) else { return nil }
        return Self.type
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try input.requireReadableSize()
        let page = HTMLPage(
            input.data, encodingName: input.encodingName, maximumDepth: input.limits.maximumDepth)
        try Task.checkCancellation()
        let (content, metadata) = (MainContent(of: page), page.metadata)
        var text = HTMLMarkdown.text(of: content.blocks, in: page)
        if text.isEmpty { text = metadata.summary ?? "" }
        guard !text.isEmpty else {
            throw DocumentError.noText(
                page.tree.fault ?? "it contains no text; a script may load its contents")
        }
        guard text.utf8.count <= input.limits.maximumTextBytes else {
            throw DocumentError.limitExceeded(
                "its text is longer than \(input.limits.maximumTextBytes >> 20) MB")
        }
        var document = Document(title: metadata.title, text: text)
        document.metadata = metadata.values
        document.createdAt = metadata.publishedAt
        document.updatedAt = metadata.modifiedAt
        document.links = HTMLLinks.links(in: content.blocks, of: page, address: input.path)
        document.unreadParts = [page.tree.fault].compactMap { $0 }
        if content.hiddenWords > 0 {
            document.unreadParts.append(
                "text that the page hides: \(Count.text(content.hiddenWords, "word"))")
        }
        return DocumentContents([document], isComplete: page.tree.fault == nil)
    }
}
