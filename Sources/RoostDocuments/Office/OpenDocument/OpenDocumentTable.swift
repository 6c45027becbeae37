/// Reads the rows of a table in the OpenDocument format.
///
/// The format stores equal adjacent cells and rows once, with a number of repetitions. This number is often a
/// million for the empty rest of a sheet, so empty cells at the end of a row and empty rows are omitted, and
/// other repetitions are limited.
final class OpenDocumentTable {
    private static let maximumRows = 20_000
    private static let maximumColumns = 256
    private static let maximumRepetitions = 1000

    /// The rows that contain text.
    private(set) var table: TableRows
    /// The number of rows that exceed the limits.
    private(set) var skippedRows = 0

    private let xml: XMLPull
    private let readCell: (_ column: Int, _ row: Int) throws -> String
    /// The number of rows before the current one, including repetitions.
    private var rowsBefore = 0

    /// Creates a reader of the table that was started last, whose Markdown has at most a number of bytes.
    /// `readCell` returns the text of the cell that was started last, which has a column and a row from 0.
    init(
        _ xml: XMLPull, maximumBytes: Int,
        readCell: @escaping (_ column: Int, _ row: Int) throws -> String
    ) {
        self.xml = xml
        table = TableRows(maximumBytes: maximumBytes)
        self.readCell = readCell
    }

    func readRows() throws {
        try xml.children { element in
            switch element.name {
            case "table-row":
                let row = try readRow()
                let repetitions = element["table:number-rows-repeated"]
                defer { rowsBefore += Self.number(repetitions) }
                guard row.contains(where: { !$0.isEmpty }) else { return }
                let count = Self.repetitions(repetitions)
                var added = 0
                while added < count, table.rows.count < Self.maximumRows, table.append(row) { added += 1 }
                skippedRows += count - added
            case "table-header-rows", "table-row-group", "table-rows": try readRows()
            default: break
            }
        }
    }

    private func readRow() throws -> [String] {
        var row: [String] = []
        var column = 0
        try xml.children { element in
            guard element.name == "table-cell" || element.name == "covered-table-cell" else { return }
            let text = try readCell(column, rowsBefore)
            let count = Self.repetitions(element["table:number-columns-repeated"])
            column += Self.number(element["table:number-columns-repeated"])
            row += Array(repeating: text, count: min(count, Self.maximumColumns - row.count))
        }
        while row.last?.isEmpty == true { row.removeLast() }
        return row
    }

    /// The maximum number of rows or columns that one element can stand for. Spreadsheets have at most a
    /// million rows.
    private static let maximumNumber = 1 << 24

    private static func number(_ value: String?) -> Int {
        min(max(value.flatMap { Int($0) } ?? 1, 1), maximumNumber)
    }

    private static func repetitions(_ value: String?) -> Int { min(number(value), maximumRepetitions) }

    static func cellName(column: Int, row: Int) -> String {
        var letters = ""
        var rest = column
        while rest >= 0 {
            letters.insert(
                Character(Unicode.Scalar(UInt8(ascii: "A") + UInt8(rest % 26))), at: letters.startIndex)
            rest = rest / 26 - 1
        }
        return letters + String(row + 1)
    }
}
