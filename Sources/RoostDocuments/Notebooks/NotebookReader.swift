import Foundation
import RoostFiles
import RoostModel

/// Reads Jupyter notebooks: the cells in order, and outputs that are short texts.
public struct NotebookReader: DocumentReader {
    static let type = DocumentType(
        name: "notebook", title: "Jupyter notebook", extensions: ["ipynb"],
        mediaTypes: ["application/x-ipynb+json"])

    private static let maximumOutputBytes = 2000
    nonisolated(unsafe) private static let colorCode = #/\u{1B}\[[0-9;]*[A-Za-z]/#

    public let version = 4

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try input.requireReadableSize()
        return try await BlockingWork.run { _ in
            let notebook: Notebook
            do {
                notebook = try JSONDecoder().decode(Notebook.self, from: input.data)
            } catch {
                throw DocumentError.damaged("it is not a notebook of format 4 in JSON")
            }
            return [try Self.document(notebook, input.limits)]
        }
    }

    private static func document(_ notebook: Notebook, _ limits: DocumentLimits) throws -> Document {
        let language = notebook.metadata?.language?.name
        var output = MarkdownOutput(limits: limits)
        var skippedOutputs = 0
        var damagedCells: [Int] = []
        for (index, member) in notebook.cells.enumerated() {
            guard let cell = member.cell else {
                damagedCells.append(index + 1)
                continue
            }
            let source = cell.source.text
            guard cell.type == "code" else {
                try output.add(source)
                continue
            }
            guard source.contains(where: { !$0.isWhitespace }) else { continue }
            try output.add(MarkdownText.fence(source, language: language ?? ""))
            for result in cell.outputs ?? [] {
                if let text = shortText(of: result) {
                    try output.add(MarkdownText.fence(text, language: ""))
                } else {
                    skippedOutputs += 1
                }
            }
        }
        guard !output.text.isEmpty else { throw DocumentError.noText("it contains no text") }
        var document = MarkdownReader.document(output.text)
        if let title = notebook.metadata?.title, !title.isEmpty {
            document.title = MarkdownText.singleLine(title)
        }
        if let language { document.metadata["programming-language"] = .string(language) }
        if let first = damagedCells.first {
            let others =
                damagedCells.count > 1 ? " and \(damagedCells.count - 1) more, which are" : ", which is"
            document.unreadParts.append("cell \(first)\(others) damaged")
        }
        if skippedOutputs > 0 {
            document.unreadParts.append(
                Count.text(
                    skippedOutputs, "output that is not a short text", "outputs that are not short texts"))
        }
        return document
    }

    private static func shortText(of output: Notebook.Output) -> String? {
        // The text of a figure only names its class.
        let isImage = output.data?.keys.contains { $0.hasPrefix("image/") } ?? false
        guard !isImage, let text = (output.text ?? output.data?["text/plain"])?.text,
            text.utf8.count <= maximumOutputBytes
        else { return nil }
        let shown = text.replacing(colorCode, with: "")
        return shown.contains { !$0.isWhitespace } ? shown : nil
    }
}

private struct Notebook: Decodable {
    struct Metadata: Decodable {
        struct Language: Decodable {
            var name: String?
        }

        private enum CodingKeys: String, CodingKey {
            case title
            case language = "language_info"
        }

        var title: String?
        var language: Language?
    }

    struct Cell: Decodable {
        private enum CodingKeys: String, CodingKey {
            case type = "cell_type"
            case source, outputs
        }

        var type: String
        var source: Text
        var outputs: [Output]?
    }

    /// A member of the list of cells; without a cell if it is damaged.
    struct Member: Decodable {
        var cell: Cell?

        init(from decoder: any Decoder) throws { cell = try? Cell(from: decoder) }
    }

    struct Output: Decodable {
        var text: Text?
        var data: [String: Text]?
    }

    /// A text as one string or as an array of lines. Other values, such as JSON in an output, are empty.
    struct Text: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let string = try? container.decode(String.self) {
                text = string
            } else {
                text = ((try? container.decode([String].self)) ?? []).joined()
            }
        }
    }

    var cells: [Member]
    var metadata: Metadata?
}
