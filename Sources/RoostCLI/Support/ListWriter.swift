import Foundation
import Roost

/// A row of a list.
struct ListRow {
    /// One cell per column, each on one line.
    var cells: [String]
    /// The output as JSON.
    var document: any Encodable
    /// The path for `--format paths`; `nil` if the row has none.
    var path: String?
}

/// Prints a list in one of the forms of ``ListFormat``.
///
/// The widths of a table are computed from the rows of the first call of ``write(_:)``, so that a long list
/// is printed while it is read.
struct ListWriter {
    private let format: ListFormat
    private let columns: [TableColumn]
    private let encoder: JSONEncoder
    private var layout: TableLayout?
    private var paths = Set<String>()
    /// The number of rows that were written.
    private(set) var count = 0

    /// Creates a writer.
    ///
    /// - Parameter encoder: The encoder for JSON. JSON Lines are always encoded on one line.
    init(
        _ format: ListFormat, _ columns: [TableColumn], _ encoder: JSONEncoder = Terminal.prettyEncoder
    ) {
        self.format = format
        self.columns = columns
        self.encoder = encoder
        if format == .jsonl { encoder.outputFormatting.remove(.prettyPrinted) }
    }

    /// The indexes of the columns that tables show.
    private var shown: [Int] { columns.indices.filter { !columns[$0].isDetail } }

    /// Writes rows.
    mutating func write(_ rows: [ListRow]) throws {
        guard !rows.isEmpty else { return }
        switch format {
        case .table: writeTable(rows)
        case .json, .jsonl:
            for row in rows {
                if format == .json { Terminal.write(Data((count == 0 ? "[\n" : ",").utf8)) }
                try Terminal.json(row.document, encoder)
                count += 1
            }
            return
        case .csv, .tsv:
            if count == 0 { writeDelimited(columns.map { $0.name }) }
            for row in rows { writeDelimited(row.cells) }
        case .paths:
            for path in rows.compactMap(\.path) where paths.insert(path).inserted {
                Terminal.write(Terminal.safe(path))
            }
        }
        count += rows.count
    }

    /// Ends the list. An empty list is an empty JSON array, or a header.
    func finish() {
        switch format {
        case .json: Terminal.write(count == 0 ? "[]" : "]")
        case .csv where count == 0, .tsv where count == 0: writeDelimited(columns.map { $0.name })
        default: break
        }
    }

    private mutating func writeTable(_ rows: [ListRow]) {
        let indexes = shown
        let cells = rows.map { row in
            indexes.map { index in
                columns[index].shownLength.map { String(row.cells[index].prefix($0)) } ?? row.cells[index]
            }
        }
        let layout =
            layout ?? TableLayout(indexes.map { columns[$0] }, rows: cells, width: Terminal.columns)
        // Programs that read the output need no header; people do.
        if self.layout == nil, Terminal.isOutputTerminal { Terminal.write(layout.header) }
        self.layout = layout
        for row in cells { Terminal.write(layout.line(row)) }
    }

    private func writeDelimited(_ cells: [String]) {
        let line: String
        if format == .csv {
            line = DelimitedLine.csv(
                zip(cells, columns).map { $1.isNumber ? $0 : DelimitedLine.escapingFormula($0) })
        } else {
            line = DelimitedLine.tsv(cells)
        }
        Terminal.write(Data((line + "\n").utf8))
    }
}
