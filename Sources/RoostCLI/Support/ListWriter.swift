import Foundation
import Roost
import RoostModel
import RoostServer

struct ListRow {
    /// One cell per column, each on one line, except exact paths and names.
    var cells: [String]
    /// The output as JSON; `nil` if the row is not written as JSON.
    var document: (any Encodable)?
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
    private let endsPathsWithNull: Bool
    private var layout: TableLayout?
    private var paths = Set<String>()
    private(set) var count = 0
    /// The number of cells of CSV that begin with an additional apostrophe.
    private var changedCellCount = 0
    /// The number of rows without a path that `--format paths` omitted.
    private var omittedCount = 0

    init(_ output: OutputOptions?, _ columns: [TableColumn]) {
        endsPathsWithNull = output?.endsPathsWithNull ?? false
        format = output?.format ?? .text
        self.columns = columns
    }

    mutating func write(_ rows: [ListRow]) throws {
        guard !rows.isEmpty else { return }
        switch format {
        case .text: writeTable(rows)
        case .json, .jsonl:
            var text = Data()
            for row in rows {
                if format == .json { text += Data((text.isEmpty && count == 0 ? "[\n" : ",").utf8) }
                if let document = row.document { text += try Terminal.lineEncoder.encode(document) }
                text.append(UInt8(ascii: "\n"))
            }
            Terminal.writeBytes(text)
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
            Terminal.write(TerminalText.safe(path))
        } else {
            Terminal.write(Data((path + "\n").utf8))
        }
    }
}

extension DelimitedLine {
    static func note(onChangedCells count: Int) -> String {
        "\(Count.text(count, "cell", "cells")) got an apostrophe, because a spreadsheet would run "
            + (count == 1 ? "it as a formula" : "them as formulas")
    }
}

enum EntryRow {
    /// The column of ids, of which tables show the first digits.
    static let idColumn = TableColumn(name: "id", style: .dim, shownLength: 8)

    static let columns = [
        idColumn, TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
        TableColumn(name: "tags", isDetail: true), TableColumn(name: "created", isDetail: true),
        TableColumn(name: "updated", isDetail: true),
    ]

    static func row(_ entry: Entry) -> ListRow {
        ListRow(
            cells: [
                entry.id.text, EntryTitle.text(of: entry),
                entry.displayPath,
                entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                DateText.string(from: entry.createdAt), DateText.string(from: entry.updatedAt),
            ], path: entry.listedPath)
    }
}

enum EntryTitle {
    /// The maximum number of characters of a title that was found in the text, which may be any line of it.
    private static let maximumFoundLength = 200

    /// Returns the title on one line: the complete value of the metadata key `title` or, without this
    /// key, the title found in the text.
    static func text(of entry: Entry) -> String {
        let title = Entry.title(in: entry.metadata).map { Terminal.line($0, limit: .max) }
        let line = title ?? found(entry.title ?? entry.content)
        return line.isEmpty ? "(empty)" : line
    }

    static func found(_ title: String) -> String {
        TextTitle.shortened(Terminal.line(title, limit: maximumFoundLength), to: maximumFoundLength)
    }
}

extension Entry {
    /// The path for `--format paths`, relative to the current folder if the file is in it; `nil` if the entry
    /// did not come from a file.
    var listedPath: String? { sourcePath.map { _ in displayPath } }

    /// The source in readable form: a relative path for files below the current folder.
    var displayPath: String {
        guard let path = sourcePath else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}

enum HitRow {
    static let columns = [
        TableColumn(name: "score", style: .bold, isNumber: true), EntryRow.idColumn,
        TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
        TableColumn(name: "line", isNumber: true, isDetail: true),
        TableColumn(name: "similarity", isNumber: true, isDetail: true),
        TableColumn(name: "tags", isDetail: true), TableColumn(name: "excerpt", isDetail: true),
    ]

    static func row(
        _ hit: QueryHit, in result: QueryResult, document additions: HitAdditions
    ) -> ListRow {
        let document = JoinedDocument(EntryDocument(hit, in: result), HitDetails(hit, additions))
        return ListRow(
            cells: [
                Terminal.score(hit.score), hit.entry.id.text, EntryTitle.text(of: hit.entry),
                hit.entry.displayPath,
                document.output.line.map { "\($0)" } ?? "", Terminal.score(hit.similarity),
                hit.entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                Terminal.line(document.output.snippet ?? "", limit: .max),
            ], document: document, path: hit.entry.listedPath)
    }
}

struct HitAdditions {
    /// The number of passages before and after the matched passage; `nil` for no context.
    var context: Int?
    var hasExplanation: Bool
}

/// The members of a hit's JSON output for `--explain` and `--context`.
struct HitDetails: Encodable {
    /// The shares of the score, and the score by words.
    private struct Explanation: Encodable {
        var textScore: Float?
        var shares: ScoreExplanation
    }

    /// The passages around the matched passage.
    private struct Context: Encodable {
        var range: [Int]
        var text: String
    }

    private var context: Context?
    private var explanation: Explanation?

    init(_ hit: QueryHit, _ additions: HitAdditions) {
        if let count = additions.context {
            let range = hit.context(count)
            context = Context(
                range: [range.lowerBound, range.upperBound], text: hit.entry.text(in: range) ?? "")
        }
        if additions.hasExplanation {
            explanation = Explanation(textScore: hit.textScore, shares: hit.explanation)
        }
    }
}

/// A JSON object with the members of two values: the output of an operation, and the additions of a command.
struct JoinedDocument<Output: Encodable, Addition: Encodable>: Encodable {
    var output: Output
    var addition: Addition

    init(_ output: Output, _ addition: Addition) { (self.output, self.addition) = (output, addition) }

    func encode(to encoder: any Encoder) throws {
        try output.encode(to: encoder)
        try addition.encode(to: encoder)
    }
}
