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
    private(set) var rows: [[String]] = []
    /// The number of rows that exceed the limits.
    private(set) var skippedRows = 0

    private let xml: XMLPull
    private let maximumBytes: Int
    private let readCell: () throws -> String
    private var bytes = 0

    /// Creates a reader of the table that was started last. `readCell` returns the text of the cell that was
    /// started last.
    init(_ xml: XMLPull, maximumBytes: Int, readCell: @escaping () throws -> String) {
        self.xml = xml
        self.maximumBytes = maximumBytes
        self.readCell = readCell
    }

    func readRows() throws {
        try xml.children { element in
            switch element.name {
            case "table-row":
                let row = try readRow()
                guard row.contains(where: { !$0.isEmpty }) else { return }
                let size = row.reduce(0) { $0 + $1.utf8.count + 3 }
                for _ in 0..<Self.repetitions(element["table:number-rows-repeated"]) {
                    guard rows.count < Self.maximumRows, bytes + size <= maximumBytes else {
                        skippedRows += 1
                        continue
                    }
                    rows.append(row)
                    bytes += size
                }
            case "table-header-rows", "table-row-group", "table-rows": try readRows()
            default: break
            }
        }
    }

    private func readRow() throws -> [String] {
        var row: [String] = []
        try xml.children { element in
            guard element.name == "table-cell" || element.name == "covered-table-cell" else { return }
            let text = try readCell()
            let count = Self.repetitions(element["table:number-columns-repeated"])
            row += Array(repeating: text, count: min(count, Self.maximumColumns - row.count))
        }
        while row.last?.isEmpty == true { row.removeLast() }
        return row
    }

    private static func repetitions(_ value: String?) -> Int {
        min(max(value.flatMap { Int($0) } ?? 1, 1), maximumRepetitions)
    }
}
