import Foundation
import Roost

/// Prints a list in one of the forms of ``ListFormat``.
///
/// The widths of a table are computed from the rows of the first call of ``write(_:)``, so that a long list
/// is printed while it is read.
struct ListWriter {
    private let format: ListFormat
    private let columns: [TableColumn]
    private let encoder: JSONEncoder
    private let endsPathsWithNull: Bool
    private let escapesFormulas: Bool
    private let template: RowTemplate?
    private var layout: TableLayout?
    private var paths = Set<String>()
    /// The number of rows that were written.
    private(set) var count = 0
    /// The number of cells of CSV that begin with an additional apostrophe.
    private(set) var changedCellCount = 0
    /// The number of rows without a path that `--format paths` omitted.
    private(set) var omittedCount = 0

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - encoder: The encoder for JSON. JSON Lines are always encoded on one line.
    ///   - endsPathsWithNull: Whether a zero byte follows each path, instead of a line break.
    ///   - escapesFormulas: Whether cells of CSV that a spreadsheet would run as formulas get an apostrophe.
    ///   - template: The form of the lines of `--format template`.
    init(
        _ format: ListFormat, _ columns: [TableColumn], _ encoder: JSONEncoder = Terminal.prettyEncoder,
        endsPathsWithNull: Bool = false, escapesFormulas: Bool = true, template: RowTemplate? = nil
    ) {
        self.template = template
        self.endsPathsWithNull = endsPathsWithNull
        self.escapesFormulas = escapesFormulas
        self.format = format
        self.columns = columns
        self.encoder = encoder
        if format == .jsonl { encoder.outputFormatting.remove(.prettyPrinted) }
    }

    /// Creates a writer for the options of a command.
    init(
        _ output: ListOutputOptions, _ columns: [TableColumn],
        _ encoder: JSONEncoder = Terminal.prettyEncoder
    ) {
        self.init(
            output.chosen, columns, encoder, endsPathsWithNull: output.nullPaths.isSet,
            escapesFormulas: !output.rawCells.isSet, template: output.template.template)
    }

    /// Creates a writer for the options of a command that lists things without paths.
    init(
        _ output: RowOutputOptions, _ columns: [TableColumn],
        _ encoder: JSONEncoder = Terminal.prettyEncoder
    ) {
        self.init(
            output.chosen, columns, encoder, escapesFormulas: !output.rawCells.isSet,
            template: output.template.template)
    }

    /// The indexes of the columns that tables show.
    private var shown: [Int] { columns.indices.filter { !columns[$0].isDetail } }
    /// The indexes of the columns of CSV, TSV and templates.
    private var exported: [Int] { columns.indices.filter { !columns[$0].isTableOnly } }

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
            if count == 0 { writeDelimited(columns.map(\.name)) }
            for row in rows { writeDelimited(row.cells) }
        case .paths:
            omittedCount += rows.count { $0.path == nil }
            for path in rows.compactMap(\.path) where paths.insert(path).inserted { writePath(path) }
        case .template: try writeTemplate(rows)
        }
        count += rows.count
    }

    /// Ends the list. An empty list is an empty JSON array, or a header.
    ///
    /// - Parameter options: The options of the command, which receive notes about cells that were changed and
    ///   rows that were omitted.
    mutating func finish(_ options: StoreOptions) {
        finish()
        if let note = RawCellsOption.note(onChangedCells: changedCellCount) { options.note(note) }
        if omittedCount > 0 {
            options.note("omitted \(Count.text(omittedCount, "entry", "entries")) without a file")
        }
    }

    /// Ends the list without notes.
    mutating func finish() {
        switch format {
        case .json: Terminal.write(count == 0 ? "[]" : "]")
        case .csv where count == 0, .tsv where count == 0: writeDelimited(columns.map(\.name))
        default: break
        }
    }

    private mutating func writeTable(_ rows: [ListRow]) {
        let indexes = shown
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

    private func writeTemplate(_ rows: [ListRow]) throws {
        let indexes = exported
        let names = indexes.map { columns[$0].name }
        for row in rows {
            var row = row
            row.cells = indexes.map { row.cells[$0] }
            // On a terminal, a line break in a path could forge a row. A program gets the exact path.
            if Terminal.isOutputTerminal { row.cells = row.cells.map { Terminal.line($0, limit: .max) } }
            if let line = try template?.line(of: row, columns: names, encoder) {
                Terminal.write(Data((line + "\n").utf8))
            }
        }
    }

    private mutating func writeDelimited(_ cells: [String]) {
        let indexes = exported
        var cells = indexes.map { cells[$0] }
        // On a terminal, a line break in a path could forge a row. A program gets the exact path.
        if Terminal.isOutputTerminal { cells = cells.map { Terminal.line($0, limit: .max) } }
        let line: String
        if format == .csv {
            let escaped = zip(cells, indexes).map { cell, index in
                columns[index].isNumber || !escapesFormulas ? cell : DelimitedLine.escapingFormula(cell)
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
