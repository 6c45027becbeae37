import RoostModel

/// Reads the rows of a table of HTML or XHTML, and decides whether they are data or the layout of a page.
///
/// HTML mail consists of tables within tables: for columns, for spaces and for the width of the text.
final class MarkupTable {
    /// A cell that contains text.
    struct Cell {
        /// The index of its column.
        var column: Int
        /// The text without Markdown, with a line for each paragraph.
        var text: String
        /// The contents as Markdown.
        var markdown: String
        /// Whether the cell contains only text in one paragraph.
        var isSimple: Bool
    }

    /// The rows without empty cells; rows without text are omitted.
    private(set) var rows: [[Cell]] = []
    /// The links in the cells, in order.
    private(set) var links: [DocumentLink] = []
    /// Whether a cell contains a heading.
    private(set) var hasHeading = false

    /// The maximum length of a cell of a data table, in characters.
    private static let maximumCellLength = 1000
    /// The maximum mean length of the cells in a column of a data table without headers, in characters.
    /// Longer ones are paragraphs next to pictures.
    private static let maximumMeanLength = 200
    /// The maximum length of a row of a layout that becomes one line, such as `Total` and a price.
    private static let maximumLineLength = 120
    /// The maximum number of columns that a cell spans.
    private static let maximumSpan = 64

    private let xml: XMLPull
    private let limits: DocumentLimits
    private let maximumBytes: Int
    private var bytes = 0
    private var columns = 0
    private var hasHeaderCell = false
    private var hasNestedTable = false
    private let isPresentation: Bool

    /// Creates a reader of a table whose Markdown has at most a number of bytes.
    init(_ xml: XMLPull, _ element: XMLPull.Element, limits: DocumentLimits, maximumBytes: Int) {
        self.xml = xml
        self.limits = limits
        self.maximumBytes = maximumBytes
        isPresentation = ["presentation", "none"].contains(element["role"]?.lowercased())
    }

    /// Reads the rows of the table that was started last.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if the table becomes too long.
    func readRows() throws {
        try xml.children(
            { element in
                switch element.name.lowercased() {
                case "tr": try readRow()
                case "thead", "tbody", "tfoot": try readRows()
                case "caption":
                    if let cell = try readCell(column: 0) { rows.append([cell]) }
                default:
                    if let cell = try readCell(outside: element, column: 0) { rows.append([cell]) }
                }
            }, text: { if let cell = try readCell(outside: $0, column: 0) { rows.append([cell]) } })
    }

    private func readRow() throws {
        var row: [Cell] = []
        var column = 0
        try xml.children(
            { element in
                let name = element.name.lowercased()
                guard ["td", "th"].contains(name) else {
                    if let cell = try readCell(outside: element, column: column) {
                        row.append(cell)
                        column += 1
                    }
                    return
                }
                if !MarkupConverter.isHidden(element), let cell = try readCell(column: column) {
                    row.append(cell)
                    if name == "th" { hasHeaderCell = true }
                }
                let span = element["colspan"].flatMap { Int($0) } ?? 1
                column += min(max(span, 1), Self.maximumSpan)
            },
            text: {
                guard let cell = try readCell(outside: $0, column: column) else { return }
                row.append(cell)
                column += 1
            })
        columns = max(columns, column)
        if !row.isEmpty { rows.append(row) }
    }

    /// Reads the contents of a cell; `nil` if it contains no text.
    private func readCell(column: Int) throws -> Cell? {
        try readCell(column: column) { try $0.convert() }
    }

    /// Reads an element that is not in a cell, such as a table in a row; `nil` if it contains no text.
    ///
    /// HTML does not permit such elements, but mail contains them, and programs show them.
    private func readCell(outside element: XMLPull.Element, column: Int) throws -> Cell? {
        try readCell(column: column) { try $0.convert(element) }
    }

    private func readCell(column: Int, _ convert: (MarkupConverter) throws -> Void) throws -> Cell? {
        var limits = limits
        limits.maximumTextBytes = max(maximumBytes - bytes, 0)
        let converter = MarkupConverter(xml, limits: limits)
        try convert(converter)
        links += converter.links
        hasHeading = hasHeading || converter.hasHeading
        hasNestedTable = hasNestedTable || converter.hasTable
        let markdown = converter.output.text
        guard !markdown.isEmpty else { return nil }
        bytes += markdown.utf8.count
        return Cell(
            column: column, text: converter.paragraphs.joined(separator: "\n"), markdown: markdown,
            isSimple: converter.paragraphs.count == 1 && !converter.hasStructure)
    }

    /// Reads text that is not in a cell; `nil` if it is white space.
    private func readCell(outside text: String, column: Int) throws -> Cell? {
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        return try readCell(column: column) { try $0.convert(text: text) }
    }

    /// Whether the table contains data: at least two rows and two columns of short texts.
    var isData: Bool {
        guard !isPresentation, !hasNestedTable, !hasHeading || hasHeaderCell else { return false }
        let used = Set(rows.lazy.joined().map(\.column))
        guard used.count > 1, rows.count > 1 else { return false }
        guard !rows.contains(where: { $0.contains { $0.text.count > Self.maximumCellLength } }) else {
            return false
        }
        guard !hasHeaderCell else { return true }
        let cells = rows.joined()
        let complete = rows.count { $0.count > 1 }
        guard complete > 1, complete * 2 >= rows.count else { return false }
        // Columns of a page contain lists and several paragraphs; a few cells of data do, too.
        guard cells.count(where: { !$0.isSimple }) * 4 <= cells.count else { return false }
        let lengths = Dictionary(grouping: cells, by: \.column).mapValues { column in
            column.reduce(0) { $0 + $1.text.count } / column.count
        }
        return lengths.values.allSatisfy { $0 <= Self.maximumMeanLength }
    }

    /// The table as Markdown, without empty columns. The first row is the header.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if it is too long. Short rows are padded, so it can be
    ///   much longer than the table.
    func markdown() throws -> String {
        let used = Set(rows.lazy.joined().map(\.column)).sorted()
        let position = Dictionary(uniqueKeysWithValues: zip(used, used.indices))
        var table = TableRows(maximumBytes: maximumBytes)
        for row in rows {
            let length = row.reduce(0) { $0 + $1.text.utf8.count }
            guard table.hasRoom(columns: used.count, bytes: length) else {
                throw MarkdownOutput.tooLong(maximumBytes)
            }
            var cells = Array(repeating: "", count: used.count)
            for cell in row { cells[position[cell.column] ?? 0] = cell.text }
            guard table.append(cells) else { throw MarkdownOutput.tooLong(maximumBytes) }
        }
        return table.markdown
    }

    /// The blocks of a layout, in order. A row of short texts is one line.
    var blocks: [String] {
        rows.flatMap { row -> [String] in
            let length = row.reduce(row.count) { $0 + $1.text.count }
            let isLine =
                row.count > 1 && length <= Self.maximumLineLength
                && row.allSatisfy { $0.isSimple && !$0.text.contains("\n") }
            guard isLine else { return row.map(\.markdown) }
            return [MarkdownText.escaped(row.map(\.text).joined(separator: " "))]
        }
    }
}
