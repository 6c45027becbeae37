import Foundation
import RoostFiles
import RoostModel

/// Reads Jupyter notebooks: the cells in order, and outputs that are short texts.
public struct NotebookReader: DocumentReader {
    static let type = DocumentType(
        name: "notebook", title: "Jupyter notebook", extensions: ["ipynb"],
        mediaTypes: ["application/x-ipynb+json"])

    /// The maximum number of bytes and lines of an output that is read.
    private static let maximumOutputBytes = 2000
    private static let maximumOutputLines = 30
    /// The maximum number of bytes of an output in the file, where characters may be escaped.
    private static let maximumRawLength = 8 * maximumOutputBytes
    /// The maximum number of bytes of the text of a cell in the file.
    private static let maximumCellBytes = 4 << 20
    private static let maximumAuthors = 200
    /// The maximum number of bytes of the text in which links are found. The file is still in memory then.
    private static let maximumLinkLength = 1 << 19

    public let version = 3

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        return try await BlockingWork.run { _ in
            let value: JSONCursor
            do { value = try JSONCursor(input.data, maximumDepth: input.limits.maximumDepth) } catch {
                throw DocumentError.damaged("the notebook is not valid JSON: \(error)")
            }
            // Version 3 of the format has worksheets.
            let cells = value["cells"] ?? value["worksheets"]?.first?["cells"]
            guard let cells, cells.kind == .array else {
                throw DocumentError.damaged("the notebook contains no list of cells")
            }
            return [try Self.document(cells, value["metadata"], type, input.limits)]
        }
    }

    private static func document(
        _ cells: JSONCursor, _ metadata: JSONCursor?, _ type: DocumentType, _ limits: DocumentLimits
    ) throws -> Document {
        let language =
            metadata?["language_info"]?["name"]?.string ?? metadata?["kernelspec"]?["language"]?.string
        var output = MarkdownOutput(limits: limits)
        var (skippedOutputs, skippedCells) = (0, 0)
        try cells.forEachElement { cell in
            let part = cell["source"] ?? cell["input"]
            guard (part?.length ?? 0) <= maximumCellBytes else {
                skippedCells += 1
                return
            }
            let source = text(part)
            switch cell["cell_type"]?.string {
            case "code":
                guard source.contains(where: { !$0.isWhitespace }) else { break }
                let cellLanguage = cell["language"]?.string ?? language ?? ""
                try output.add(MarkdownText.fence(source, language: cellLanguage))
                try cell["outputs"]?.forEachElement { result in
                    if let text = shortText(of: result) {
                        try output.add(MarkdownText.fence(text, language: ""))
                    } else {
                        skippedOutputs += 1
                    }
                }
            case "heading":
                let level = cell["level"]?.string.flatMap { Int($0) } ?? 1
                try output.add(MarkdownText.heading(source, level: level))
            default: try output.add(source)
            }
        }
        guard !output.text.isEmpty else { throw DocumentError.noText("it contains no text") }
        var document = Document(type: type, title: title(metadata, cells), text: output.text)
        let analysis = MarkdownAnalysis(output.text, maximumLength: maximumLinkLength)
        document.links = analysis.scanner.links.sorted { $0.range.lowerBound < $1.range.lowerBound }
            .compactMap(\.link)
        let authors = authors(metadata)
        if authors.count == 1 { document.metadata["author"] = .string(authors[0]) }
        if authors.count > 1 { document.metadata["author"] = .array(authors.map { .string($0) }) }
        if let language { document.metadata["programming-language"] = .string(language) }
        if skippedCells > 0 {
            let cells = Count.text(skippedCells, "cell")
            document.unreadParts.append("\(cells) of more than \(maximumCellBytes >> 20) MB")
        }
        if skippedOutputs > 0 {
            document.unreadParts.append(
                Count.text(
                    skippedOutputs, "output that is not a short text", "outputs that are not short texts"))
        }
        return document
    }

    private static func authors(_ metadata: JSONCursor?) -> [String] {
        var authors: [String] = []
        metadata?["authors"]?.forEachElement { author in
            guard authors.count < maximumAuthors else { return }
            if let name = author["name"]?.string ?? author.string { authors.append(name) }
        }
        return authors
    }

    /// Returns the title that the notebook states, or its first heading.
    private static func title(_ metadata: JSONCursor?, _ cells: JSONCursor) -> String? {
        if let title = metadata?["title"]?.string, !title.isEmpty { return MarkdownText.singleLine(title) }
        var title: String?
        cells.forEachElement { cell in
            guard title == nil, cell["cell_type"]?.string == "markdown", let source = cell["source"],
                source.length <= maximumCellBytes
            else { return }
            title = heading(of: text(source))
        }
        return title
    }

    private static func heading(of text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("#") {
            let title = line.drop { $0 == "#" }
            if title.first == " " { return MarkdownText.singleLine(String(title)) }
        }
        return nil
    }

    /// Returns a text that is stored as one string or as an array of lines.
    private static func text(_ value: JSONCursor?) -> String {
        guard let value else { return "" }
        if let string = value.string { return string }
        var text = ""
        value.forEachElement { text += $0.string ?? "" }
        return text
    }

    private static func shortText(of output: JSONCursor) -> String? {
        let data = output["data"]
        guard let value = output["text"] ?? data?["text/plain"], value.length <= maximumRawLength else {
            return nil
        }
        // The text of a figure only names its class.
        var hasImage = false
        data?.forEachMember { name, _ in
            hasImage = name.hasPrefix("image/")
            return !hasImage
        }
        let text = TerminalOutput.visibleText(text(value))
        guard !hasImage, text.contains(where: { !$0.isWhitespace }), text.utf8.count <= maximumOutputBytes,
            text.count(where: \.isNewline) <= maximumOutputLines, !onlyNamesObjects(text)
        else { return nil }
        return text
    }

    /// Returns whether a text only names the classes of objects that the notebook shows in another form, such
    /// as `[<matplotlib.lines.Line2D at 0x7f4c>]` or `<IPython.core.display.HTML object>`.
    private static func onlyNamesObjects(_ text: String) -> Bool {
        let object = /<[A-Za-z_][\w.:]*(?: object)?(?: at 0x[0-9A-Fa-f]+)?>/
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.hasPrefix("<") || trimmed.hasPrefix("[<") || trimmed.hasPrefix("(<"),
            trimmed.contains(" object") || trimmed.contains(" at 0x")
        else { return false }
        return trimmed.replacing(object, with: "").allSatisfy { "[](), \n".contains($0) }
    }
}
