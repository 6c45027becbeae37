import Foundation
import RoostFiles
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

    /// The maximum number of lines. Each needs memory in addition to its text, even if it is empty.
    private static let maximumLines = 4_000_000

    public let version = 7

    public let types = [Self.org, Self.restructuredText, Self.latex, Self.asciidoc]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        return try await BlockingWork.run { isCancelled in
            [try Self.document(input, type) { if isCancelled() { throw CancellationError() } }]
        }
    }

    private static func document(
        _ input: DocumentInput, _ type: DocumentType, _ checkCancellation: () throws -> Void
    ) throws -> Document {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        let lines = try lines(of: text)
        let result =
            switch type.name {
            case org.name: try OrgMarkup.converted(lines, checkCancellation: checkCancellation)
            case restructuredText.name:
                try RestructuredMarkup.converted(lines, checkCancellation: checkCancellation)
            case latex.name: try LaTeXMarkup.converted(lines, checkCancellation: checkCancellation)
            default: try AsciiDocMarkup.converted(lines, checkCancellation: checkCancellation)
            }
        let converted = result.lines.joined(separator: "\n")
        guard converted.contains(where: { !$0.isWhitespace }) else {
            throw DocumentError.noText("it contains no text")
        }
        var document = Document(
            type: type, title: result.title, text: converted, tags: result.tags, aliases: result.aliases,
            links: result.links,
            location: EntryLocation(line: 1))
        for (name, values) in result.properties {
            document.metadata[name] = .array(values.map { .string($0) })
        }
        if let author = result.author { document.metadata["author"] = .string(author) }
        document.createdAt = result.date.flatMap(FrontMatterDate.date)
        return document
    }

    /// Returns the lines of a text, with the empty ones.
    private static func lines(of text: String) throws(DocumentError) -> [String] {
        var lines: [String] = []
        var start = text.startIndex
        while let end = text[start...].firstIndex(where: \.isNewline) {
            lines.append(String(text[start..<end]))
            start = text.index(after: end)
            guard lines.count < maximumLines else {
                throw .limitExceeded("it has more than \(maximumLines) lines")
            }
        }
        lines.append(String(text[start...]))
        return lines
    }
}
