/// A column of a list.
struct TableColumn: Sendable {
    /// The style of the cells.
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
