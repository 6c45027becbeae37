/// The keys and values of front matter.
struct FrontMatter {
    /// The keys and values, in order.
    var entries: [FrontMatterMember] = []
    /// The parts that could not be read, as messages for the user.
    var unreadParts: [String] = []

    /// The maximum number of values.
    static let maximumValues = 20_000
}

/// The position of the front matter at the beginning of a Markdown text: YAML between lines of `---`.
struct FrontMatterRange: Equatable {
    /// The maximum number of bytes of front matter.
    static let maximumLength = 1 << 20

    /// The range in UTF-8 bytes of the lines between the fences.
    let content: Range<Int>
    /// The number of lines, including the fences.
    let lineCount: Int

    /// Finds the front matter; `nil` if the text does not begin with a line `---`, if no line ends the front
    /// matter within ``maximumLength``, or if the first line between the fences that is neither blank nor a
    /// comment has no key. In the last two cases, the first line is a horizontal line.
    init?(_ lines: MarkdownLines) {
        guard lines.count >= 2, Self.isFence(0, of: lines, ["---"]) else { return nil }
        var line = 1
        while line < lines.count, lines.starts[line] <= Self.maximumLength {
            if Self.isFence(line, of: lines, ["---", "..."]) {
                guard Self.isPlausible(lines, lastLine: line) else { return nil }
                (content, lineCount) = (lines.starts[1]..<lines.starts[line], line + 1)
                return
            }
            line += 1
        }
        return nil
    }

    private static func isFence(_ line: Int, of lines: MarkdownLines, _ fences: [String]) -> Bool {
        let start = line == 0 && lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : lines.starts[line]
        let end = max(start, lines.trimmedRange(line).upperBound)
        return end - start == 3 && fences.contains(lines.bytes.text(start..<end))
    }

    private static func isPlausible(_ lines: MarkdownLines, lastLine: Int) -> Bool {
        for line in 1..<max(1, lastLine) {
            let range = lines.trimmedRange(line)
            guard let first = range.first.map({ lines.bytes[$0] }), first != UInt8(ascii: "#") else {
                continue
            }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "?")
                || lines.bytes[range].contains(UInt8(ascii: ":"))
        }
        return true
    }
}
