import Roost

/// The picture of `roost pick` on the terminal: the typed text, the number of entries, the list, and the text
/// of the selected entry.
///
/// All texts pass through ``TerminalText``, so that no text of a store reaches the terminal as an escape
/// sequence.
struct PickScreen {
    /// The numbers of columns and rows of the terminal.
    var columns: Int
    var rows: Int
    /// Whether lines are styled.
    var isStyled: Bool
    /// A remark after the number of entries; empty for none.
    var remark = ""

    /// The minimum number of rows with which the text of the entry is shown.
    private static let minimumRowsWithText = 10
    /// The maximum number of characters of a text that are shown.
    private static let maximumTextLength = 20_000
    private static let prompt = "> "

    /// Returns the bytes that draw the picture, with the cursor after the typed text.
    ///
    /// - Parameters:
    ///   - list: The state of the list.
    ///   - text: The text of the selected entry.
    func drawing(of list: PickList, text: String) -> String {
        let lines = lines(of: list, text: text)
        let drawn = lines.map { "\u{1B}[0m\($0)\u{1B}[K" }.joined(separator: "\r\n")
        let column = min(columns, TextWidth.columns(of: typed(list)) + 1)
        return "\u{1B}[?25l\u{1B}[H\(drawn)\u{1B}[0m\u{1B}[J\u{1B}[1;\(column)H\u{1B}[?25h"
    }

    /// Returns the lines, each at most as wide as the terminal.
    func lines(of list: PickList, text: String) -> [String] {
        let hasText = rows >= Self.minimumRowsWithText
        let listRows = max(1, hasText ? (rows - 3) / 2 : rows - 2)
        let counts = "\(list.matches.count)/\(list.items.count)" + (remark.isEmpty ? "" : "  \(remark)")
        var lines = [typed(list), styled("2", TextWidth.shortened(counts, to: columns))]
        // The selection is kept within the shown part of the list.
        let first = max(0, list.selection - listRows + 1)
        for position in first..<first + listRows {
            guard position < list.matches.count else {
                lines.append("")
                continue
            }
            let item = list.items[list.matches[position]]
            lines.append(row(item, isSelected: position == list.selection))
        }
        guard hasText else { return lines }
        lines.append(styled("2", String(repeating: "-", count: columns)))
        return lines + wrapped(text).prefix(rows - lines.count)
    }

    private func typed(_ list: PickList) -> String {
        let text = Terminal.safe(list.query)
        return Self.prompt + TextWidth.shortenedAtStart(text, to: max(1, columns - Self.prompt.count - 1))
    }

    private func row(_ item: PickItem, isSelected: Bool) -> String {
        let available = max(1, columns - 4)
        let path = TextWidth.shortenedAtStart(item.path, to: available / 2)
        let title = TextWidth.shortened(item.title, to: max(1, available - TextWidth.columns(of: path)))
        let marker = isSelected ? "> " : "  "
        let line = marker + styled(isSelected ? "1;7" : "0", title)
        return path.isEmpty ? line : line + "  " + styled("2", path)
    }

    private func styled(_ parameters: String, _ text: String) -> String {
        isStyled ? "\u{1B}[\(parameters)m\(text)\u{1B}[0m" : text
    }

    /// Returns the lines of a text, with long lines divided.
    private func wrapped(_ text: String) -> [String] {
        let shown = TerminalText.safe(String(text.prefix(Self.maximumTextLength)), keepingLines: true)
        var lines: [String] = []
        for line in shown.split(separator: "\n", omittingEmptySubsequences: false) {
            guard lines.count < rows else { break }
            var (current, width) = ("", 0)
            for character in line.replacing("\t", with: "    ") {
                let size = TextWidth.columns(of: character)
                if width + size > columns {
                    lines.append(current)
                    (current, width) = ("", 0)
                }
                current.append(character)
                width += size
            }
            lines.append(current)
        }
        return lines
    }
}
