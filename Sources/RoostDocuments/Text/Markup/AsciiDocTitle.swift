import Foundation

/// A heading of AsciiDoc in two lines: the title, and a line of characters below it that states the level.
///
///     Installation
///     ------------
struct AsciiDocTitle {
    /// The title as written.
    var text: String
    /// The level, from 1.
    var level: Int

    /// The characters of the underlines by level.
    private static let underlines = Array("=-~^+".utf8)
    /// The beginnings of lines of other kinds: a heading in one line, a title of a block, a cell, an item.
    private static let marks = ["= ", "== ", "=== ", ".", "|", "* ", "- "]
    /// The maximum difference between the lengths of the title and of the line below it. A line that begins
    /// a block of code can consist of the same characters.
    private static let maximumDifference = 1

    /// Reads the heading whose title is a line; `nil` if the line is no title.
    init?(_ lines: [String], at index: Int) {
        guard index + 1 < lines.count, let mark = lines[index + 1].utf8.first,
            let level = Self.underlines.firstIndex(of: mark), Self.beginsBlock(lines, at: index)
        else { return nil }
        let underline = lines[index + 1].trimmed
        let title = lines[index].trimmed
        guard underline.utf8.count > 1, underline.utf8.allSatisfy({ $0 == mark }),
            abs(title.unicodeScalars.count - underline.utf8.count) <= Self.maximumDifference,
            title.contains(where: { $0.isLetter || $0.isNumber }), !Self.isMarkup(title),
            !title.hasSuffix("::"), !Self.marks.contains(where: title.hasPrefix)
        else { return nil }
        text = title
        self.level = level + 1
    }

    /// Returns whether the line before a title can precede it. A line within a paragraph is no title.
    private static func beginsBlock(_ lines: [String], at index: Int) -> Bool {
        guard index > 0 else { return true }
        let previous = lines[index - 1].trimmed
        return previous.isEmpty || isMarkup(previous)
    }

    /// Returns whether a line contains attributes or a comment.
    private static func isMarkup(_ text: String) -> Bool {
        text.hasPrefix("[") && text.hasSuffix("]") || text.hasPrefix("//")
            || text.hasPrefix(":") && text.dropFirst().contains(":")
    }
}
