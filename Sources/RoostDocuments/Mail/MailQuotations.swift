import RoostModel

/// The quotations and the signature of a message: lines that begin with `>`, the line with a date above them,
/// everything after `-----Original Message-----`, and everything after a line `-- `.
///
/// A message that consists of nothing else has no hidden parts, so that its text can be found.
struct MailQuotations {
    private(set) var parts: [TextStructure.HiddenPart] = []

    /// The maximum number of lines above a quotation that name its author and date.
    private static let maximumAttributionLines = 2

    init(_ text: String) {
        let length = text.utf8.count
        var offset = 0
        var rest: TextStructure.HiddenPart.Kind?
        var hasVisibleText = false
        // The lines since the last empty one, which can be an attribution.
        var paragraph: (range: Range<Int>, text: String, lines: Int)?
        var isParagraphOpen = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let range = offset..<min(offset + line.utf8.count + 1, length)
            offset = range.upperBound
            let content = String(line).trimmed
            // The mark of an HTML part, which was converted to Markdown, has a backslash and no space.
            if rest == nil, ["-- ", "-- \r", "\\--"].contains(line) { rest = .signature }
            if rest == nil, content == "-----Original Message-----" { rest = .quotation }
            if let rest {
                append(range, rest)
            } else if content.hasPrefix(">") {
                if let above = paragraph, above.lines <= Self.maximumAttributionLines,
                    above.text.hasSuffix(":"), above.text.contains(where: \.isNumber)
                {
                    append(above.range, .quotation)
                } else if paragraph != nil {
                    hasVisibleText = true
                }
                (paragraph, isParagraphOpen) = (nil, false)
                append(range, .quotation)
            } else if content.isEmpty {
                isParagraphOpen = false
            } else if isParagraphOpen, let above = paragraph {
                // A program can break the attribution after the date.
                let text = above.lines == 1 ? above.text + " " + content : content
                paragraph = (above.range.lowerBound..<range.upperBound, text, above.lines + 1)
            } else {
                if paragraph != nil { hasVisibleText = true }
                (paragraph, isParagraphOpen) = ((range, content, 1), true)
            }
        }
        if paragraph == nil, !hasVisibleText { parts = [] }
    }

    private mutating func append(_ range: Range<Int>, _ kind: TextStructure.HiddenPart.Kind) {
        guard !range.isEmpty else { return }
        if let last = parts.last, last.kind == kind, last.range.upperBound == range.lowerBound {
            parts[parts.count - 1].range = last.range.lowerBound..<range.upperBound
        } else {
            parts.append(TextStructure.HiddenPart(kind: kind, range: range))
        }
    }
}
