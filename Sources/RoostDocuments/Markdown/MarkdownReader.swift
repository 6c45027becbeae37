import Foundation
import RoostModel

/// Reads Markdown notes: CommonMark with the extensions of GitHub and Obsidian.
///
/// The stored text is the text of the file, so line numbers agree. Front matter in YAML determines the title,
/// tags, aliases, dates and metadata. Without a title there, the title is the first heading of level 1, a
/// heading at the beginning, or the name of the file.
public struct MarkdownReader: DocumentReader {
    /// The type of Markdown files.
    public static let type = DocumentType(
        name: "markdown", title: "Markdown",
        extensions: [
            "md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdtxt", "mdtext", "mdx", "rmd", "qmd",
            "livemd",
        ],
        mediaTypes: ["text/markdown", "text/x-markdown"])

    /// The types of other markup languages, whose headings are often those of Markdown. A converter program
    /// reads them completely.
    static let markup = DocumentType(
        name: "markup", title: "Org, reStructuredText and AsciiDoc",
        extensions: ["adoc", "asciidoc", "org", "rst"])

    public let version = 8

    public let types = [Self.type, Self.markup]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        try Task.checkCancellation()
        return [Self.document(text, type: type, input: input)]
    }

    /// Reads a text.
    ///
    /// - Parameter input: The file, whose name can be the title; `nil` if the text is not that of a file.
    package static func document(
        _ text: String, type: DocumentType = Self.type, input: DocumentInput? = nil
    ) -> Document {
        let analysis = MarkdownAnalysis(text)
        let fields = analysis.frontMatter.map {
            FrontMatterFields(YAMLFrontMatter.parse(analysis.lines.bytes.text($0.content)))
        }
        var tags = fields?.tags ?? []
        var known = Set(tags.map { $0.lowercased() })
        for tag in analysis.scanner.tags where known.insert(tag.lowercased()).inserted { tags.append(tag) }
        let links = analysis.scanner.links.sorted { $0.range.lowerBound < $1.range.lowerBound }
            .compactMap(\.link)
        var unreadParts = fields?.unreadParts ?? []
        if !analysis.isComplete {
            unreadParts.append(
                "the headings and links after the first \(analysis.lines.bytes.count) bytes, because the "
                    + "text is too long")
        }
        return Document(
            type: type, title: fields?.title ?? MarkdownTitle.title(of: analysis, input), text: text,
            format: .markdown,
            metadata: fields?.metadata ?? [:], tags: tags, aliases: fields?.aliases ?? [],
            links: (fields?.links ?? []) + links, createdAt: fields?.createdAt, updatedAt: fields?.updatedAt,
            unreadParts: unreadParts)
    }

    package static func isTagKey(_ key: String) -> Bool { FrontMatterFields.isTagKey(key) }
}
