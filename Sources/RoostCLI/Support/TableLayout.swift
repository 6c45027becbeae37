/// The widths of the columns of a table, in which cells are aligned by the number of columns that they
/// occupy on a terminal.
struct TableLayout {
    /// The number of spaces between two columns.
    private static let gap = 2
    /// The minimum width of a column that can be shortened.
    private static let minimumWidth = 4
    /// The maximum width of such a column without a terminal. Longer cells are complete, but do not widen the
    /// column, because all other lines would be filled with spaces.
    private static let maximumAlignedWidth = 100

    private let columns: [TableColumn]
    private let widths: [Int]
    /// Whether cells are shortened to the widths.
    private let isCut: Bool

    /// Computes the widths.
    ///
    /// - Parameters:
    ///   - columns: The columns of the table.
    ///   - rows: The rows from which the widths are computed; each has one cell per column.
    ///   - width: The width of the terminal; `nil` for output that is not shortened.
    init(_ columns: [TableColumn], rows: [[String]], width: Int?) {
        self.columns = columns
        var widths = columns.indices.map { index in
            (rows.map { TextWidth.columns(of: $0[index]) } + [TextWidth.columns(of: columns[index].name)])
                .max() ?? 0
        }
        isCut = width != nil
        if let width {
            let gaps = Self.gap * max(0, columns.count - 1)
            Self.shrink(&widths, columns, to: width - gaps)
        } else {
            for index in columns.indices where columns[index].isFlexible {
                widths[index] = min(widths[index], Self.maximumAlignedWidth)
            }
        }
        self.widths = widths
    }

    /// Reduces the widths of the flexible columns, the widest first, until all columns fit.
    private static func shrink(_ widths: inout [Int], _ columns: [TableColumn], to available: Int) {
        let flexible = columns.indices.filter { columns[$0].isFlexible }
        var excess = widths.reduce(0, +) - available
        while excess > 0, let widest = flexible.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > minimumWidth
        {
            widths[widest] -= 1
            excess -= 1
        }
    }

    /// The names of the columns.
    var header: String { Terminal.dim(line(columns.map(\.name), isStyled: false)) }

    /// Returns the line of a row.
    ///
    /// - Parameter isStyled: Whether the cells have the styles of their columns.
    func line(_ cells: [String], isStyled: Bool = true) -> String {
        var parts: [String] = []
        for (index, column) in columns.enumerated() {
            let cell = isCut && column.isFlexible ? shortened(cells[index], index) : cells[index]
            let isLast = index == columns.count - 1
            let padding = String(repeating: " ", count: max(0, widths[index] - TextWidth.columns(of: cell)))
            let styled = isStyled ? Self.styled(cell, column.style) : cell
            parts.append(column.isNumber ? padding + styled : styled + (isLast ? "" : padding))
        }
        let line = parts.joined(separator: String(repeating: " ", count: Self.gap))
        return String(line.reversed().drop { $0 == " " }.reversed())
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
