import Foundation

/// Reads the rows of a table of HTML or XHTML. Tables within its cells become text.
final class MarkupTable {
    /// The links in the cells, in order.
    private(set) var links: [DocumentLink] = []

    private let xml: XMLPull

    init(_ xml: XMLPull) { self.xml = xml }

    /// Calls a closure with the cells of each row of the table that was started last.
    func readRows(_ add: ([String]) -> Void) throws {
        try xml.children { element in
            switch element.name.lowercased() {
            case "tr":
                var cells: [String] = []
                try xml.children { cell in
                    guard ["td", "th"].contains(cell.name.lowercased()) else { return }
                    var text = ""
                    try readText(&text)
                    cells.append(text.trimmingCharacters(in: .whitespacesAndNewlines))
                    let span = cell["colspan"].flatMap { Int($0) } ?? 1
                    cells += Array(repeating: "", count: min(max(span, 1), 64) - 1)
                }
                if cells.contains(where: { !$0.isEmpty }) { add(cells) }
            case "thead", "tbody", "tfoot": try readRows(add)
            case "caption": add([MarkdownText.singleLine(try xml.text())])
            default: break
            }
        }
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
