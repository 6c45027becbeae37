import Foundation
import RoostModel

/// Reads texts in the markup languages Org, reStructuredText, LaTeX and AsciiDoc.
///
/// Each line is converted to one line of Markdown, so that line numbers agree with the file.
public struct MarkupReader: DocumentReader {
    static let org = DocumentType(
        name: "org", title: "Org", extensions: ["org"], mediaTypes: ["text/org", "text/x-org"])
    static let restructuredText = DocumentType(
        name: "rst", title: "reStructuredText", extensions: ["rst"],
        mediaTypes: ["text/x-rst", "text/prs.fallenstein.rst"])
    static let latex = DocumentType(
        name: "latex", title: "LaTeX", extensions: ["tex", "latex", "ltx"],
        mediaTypes: ["application/x-latex", "application/x-tex", "text/x-tex"])
    static let asciidoc = DocumentType(
        name: "asciidoc", title: "AsciiDoc", extensions: ["adoc", "asciidoc"],
        mediaTypes: ["text/asciidoc", "text/x-asciidoc"])

    public let version = 2

    public let types = [Self.org, Self.restructuredText, Self.latex, Self.asciidoc]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported("it is not text in UTF-8, UTF-16 or windows-1252")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        let result =
            switch type.name {
            case Self.org.name: OrgMarkup.converted(lines)
            case Self.restructuredText.name: RestructuredMarkup.converted(lines)
            case Self.latex.name: LaTeXMarkup.converted(lines)
            default: AsciiDocMarkup.converted(lines)
            }
        let converted = result.lines.joined(separator: "\n")
        guard converted.contains(where: { !$0.isWhitespace }) else {
            throw DocumentError.noText("it contains no text")
        }
        var document = Document(
            type: type, title: result.title, text: converted, tags: result.tags, links: result.links,
            location: EntryLocation(line: 1))
        if let author = result.author { document.metadata["author"] = .string(author) }
        document.createdAt = result.date.flatMap(FrontMatterDate.date)
        return [document]
    }
}
