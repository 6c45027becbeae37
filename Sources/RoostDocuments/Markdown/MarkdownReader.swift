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
        mediaTypes: ["text/markdown", "text/x-markdown"], isDivisible: true)

    /// The types of other markup languages, whose headings are often those of Markdown. A converter program
    /// reads them completely.
    static let markup = DocumentType(
        name: "markup", title: "Org, reStructuredText and AsciiDoc",
        extensions: ["adoc", "asciidoc", "org", "rst"])

    public let version = 9

    public let types = [Self.type, Self.markup]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try input.requireReadableSize()
        let (text, encodingName) = try input.text()
        try Task.checkCancellation()
        return DocumentContents(Self.document(text, input: input), encodingName: encodingName)
    }

    /// Reads a text.
    ///
    /// - Parameter input: The file, whose name can be the title; `nil` if the text is not that of a file.
    package static func document(_ text: String, input: DocumentInput? = nil) -> Document {
        let analysis = MarkdownAnalysis(text)
        let fields = analysis.frontMatter.map { FrontMatterFields(FrontMatter($0, of: analysis.lines)) }
        var tags = fields?.tags ?? []
        var known = Set(tags.map { $0.lowercased() })
        for tag in analysis.scanner.tags where known.insert(tag.lowercased()).inserted { tags.append(tag) }
        let links =
            (fields?.links ?? [])
            + analysis.scanner.links.sorted { $0.range.lowerBound < $1.range.lowerBound }.compactMap(\.link)
        var unreadParts = fields?.unreadParts ?? []
        if !analysis.isComplete {
            unreadParts.append(
                "the headings and links after the first \(analysis.lines.bytes.count) bytes, because the "
                    + "text is too long")
        }
        let structure = TextStructure(
            format: .markdown, title: fields?.title ?? MarkdownTitle.title(atBeginningOf: analysis),
            sections: analysis.sections, hiddenParts: disjoint(analysis.scanner.hiddenParts),
            blocks: analysis.wholeRanges, links: links)
        var document = Document(
            title: fields?.title ?? MarkdownTitle.title(of: analysis, input), text: text,
            format: .markdown, structure: structure, metadata: fields?.metadata ?? [:], tags: tags,
            aliases: fields?.aliases ?? [], links: links, createdAt: fields?.createdAt,
            updatedAt: fields?.updatedAt,
            unreadParts: unreadParts)
        document.unclearDate = fields?.unclearDate
        return document
    }

    /// Returns parts in order. A part within another one is removed, and the beginning of a part that another
    /// one overlaps is cut off.
    private static func disjoint(_ parts: [TextStructure.HiddenPart]) -> [TextStructure.HiddenPart] {
        var result: [TextStructure.HiddenPart] = []
        let sorted = parts.sorted {
            ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
        }
        for part in sorted {
            let end = result.last?.range.upperBound ?? 0
            guard part.range.upperBound > end else { continue }
            result.append(
                .init(kind: part.kind, range: max(end, part.range.lowerBound)..<part.range.upperBound))
        }
        return result
    }
}
