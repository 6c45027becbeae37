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

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try await BlockingWork.run { _ in
            let value: JSONTree
            do { value = try JSONTree(input.data, maximumDepth: input.limits.maximumDepth) } catch {
                throw DocumentError.damaged("the notebook is not valid JSON: \(error)")
            }
            // Version 3 of the format has worksheets.
            let cells = value["cells"] ?? value["worksheets"]?.elements.first?["cells"]
            guard let cells, case .array(let list) = cells else {
                throw DocumentError.damaged("the notebook contains no list of cells")
            }
            return [try Self.document(list, value["metadata"], type, input.limits)]
        }
    }

    private static func document(
        _ cells: [JSONTree], _ metadata: JSONTree?, _ type: DocumentType, _ limits: DocumentLimits
    ) throws -> Document {
        let language =
            metadata?["language_info"]?["name"]?.string ?? metadata?["kernelspec"]?["language"]?.string
        var output = MarkdownOutput(limits: limits)
        var skipped = 0
        for cell in cells {
            let source = text(cell["source"] ?? cell["input"])
            switch cell["cell_type"]?.string {
            case "code":
                guard source.contains(where: { !$0.isWhitespace }) else { break }
                let cellLanguage = cell["language"]?.string ?? language ?? ""
                try output.add(MarkdownText.fence(source, language: cellLanguage))
                for result in cell["outputs"]?.elements ?? [] {
                    if let text = shortText(of: result) {
                        try output.add(MarkdownText.fence(text, language: ""))
                    } else {
                        skipped += 1
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
        let authors = (metadata?["authors"]?.elements ?? []).compactMap { $0["name"]?.string ?? $0.string }
        if authors.count == 1 { document.metadata["author"] = .string(authors[0]) }
        if authors.count > 1 { document.metadata["author"] = .array(authors.map { .string($0) }) }
        if let language { document.metadata["programming-language"] = .string(language) }
        if skipped > 0 { document.unreadParts = ["\(skipped) outputs that are not short texts"] }
        return document
    }

    /// Returns the title that the notebook states, or its first heading.
    private static func title(_ metadata: JSONTree?, _ cells: [JSONTree]) -> String? {
        if let title = metadata?["title"]?.string, !title.isEmpty { return MarkdownText.singleLine(title) }
        for cell in cells where cell["cell_type"]?.string == "markdown" {
            for line in text(cell["source"]).split(whereSeparator: \.isNewline) where line.hasPrefix("#") {
                let title = line.drop { $0 == "#" }
                if title.first == " " { return MarkdownText.singleLine(String(title)) }
            }
        }
        return nil
    }

    /// Returns a text that is stored as one string or as an array of lines.
    private static func text(_ value: JSONTree?) -> String {
        guard let value else { return "" }
        return value.string ?? value.elements.compactMap(\.string).joined()
    }

    private static func shortText(of output: JSONTree) -> String? {
        let value = output["text"] ?? output["data"]?["text/plain"]
        let text = text(value)
        // The text of a figure only names its class.
        let hasImage = output["data"]?.members.contains { $0.name.hasPrefix("image/") } ?? false
        guard !hasImage, text.contains(where: { !$0.isWhitespace }), text.utf8.count <= maximumOutputBytes,
            text.count(where: \.isNewline) <= maximumOutputLines
        else { return nil }
        return text
    }
}
