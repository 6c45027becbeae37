import Foundation

/// Reads the rows of a table of HTML or XHTML. Tables within its cells become text.
final class MarkupTable {
    /// The links in the cells, in order.
    private(set) var links: [DocumentLink] = []

    /// The rows, without those that are empty.
    private(set) var table: TableRows

    private let xml: XMLPull
    private let maximumBytes: Int

    /// Creates a reader of a table whose Markdown has at most a number of bytes.
    init(_ xml: XMLPull, maximumBytes: Int) {
        self.xml = xml
        self.maximumBytes = maximumBytes
        table = TableRows(maximumBytes: maximumBytes)
    }

    /// Reads the rows of the table that was started last.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if the table becomes too long. Short rows are padded,
    ///   and a cell can span many columns, so the Markdown can be much longer than the table.
    func readRows() throws {
        try xml.children { element in
            switch element.name.lowercased() {
            case "tr":
                var cells: [String] = []
                var bytes = 0
                try xml.children { cell in
                    guard ["td", "th"].contains(cell.name.lowercased()) else { return }
                    var text = ""
                    try readText(&text)
                    cells.append(text.trimmingCharacters(in: .whitespacesAndNewlines))
                    let span = cell["colspan"].flatMap { Int($0) } ?? 1
                    cells += Array(repeating: "", count: min(max(span, 1), 64) - 1)
                    bytes += text.utf8.count
                    guard table.hasRoom(columns: cells.count, bytes: bytes) else {
                        throw MarkdownOutput.tooLong(maximumBytes)
                    }
                }
                if cells.contains(where: { !$0.isEmpty }) { try add(cells) }
            case "thead", "tbody", "tfoot": try readRows()
            case "caption": try add([MarkdownText.singleLine(try xml.text())])
            default: break
            }
        }
    }

    private func add(_ row: [String]) throws {
        guard table.append(row) else { throw MarkdownOutput.tooLong(maximumBytes) }
    }

    private static func endLine(_ text: inout String) {
        if let last = text.last, last != "\n" { text += "\n" }
    }

    private func readText(_ text: inout String) throws {
        try xml.children(
            { element in
                switch element.name.lowercased() {
                case "script", "style": break
                case _ where MarkupConverter.isHidden(element): break
                case "br": text += "\n"
                case _ where MarkupConverter.endsLine(element.name):
                    Self.endLine(&text)
                    try readText(&text)
                    Self.endLine(&text)
                case "td", "th":
                    text += " "
                    try readText(&text)
                case "a":
                    let start = text.utf8.count
                    try readText(&text)
                    if let address = element["href"], !address.isEmpty {
                        let label = MarkdownText.singleLine(text.suffix(fromByte: start))
                        links.append(DocumentLink(kind: .address, target: address, text: label))
                    }
                default: try readText(&text)
                }
            }, text: { text += $0.replacingOccurrences(of: "\n", with: " ") })
    }
}
