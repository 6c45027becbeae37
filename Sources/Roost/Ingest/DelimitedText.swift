/// Parses comma-separated values (RFC 4180) and similar formats. Quoted fields may contain separators,
/// doubled quotes and line breaks.
struct DelimitedText {
    /// One row of the text.
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
        let bytes = Array(text.utf8)
        let (quote, newline, carriageReturn) = (UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let separator = separator.asciiValue ?? UInt8(ascii: ",")
        var rows: [Row] = []
        var fields: [String] = []
        var field: [UInt8] = []
        var (offset, isQuoted) = (0, false)
        var (line, firstLine) = (1, 1)
        func endField() {
            fields.append(String(decoding: field, as: UTF8.self))
            field.removeAll(keepingCapacity: true)
        }
        func endRow(on lastLine: Int) {
            endField()
            if fields != [""] {
                let row = Row(
                    number: rows.count + 1, line: firstLine, lastLine: lastLine,
                    fields: fields)
                rows.append(row)
            }
            fields = []
            firstLine = line
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            // A carriage return and a line feed together end one line.
            let isPair = byte == carriageReturn && offset < bytes.count && bytes[offset] == newline
            if byte == newline || (byte == carriageReturn && !isPair) { line += 1 }
            if isQuoted {
                if byte != quote {
                    field.append(byte)
                } else if offset < bytes.count, bytes[offset] == quote {
                    field.append(quote)
                    offset += 1
                } else {
                    isQuoted = false
                }
            } else if byte == quote, field.isEmpty {
                isQuoted = true
            } else if byte == separator {
                endField()
            } else if byte == newline || byte == carriageReturn {
                if isPair {
                    offset += 1
                    line += 1
                }
                endRow(on: line - 1)
            } else {
                field.append(byte)
            }
        }
        guard !isQuoted else {
            throw RoostError(
                .badInput, "cannot read \(name): a quoted field in row \(rows.count + 1) is not closed")
        }
        if !field.isEmpty || !fields.isEmpty { endRow(on: line) }
        return rows
    }
}
