import Foundation
import Roost

struct ListRow {
    /// One cell per column, each on one line, except exact paths and names.
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
    private let endsPathsWithNull: Bool
    private var layout: TableLayout?
    private var paths = Set<String>()
    /// The number of rows that were written.
    private(set) var count = 0
    /// The number of cells of CSV that begin with an additional apostrophe.
    private var changedCellCount = 0
    /// The number of rows without a path that `--format paths` omitted.
    private var omittedCount = 0

    /// Creates a writer.
    init(
        _ output: OutputOptions?, _ columns: [TableColumn], _ encoder: JSONEncoder = Terminal.prettyEncoder
    ) {
        endsPathsWithNull = output?.endsPathsWithNull ?? false
        format = output?.format ?? .text
        self.columns = columns
        self.encoder = encoder
        if format == .jsonl { encoder.outputFormatting.remove(.prettyPrinted) }
    }

    mutating func write(_ rows: [ListRow]) throws {
        guard !rows.isEmpty else { return }
        switch format {
        case .text: writeTable(rows)
        case .json, .jsonl:
            for row in rows {
                if format == .json { Terminal.write(Data((count == 0 ? "[\n" : ",").utf8)) }
                try Terminal.json(row.document, encoder)
                count += 1
            }
            return
        case .csv, .tsv:
            if count == 0 { writeHeader() }
            for row in rows { writeDelimited(row.cells) }
        case .paths:
            omittedCount += rows.count { $0.path == nil }
            for path in rows.compactMap(\.path) where paths.insert(path).inserted { writePath(path) }
        }
        count += rows.count
    }

    /// Ends the list. An empty list is an empty JSON array, or a header.
    mutating func finish(_ options: StoreOptions) {
        switch format {
        case .json: Terminal.write(count == 0 ? "[]" : "]")
        case .csv where count == 0, .tsv where count == 0: writeHeader()
        default: break
        }
        if changedCellCount > 0 { options.note(DelimitedLine.note(onChangedCells: changedCellCount)) }
        if omittedCount > 0 {
            options.note("omitted \(Count.text(omittedCount, "entry", "entries")) without a file")
        }
    }

    private mutating func writeTable(_ rows: [ListRow]) {
        let indexes = columns.indices.filter { !columns[$0].isDetail }
        let cells = rows.map { row in
            indexes.map { index in
                columns[index].shownLength.map { String(row.cells[index].prefix($0)) }
                    ?? Terminal.line(row.cells[index], limit: .max)
            }
        }
        let layout =
            layout ?? TableLayout(indexes.map { columns[$0] }, rows: cells, width: Terminal.columns)
        // Programs that read the output need no header; people do.
        if self.layout == nil, Terminal.isOutputTerminal { Terminal.write(layout.header) }
        self.layout = layout
        for row in cells { Terminal.write(layout.line(row)) }
    }

    private mutating func writeHeader() { writeDelimited(columns.map(\.name)) }

    private mutating func writeDelimited(_ cells: [String]) {
        let indexes = columns.indices.filter { !columns[$0].isTableOnly }
        var cells = indexes.map { cells[$0] }
        // On a terminal, a line break in a path could forge a row. A program gets the exact path.
        if Terminal.isOutputTerminal { cells = cells.map { Terminal.line($0, limit: .max) } }
        let line: String
        if format == .csv {
            let escaped = zip(cells, indexes).map { cell, index in
                columns[index].isNumber ? cell : DelimitedLine.escapingFormula(cell)
            }
            changedCellCount += zip(cells, escaped).count { $0 != $1 }
            line = DelimitedLine.csv(escaped)
        } else {
            line = DelimitedLine.tsv(cells)
        }
        Terminal.write(Data((line + "\n").utf8))
    }

    /// Writes a path: exactly to a program, and on one line without control characters to a terminal.
    private func writePath(_ name: String) {
        // Another program would read a path with a hyphen at its beginning as an option.
        let path = name.hasPrefix("-") ? "./" + name : name
        if endsPathsWithNull {
            Terminal.write(Data((path + "\0").utf8))
        } else if Terminal.isOutputTerminal {
            Terminal.write(Terminal.safe(path))
        } else {
            Terminal.write(Data((path + "\n").utf8))
        }
    }
}

extension DelimitedLine {
    /// Returns the message about the cells that were changed.
    static func note(onChangedCells count: Int) -> String {
        "\(Count.text(count, "cell", "cells")) got an apostrophe, because a spreadsheet would run "
            + (count == 1 ? "it as a formula" : "them as formulas")
    }
}
