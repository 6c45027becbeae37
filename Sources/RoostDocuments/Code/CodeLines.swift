/// The lines of source code.
struct CodeLines {
    /// The bytes of the text.
    let source: [UInt8]
    /// The bytes with comments and strings masked.
    let mask: [UInt8]
    /// The offsets at which the lines begin, followed by the length of the text.
    let starts: [Int]
    /// The columns of the first characters of all lines in the mask, or -1 for blank lines. Long
    /// indentations would be read again for each statement.
    private let columns: [Int32]

    /// Whether a text before a declaration documents it, as in Julia and Elixir.
    private let hasDocumentationTexts: Bool

    init(source: [UInt8], mask: [UInt8], language: CodeLanguage) {
        self.source = source
        hasDocumentationTexts = ["julia", "elixir"].contains(language.name)
        self.mask = mask
        var starts = [0]
        for (index, byte) in source.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        if starts.last != source.count { starts.append(source.count) }
        self.starts = starts
        columns = starts.indices.dropLast().map { line in
            Self.column(mask[starts[line]..<starts[line + 1]]).map { Int32(clamping: $0) } ?? -1
        }
    }

    /// The number of lines.
    var count: Int { starts.count - 1 }

    /// Returns the range of a line with its line break.
    func range(_ line: Int) -> Range<Int> { starts[line]..<starts[line + 1] }

    /// Returns the index of the line that contains a byte.
    func line(of offset: Int) -> Int {
        var (low, high) = (0, max(count - 1, 0))
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= offset { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the column, from 0, of the first character of a line that is neither a space nor a tab, in the
    /// mask or in the text; `nil` for a blank line. A tab advances to the next multiple of 8 columns.
    ///
    /// - Complexity: O(1) in the mask, and O(length of line) in the text.
    func indentation(_ line: Int, masked: Bool = true) -> Int? {
        guard masked else { return Self.column(source[range(line)]) }
        return columns[line] < 0 ? nil : Int(columns[line])
    }

    private static func column(_ line: ArraySlice<UInt8>) -> Int? {
        var column = 0
        for byte in line {
            switch byte {
            case UInt8(ascii: " "): column += 1
            case UInt8(ascii: "\t"): column += 8 - column % 8
            case 0x0A, 0x0D: return nil
            default: return column
            }
        }
        return nil
    }

    /// Returns the first byte of a line in the mask that is not a space.
    func firstByte(_ line: Int) -> UInt8? { mask[range(line)].first { $0 > 0x20 } }

    /// Returns the index of the first line of the comments and attributes directly before a line; the index
    /// of the line itself if it has none.
    ///
    /// - Parameter minimum: The first line that may belong to them.
    func leadingLine(before line: Int, minimum: Int) -> Int {
        var first = line
        while first > minimum {
            let previous = first - 1
            guard let byte = source[range(previous)].first(where: { $0 > 0x20 }) else { break }
            // A tag around the code in a page is masked like a comment, but it is not one.
            if byte == UInt8(ascii: "<") { break }
            if indentation(previous) != nil, firstByte(previous) != UInt8(ascii: "@") {
                guard let attribute = attributeLine(endingAt: previous, minimum: minimum) else { break }
                first = attribute
                continue
            }
            if endsWithText(previous) {
                guard let text = textLine(endingAt: previous, minimum: minimum) else { break }
                first = text
                continue
            }
            first = commentLine(endingAt: previous, minimum: minimum) ?? previous
        }
        return first
    }

    /// The signs at the beginning and the end of comments that can contain blank lines.
    private static let commentSigns = [("/*", "*/"), ("#=", "=#"), ("{-", "-}"), ("(*", "*)")].map {
        (open: Array($0.0.utf8), close: Array($0.1.utf8))
    }
    /// The sign at the beginning and the end of a text in several lines.
    private static let textSign = Array("\"\"\"".utf8)
    /// The maximum number of lines of a comment or text with blank lines.
    private static let maximumCommentLength = 200

    /// Returns the first line of a comment in several lines that ends with a line; `nil` if none does.
    private func commentLine(endingAt last: Int, minimum: Int) -> Int? {
        let end = trimmedLine(last)
        let signs = Self.commentSigns.first { end.suffix($0.close.count) == $0.close[...] }
        guard let signs, !end.starts(with: signs.open) else { return nil }
        for line in (max(minimum, last - Self.maximumCommentLength)..<last).reversed() {
            guard indentation(line) == nil else { return nil }
            if trimmedLine(line).starts(with: signs.open) { return line }
        }
        return nil
    }

    /// Returns whether a line ends with the sign of a text in several lines, outside of code.
    private func endsWithText(_ line: Int) -> Bool { trimmedLine(line).suffix(3) == Self.textSign[...] }

    /// Returns the first line of the documentation that ends with a line; `nil` if the text there is not
    /// documentation, such as that of the class around a method of Python.
    private func textLine(endingAt last: Int, minimum: Int) -> Int? {
        guard hasDocumentationTexts else { return nil }
        let end = trimmedLine(last)
        if end.count > 3, end.starts(with: Self.textSign) { return last }
        for line in (max(minimum, last - Self.maximumCommentLength)..<last).reversed() {
            let text = trimmedLine(line)
            // In Elixir, an attribute precedes the text: `@doc \"\"\"`.
            if indentation(line) != nil {
                let isAttribute = text.first == UInt8(ascii: "@") && text.suffix(3) == Self.textSign[...]
                return isAttribute ? line : nil
            }
            if text.starts(with: Self.textSign) { return line }
        }
        return nil
    }

    /// Returns the bytes of a line without white space at its ends.
    private func trimmedLine(_ line: Int) -> ArraySlice<UInt8> {
        let bytes = source[range(line)].drop { $0 <= 0x20 }
        return bytes.prefix(upTo: bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? bytes.startIndex)
    }

    /// The maximum number of lines of an attribute.
    private static let maximumAttributeLength = 100

    /// Returns the first line of an attribute whose arguments end with a line; `nil` if none does.
    private func attributeLine(endingAt last: Int, minimum: Int) -> Int? {
        guard let end = firstByte(last), ")]}".utf8.contains(end), let column = indentation(last) else {
            return nil
        }
        let first = max(minimum, last - Self.maximumAttributeLength)
        for line in stride(from: last - 1, through: first, by: -1) {
            guard let start = indentation(line), start <= column else { continue }
            return start == column && firstByte(line) == UInt8(ascii: "@") ? line : nil
        }
        return nil
    }

    /// The maximum number of bytes of a text that names a declaration.
    private static let maximumNameLength = 100

    /// Returns the text between the first two double quotation marks in a range; `nil` if it has fewer.
    func quotedText(in range: Range<Int>) -> String? {
        let mark = UInt8(ascii: "\"")
        guard let start = source[range].firstIndex(of: mark),
            let end = source[(start + 1)..<range.upperBound].firstIndex(of: mark), end > start + 1,
            end - start <= Self.maximumNameLength
        else { return nil }
        return String(decoding: source[(start + 1)..<end], as: UTF8.self)
    }
}
