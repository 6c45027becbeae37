import Foundation

/// Parses comma-separated values (RFC 4180) and similar formats, row by row, from bytes that are read in pieces.
/// At most one piece and one row are in memory.
///
/// Quoted fields may contain separators, doubled quotes and line breaks. Between tabs, quotation marks are text.
struct DelimitedRows {
    struct Row {
        /// The number of the row, from 1 for the header. Empty lines are not counted.
        var number: Int
        var line: Int
        var lastLine: Int
        var fields: [String]
    }

    private let read: ByteLines.Read
    private let separator: UInt8
    private let name: String
    private var buffer: [UInt8] = []
    private var index = 0
    private var offset = 0
    private var isAtEnd = false
    private var line = 1
    private var count = 0

    private static let pieceSize = 1 << 20

    /// - Parameter separator: The ASCII character between fields.
    init(separator: Character, name: String, _ read: @escaping ByteLines.Read) {
        self.separator = separator.asciiValue ?? UInt8(ascii: ",")
        (self.name, self.read) = (name, read)
    }

    /// Returns the separator of comma-separated values: a semicolon if the first row contains more semicolons
    /// than commas outside of quoted fields. Spreadsheets write this where the comma separates decimals.
    ///
    /// A first line such as `sep=;` states it to spreadsheet programs.
    static func separator(of text: String) -> Character {
        if text.hasPrefix("sep="), let stated = text.dropFirst(4).first, stated.isASCII,
            text.dropFirst(5).first?.isNewline ?? true
        {
            return stated
        }
        let (quote, comma, semicolon) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"))
        var (commas, semicolons) = (0, 0)
        var isQuoted = false
        for byte in text.utf8 {
            if byte == quote { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            if byte == comma { commas += 1 }
            if byte == semicolon { semicolons += 1 }
        }
        return semicolons > commas ? ";" : ","
    }

    /// Returns the next row that is not empty; `nil` after the last one.
    mutating func next() throws -> Row? {
        let (quote, newline, carriageReturn) = (UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var (fields, field, isQuoted) = ([String](), [UInt8](), false)
        var firstLine = line
        var quotedLine = line
        while let byte = try peek() {
            index += 1
            // A carriage return and a line feed together end one line.
            let isPair = try byte == carriageReturn && peek() == newline
            if byte == newline || (byte == carriageReturn && !isPair) { line += 1 }
            if isQuoted {
                if byte != quote {
                    append(byte, to: &field)
                } else if try peek() == quote {
                    field.append(quote)
                    index += 1
                } else {
                    isQuoted = false
                }
            } else if byte == quote, field.isEmpty, separator != UInt8(ascii: "\t") {
                (isQuoted, quotedLine) = (true, line)
            } else if byte == separator {
                try end(&field, &fields, firstLine)
            } else if byte == newline || byte == carriageReturn {
                if isPair {
                    index += 1
                    line += 1
                }
                try end(&field, &fields, firstLine)
                if let row = row(fields, from: firstLine, to: line - 1) { return row }
                (fields, firstLine) = ([], line)
            } else {
                append(byte, to: &field)
            }
        }
        guard !isQuoted else {
            throw RoostError(
                .badInput,
                "cannot read \(name): the quoted field that begins on line \(quotedLine) is not closed")
        }
        if field.isEmpty, fields.isEmpty { return nil }
        try end(&field, &fields, firstLine)
        return row(fields, from: firstLine, to: line)
    }

    /// Adds a byte to a field, with the bytes that follow it and have no special meaning.
    private mutating func append(_ byte: UInt8, to field: inout [UInt8]) {
        field.append(byte)
        let (quote, newline, carriageReturn) = (UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let rest = buffer[index...].prefix {
            $0 != separator && $0 != quote && $0 != newline && $0 != carriageReturn
        }
        field += rest
        index = rest.endIndex
    }

    private func end(_ field: inout [UInt8], _ fields: inout [String], _ line: Int) throws {
        guard let text = String(validating: field, as: UTF8.self) else {
            throw RoostError(.badInput, "cannot read \(name): the row on line \(line) is not valid UTF-8")
        }
        fields.append(text)
        field.removeAll(keepingCapacity: true)
    }

    private mutating func row(_ fields: [String], from first: Int, to last: Int) -> Row? {
        let isSeparatorLine = first == 1 && fields == ["sep=", ""]
        guard fields != [""], !isSeparatorLine else { return nil }
        count += 1
        return Row(number: count, line: first, lastLine: last, fields: fields)
    }

    /// Returns the next byte, and reads the next piece if necessary; `nil` at the end.
    private mutating func peek() throws -> UInt8? {
        if index == buffer.count, !isAtEnd {
            (buffer, index) = (Array(try read(offset, Self.pieceSize)), 0)
            offset += buffer.count
            isAtEnd = buffer.isEmpty
        }
        return index < buffer.count ? buffer[index] : nil
    }
}
