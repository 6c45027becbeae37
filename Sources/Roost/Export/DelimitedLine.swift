/// Writes the lines of CSV and TSV.
package enum DelimitedLine {
    /// Returns the cells as a line of CSV (RFC 4180), without a line break.
    package static func csv(_ cells: [String]) -> String {
        cells.map(field).joined(separator: ",")
    }

    /// Returns the cells as a line of TSV, without a line break. Tabs and line breaks in cells become spaces.
    package static func tsv(_ cells: [String]) -> String {
        cells.map { String($0.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }.joined(separator: "\t")
    }

    /// Returns a text that spreadsheets do not run as a formula: one that begins with `=`, `+`, `-`, `@` or
    /// one of their full-width forms, a tab, a carriage return or a line feed gets an apostrophe before it.
    package static func escapingFormula(_ text: String) -> String { isFormula(text) ? "'" + text : text }

    /// Returns whether a spreadsheet may run a text as a formula.
    private static func isFormula(_ text: String) -> Bool {
        // Some programs run a formula even if white space precedes it.
        let trimmed = text.unicodeScalars.drop { $0 == " " }
        guard let first = trimmed.first else { return false }
        return "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
    }

    private static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) || text.first == " " else {
            return text
        }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
