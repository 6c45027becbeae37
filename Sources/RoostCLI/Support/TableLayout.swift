struct TableColumn: Sendable {
    enum Style {
        case plain, bold, dim
    }

    var name: String
    var style = Style.plain
    /// The number of characters of a cell that tables show, as for ids; `nil` for all.
    var shownLength: Int?
    var isNumber = false
    /// Whether the cells are shortened if the table is wider than the terminal.
    var isFlexible = false
    /// Whether the beginning of a cell is removed when it is shortened, as for paths.
    var keepsEnd = false
    /// Whether the column occurs only in CSV and TSV, not in tables.
    var isDetail = false
    /// Whether the column occurs only in tables, such as one that joins the cells of other columns.
    var isTableOnly = false
}

/// The widths of the columns of a table, in which cells are aligned by the number of columns that they
/// occupy on a terminal.
struct TableLayout {
    private static let gap = 2
    private static let minimumWidth = 4
    /// The width below which such a column becomes only if it is also necessary to shorten names of columns.
    private static let readableWidth = 16
    /// The maximum width of such a column without a terminal. Longer cells are complete, but do not widen the
    /// column, because all other lines would be filled with spaces.
    private static let maximumAlignedWidth = 100

    private let columns: [TableColumn]
    private let widths: [Int]
    private let isCut: Bool

    init(_ columns: [TableColumn], rows: [[String]], width: Int?) {
        self.columns = columns
        let cellWidths = columns.indices.map { index in
            rows.map { TextWidth.columns(of: $0[index]) }.max() ?? 0
        }
        var widths = columns.indices.map { max(cellWidths[$0], TextWidth.columns(of: columns[$0].name)) }
        isCut = width != nil
        if let width {
            let gaps = Self.gap * max(0, columns.count - 1)
            Self.shrink(&widths, columns, cellWidths, to: width - gaps)
        } else {
            for index in columns.indices where columns[index].isFlexible {
                widths[index] = min(widths[index], Self.maximumAlignedWidth)
            }
        }
        self.widths = widths
    }

    /// Reduces widths until all columns fit: those of flexible columns, then those of columns whose names are
    /// wider than their cells, and then those of flexible columns again.
    private static func shrink(
        _ widths: inout [Int], _ columns: [TableColumn], _ cellWidths: [Int], to available: Int
    ) {
        let flexible = columns.indices.filter { columns[$0].isFlexible }
        // A very long cell would need as many steps as it has columns.
        for index in flexible { widths[index] = min(widths[index], max(available, minimumWidth)) }
        let named = columns.indices.filter { !columns[$0].isFlexible && cellWidths[$0] < widths[$0] }
        func shrinkWidest(_ indexes: [Int], to minimum: (Int) -> Int) {
            var excess = widths.reduce(0, +) - available
            while excess > 0,
                let widest = indexes.filter({ widths[$0] > minimum($0) }).max(by: { widths[$0] < widths[$1] })
            {
                widths[widest] -= 1
                excess -= 1
            }
        }
        shrinkWidest(flexible) { _ in readableWidth }
        shrinkWidest(named) { max(minimumWidth, cellWidths[$0]) }
        shrinkWidest(flexible) { _ in minimumWidth }
    }

    var header: String {
        let names = columns.indices.map { index in
            isCut ? TextWidth.shortened(columns[index].name, to: widths[index]) : columns[index].name
        }
        return Terminal.dim(line(names, isStyled: false))
    }

    /// Returns a line that is indented by two spaces and fits on the terminal. Its parts are not aligned with
    /// those of other lines.
    static func indentedLine(_ cells: [String], _ styles: [TableColumn]) -> String {
        let width = Terminal.columns.map { $0 - gap }
        return String(repeating: " ", count: gap)
            + TableLayout(styles, rows: [cells], width: width).line(cells)
    }

    func line(_ cells: [String], isStyled: Bool = true) -> String {
        var parts: [String] = []
        for (index, column) in columns.enumerated() {
            let cell = isCut && column.isFlexible ? shortened(cells[index], index) : cells[index]
            let isLast = index == columns.count - 1
            let padding = String(repeating: " ", count: max(0, widths[index] - TextWidth.columns(of: cell)))
            let styled = isStyled ? Self.styled(cell, column.style) : cell
            parts.append(column.isNumber ? padding + styled : styled + (isLast ? "" : padding))
        }
        var line = parts.joined(separator: String(repeating: " ", count: Self.gap))
        while line.last == " " { line.removeLast() }
        return line
    }

    private func shortened(_ cell: String, _ index: Int) -> String {
        columns[index].keepsEnd
            ? TextWidth.shortenedAtStart(cell, to: widths[index])
            : TextWidth.shortened(cell, to: widths[index])
    }

    private static func styled(_ cell: String, _ style: TableColumn.Style) -> String {
        switch style {
        case .plain: cell
        case .bold: Terminal.bold(cell)
        case .dim: Terminal.dim(cell)
        }
    }
}

/// Measures and cuts text by the number of columns that it occupies on a terminal.
enum TextWidth {
    /// The blocks of characters that occupy two columns (East Asian Width W and F, UAX 11), without the
    /// characters that are shown as emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]

    static func columns(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.value < 0x300 { return character.isASCII || first.value != 0xAD ? 1 : 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let rest = character.unicodeScalars.dropFirst()
        // The variation selector 16 requests the presentation as an emoji.
        let isEmoji = rest.contains { $0.value == 0xFE0F }
        return (isEmoji || isWide(first) ? 2 : 1) + rest.count(where: isSpacing)
    }

    /// Returns whether a scalar occupies a column, although it belongs to the character before it: the vowels
    /// of Indic scripts, and the vowel am of Thai and Lao.
    private static func isSpacing(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0xE33 || scalar.value == 0xEB3 || scalar.properties.generalCategory == .spacingMark
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    static func columns(of text: some StringProtocol) -> Int {
        text.utf8.allSatisfy({ $0 < 128 }) ? text.utf8.count : text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns a text that occupies at most `limit` columns. A longer text ends with an ellipsis.
    static func shortened(_ text: String, to limit: Int) -> String {
        guard columns(of: text) > limit else { return text }
        var (result, width) = ("", 0)
        for character in text {
            width += columns(of: character)
            if width > limit - 1 { break }
            result.append(character)
        }
        return limit > 0 ? result + "…" : ""
    }

    /// Returns the end of a text, with an ellipsis before it if the text occupies more than `limit` columns.
    static func shortenedAtStart(_ text: String, to limit: Int) -> String {
        guard columns(of: text) > limit else { return text }
        var (result, width) = ([Character](), 0)
        for character in text.reversed() {
            width += columns(of: character)
            if width > limit - 1 { break }
            result.append(character)
        }
        return limit > 0 ? "…" + String(result.reversed()) : ""
    }
}
