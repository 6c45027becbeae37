/// Writes the lines of CSV and TSV.
package enum DelimitedLine {
    /// Returns the cells as a line of CSV (RFC 4180), without a line break.
    package static func csv(_ cells: [String]) -> String {
        cells.map(field).joined(separator: ",")
    }

    /// Returns the cells as a line of TSV, without a line break. In cells, a tab, a line feed, a carriage
    /// return and a backslash become `\t`, `\n`, `\r` and `\\`, as in the text format of databases.
    package static func tsv(_ cells: [String]) -> String {
        cells.map { cell in
            cell.unicodeScalars.reduce(into: "") { $0 += tsvEscapes[$1] ?? String($1) }
        }.joined(separator: "\t")
    }

    private static let tsvEscapes: [Unicode.Scalar: String] = [
        "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\",
    ]

    /// Returns a text that spreadsheets do not run as a formula: one that begins with `=`, `+`, `-`, `@` or
    /// one of their full-width forms, a tab, a carriage return or a line feed gets an apostrophe before it.
    /// Another apostrophe is put before those in front of such a text, so that the change can be reverted.
    package static func escapingFormula(_ text: String) -> String {
        isFormula(text.drop { $0 == "'" }) ? "'" + text : text
    }

    /// Returns the text from which ``escapingFormula(_:)`` made a cell.
    package static func unescapingFormula(_ cell: String) -> String {
        cell.first == "'" && isFormula(cell.drop { $0 == "'" }) ? String(cell.dropFirst()) : cell
    }

    private static func isFormula(_ text: some StringProtocol) -> Bool {
        // Some programs run a formula even if white space precedes it.
        let trimmed = text.unicodeScalars.drop { $0 == " " }
        guard let first = trimmed.first else { return false }
        return "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    }

    private static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) || text.first == " " else {
            return text
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return "\"" + parts.map { String(Substring($0)) }.joined(separator: "\"\"") + "\""
    }
}
