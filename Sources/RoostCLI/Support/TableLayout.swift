struct TableColumn: Sendable {
    enum Style {
        case plain, bold, dim
    }

    /// The name of the column, in the header.
    var name: String
    var style = Style.plain
    /// The number of characters of a cell that tables show, as for ids; `nil` for all.
    var shownLength: Int?
    /// Whether the column contains numbers, which are aligned at their last digits.
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
    /// The number of spaces between two columns.
    private static let gap = 2
    /// The minimum width of a column that can be shortened.
    private static let minimumWidth = 4
    /// The width below which such a column becomes only if it is also necessary to shorten names of columns.
    private static let readableWidth = 16
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
