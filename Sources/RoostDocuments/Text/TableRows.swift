/// The rows of a table, with a maximum for the size of the Markdown that they become.
///
/// The cells of a small file can refer to one long text, repeat it, or need very many empty cells next
/// to them. For this reason, the size is computed before the text is written.
struct TableRows {
    private(set) var rows: [[String]] = []

    private let maximumBytes: Int
    private var cellBytes = 0
    private var width = 0

    /// Creates an empty table whose Markdown has at most a number of bytes.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The number of bytes of the Markdown. Spaces that Markdown does not need are included.
    var size: Int { size(rows: rows.count, columns: width, bytes: cellBytes) }

    /// The table as Markdown. The first row is the header.
    var markdown: String { MarkdownText.table(rows) }

    /// Appends a row if there is room for it, and returns whether there is.
    mutating func append(_ row: [String]) -> Bool {
        // The first check needs no look at the texts, which can be long and equal.
        guard hasRoom(columns: row.count, bytes: row.reduce(0) { $0 + $1.utf8.count }) else { return false }
        let bytes = row.reduce(0) { $0 + Self.bytes(of: $1) }
        guard hasRoom(columns: row.count, bytes: bytes) else { return false }
        rows.append(row)
        cellBytes += bytes
        width = max(width, row.count)
        return true
    }

    /// Returns whether there is room for another row with a number of columns and of bytes in its cells.
    func hasRoom(columns: Int, bytes: Int) -> Bool {
        size(rows: rows.count + 1, columns: max(width, columns), bytes: cellBytes + bytes) <= maximumBytes
    }

    /// Returns the number of bytes that a text needs in a cell, where signs that divide cells or begin links
    /// are escaped.
    static func bytes(of cell: String) -> Int {
        var count = 0
        var previous: UInt8 = 0
        for byte in cell.utf8 {
            let isPair = byte == UInt8(ascii: "[") && previous == byte
            count += isPair || byte == UInt8(ascii: "|") ? 2 : 1
            previous = byte
        }
        return count
    }

    /// Returns the number of bytes of a table: that of its cells, of the signs around them and of the line
    /// after the header. Short rows are padded.
    private func size(rows: Int, columns: Int, bytes: Int) -> Int {
        rows == 0 || columns == 0 ? 0 : bytes + rows * (3 * columns + 2) + 6 * columns + 1
    }
}
