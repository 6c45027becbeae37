import Foundation

/// Parses comma-separated values (RFC 4180) and similar formats. Quoted fields may contain separators,
/// doubled quotes and line breaks. Between tabs, quotation marks are text.
struct DelimitedText {
    struct Row {
        /// The number of the row, from 1 for the header. Empty lines are not counted.
        var number: Int
        /// The number of the line on which the row begins, from 1.
        var line: Int
        /// The number of the line on which the row ends.
        var lastLine: Int
        /// The unquoted fields.
        var fields: [String]
    }

    /// The ASCII character between fields.
    let separator: Character

    /// Returns the separator of comma-separated values: a semicolon if the first row contains more semicolons
    /// than commas outside of quoted fields. Spreadsheets write this where the comma separates decimals.
    static func separator(of text: String) -> Character {
        let (quote, comma, semicolon) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"))
        var (commas, semicolons) = (0, 0)
        // A quotation mark opens a quoted field at the beginning of a field, and again after a closing one.
        var (isQuoted, canOpen) = (false, true)
        for byte in text.utf8 {
            if byte == quote {
                (isQuoted, canOpen) = (!isQuoted && canOpen, isQuoted)
            } else if !isQuoted {
                if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
                if byte == comma { commas += 1 }
                if byte == semicolon { semicolons += 1 }
                canOpen = byte == comma || byte == semicolon
            }
        }
        return semicolons > commas ? ";" : ","
    }

    /// Returns the rows of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of the input, for messages.
    /// - Throws: ``RoostError`` with `.badInput` if a quoted field is not closed.
    func rows(of text: String, name: String) throws -> [Row] {
        let bytes = Data(text.utf8)
        var reader = DelimitedRows(separator: separator, name: name) { bytes.dropFirst($0).prefix($1) }
        var rows: [Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }
}
