/// The definition of a link reference, such as `[label]: https://…`.
struct LinkDefinition {
    /// The normalized label, by which the definition is looked up.
    var label: String
    var target: String
    /// The range of the definition without the markers of block quotes before it.
    var range: Range<Int>

    /// Parses a line; `nil` if it is not a definition.
    init?(_ bytes: [UInt8], line: Range<Int>) {
        var index = line.lowerBound
        while index < line.upperBound, bytes[index] == 32 || bytes[index] == UInt8(ascii: ">") { index += 1 }
        let start = index
        guard index < line.upperBound, bytes[index] == UInt8(ascii: "[") else { return nil }
        index += 1
        guard index < line.upperBound, bytes[index] != UInt8(ascii: "^") else { return nil }
        while index < line.upperBound, index - start <= InlineScanner.maximumLabelLength,
            bytes[index] != UInt8(ascii: "]"), bytes[index] != UInt8(ascii: "[")
        {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let label = (start + 1)..<max(start + 1, min(index, line.upperBound))
        guard index + 1 < line.upperBound, bytes[index] == UInt8(ascii: "]"),
            bytes[index + 1] == UInt8(ascii: ":"), !bytes.trimmed(label).isEmpty
        else { return nil }
        index += 2
        while index < line.upperBound, bytes[index].isMarkdownSpace { index += 1 }
        guard let found = InlineScanner.targetRange(bytes, from: index, to: line.upperBound),
            found.end > index
        else { return nil }
        let title = bytes.trimmed(found.end..<line.upperBound)
        guard title.isEmpty || Self.isTitle(bytes, title, after: found.end) else { return nil }
        self.label = InlineScanner.label(bytes.text(label))
        target = InlineScanner.unescaped(bytes.text(found.target))
        range = start..<line.upperBound
    }

    private static func isTitle(_ bytes: [UInt8], _ range: Range<Int>, after end: Int) -> Bool {
        guard range.count >= 2, range.lowerBound > end else { return false }
        return switch (bytes[range.lowerBound], bytes[range.upperBound - 1]) {
        case (UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "'"), UInt8(ascii: "'")),
            (UInt8(ascii: "("), UInt8(ascii: ")")):
            true
        default: false
        }
    }
}
