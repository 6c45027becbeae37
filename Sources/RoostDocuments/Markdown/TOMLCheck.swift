/// Finds errors in TOML that would end the process, because TOMLKit checks them only by assertions: a
/// missing value, a date with `T` but without an hour, and white space and other characters that TOML permits
/// only in strings and comments.
struct TOMLCheck {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// The last byte outside of strings and comments that is not white space.
    private var previous: UInt8 = 0

    /// Returns the number of the first line with such an error, from 1; `nil` if no line has one.
    ///
    /// - Complexity: O(length of text).
    static func invalidLine(_ text: String) -> Int? {
        var check = Self(bytes: Array(text.utf8))
        return check.invalidLine()
    }

    /// The open brackets and braces.
    private var open: [UInt8] = []
    /// Whether the next byte that is not white space must begin a key.
    private var expectsKey = false
    /// Whether the open brackets are those of the header of a table.
    private var isInHeader = false

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func invalidLine() -> Int? {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x0A { line += 1 }
            // Some invalid inline tables also end the process, so all inline tables are refused.
            if byte == UInt8(ascii: "{") || isInvalidHeader(byte) || isForbidden(byte)
                || !byte.isMarkdownSpace && !updateNesting(byte)
            {
                return line
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(byte)
                previous = byte
                continue
            case UInt8(ascii: "]"), UInt8(ascii: ","): if previous == UInt8(ascii: "=") { return line }
            case UInt8(ascii: "}"):
                if [UInt8(ascii: "="), UInt8(ascii: "["), UInt8(ascii: ",")].contains(previous) {
                    return line
                }
            case UInt8(ascii: "#"):
                if previous == UInt8(ascii: "=") { return line }
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
                continue
            default: if isIncompleteTime() { return line }
            }
            if !byte.isMarkdownSpace { previous = byte }
            index += 1
        }
        return nil
    }

    /// Returns whether the current byte may only occur in strings and comments.
    private func isForbidden(_ byte: UInt8) -> Bool {
        if byte == 0x0D { return index + 1 >= bytes.count || bytes[index + 1] != 0x0A }
        return byte >= 0x7F || (byte < 0x20 && byte != 0x09 && byte != 0x0A)
    }

    /// Returns whether a bracket begins the header of a table that is not a simple name.
    private func isInvalidHeader(_ byte: UInt8) -> Bool {
        guard byte == UInt8(ascii: "["), open.isEmpty, previous != UInt8(ascii: "=") else { return false }
        let rest = bytes[index...].prefix { $0 != 0x0A && $0 != UInt8(ascii: "]") }.drop { $0 == byte }
        let name = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = name.allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy {
                    $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
                }
        }
        return !isName
    }

    /// Records brackets and commas. Returns `false` if a key must begin at this byte and does not.
    private mutating func updateNesting(_ byte: UInt8) -> Bool {
        if expectsKey {
            let isKey =
                byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            let isEmptyTable = byte == UInt8(ascii: "}") && previous == UInt8(ascii: "{")
            // Both brackets of `[[` are adjacent.
            let isHeader =
                byte == UInt8(ascii: "[") && index > 0 && bytes[index - 1] == byte && open.count == 1
                && isInHeader
            guard isKey || isEmptyTable || isHeader else { return false }
        }
        let isAfterEquals = previous == UInt8(ascii: "=")
        expectsKey = false
        switch byte {
        case UInt8(ascii: "{"):
            open.append(byte)
            expectsKey = true
        case UInt8(ascii: "["):
            // Without `=` before it and outside of values, a bracket begins the header of a table.
            expectsKey =
                !isAfterEquals && (open.isEmpty || (open.count == 1 && previous == byte && isInHeader))
            isInHeader = expectsKey
            open.append(byte)
        case UInt8(ascii: "]"), UInt8(ascii: "}"): _ = open.popLast()
        case UInt8(ascii: ","): expectsKey = open.last == UInt8(ascii: "{")
        case UInt8(ascii: "."): expectsKey = isInHeader && !open.isEmpty
        default: break
        }
        return true
    }

    /// Skips a string in one or three quotation marks.
    private mutating func skipString(_ quote: UInt8) {
        let isLong = index + 2 < bytes.count && bytes[index + 1] == quote && bytes[index + 2] == quote
        index += isLong ? 3 : 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x0A {
                line += 1
                if !isLong { return }
            }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index += 2
            } else if byte == quote, !isLong {
                index += 1
                return
            } else if byte == quote, index + 2 < bytes.count, bytes[index + 1] == quote,
                bytes[index + 2] == quote
            {
                index += 3
                return
            } else {
                index += 1
            }
        }
    }

    /// Returns whether the current byte separates a date from a time without an hour.
    private func isIncompleteTime() -> Bool {
        guard index >= 10, [UInt8(ascii: "T"), UInt8(ascii: "t"), 32].contains(bytes[index]),
            bytes[index - 3] == UInt8(ascii: "-"), bytes[index - 6] == UInt8(ascii: "-"),
            bytes[(index - 10)..<(index - 6)].allSatisfy(\.isASCIIDigit)
        else { return false }
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
        // A space can also precede a comment or the end of the value.
        let isEnd = next.isMarkdownSpace || [UInt8(ascii: "#"), 0x2C, 0x5D, 0x7D].contains(next)
        return !next.isASCIIDigit && !(bytes[index] == 32 && isEnd)
    }
}
