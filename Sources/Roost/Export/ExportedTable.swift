package import Foundation
import RoostDocuments
import RoostModel

/// Reads the CSV or TSV that `roost export entries` writes: one entry per row, under known headings.
///
/// The columns can have another order, and others can be between them. The titles are not read, because they
/// follow from the metadata and the text.
package struct ExportedTable {
    /// The headings of the columns, in the order in which they are written.
    package static let columns = [
        "id", "source", "key", "title", "tags", "createdAt", "updatedAt", "metadata", "content",
    ]
    /// The heading of the optional column of vectors.
    package static let vectorColumn = "embedding"
    /// The number of bytes in which the first line must end.
    private static let headerSize = 1 << 16

    private let read: ByteLines.Read
    private let name: String
    private let separator: Character

    /// Creates a reader; `nil` if the first line is not the header of exported entries.
    package init?(_ data: Data, name: String) {
        self.init(name: name) { data.dropFirst($0).prefix($1) }
    }

    /// Creates a reader; `nil` if the first line is not the header of exported entries, or cannot be read.
    init?(name: String, _ read: @escaping ByteLines.Read) {
        guard var start = try? read(0, Self.headerSize) else { return nil }
        let mark = start.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        start = start.dropFirst(mark)
        let line = start.prefix { $0 != UInt8(ascii: "\n") }
        let header = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        separator = header.contains("\t") ? "\t" : DelimitedText.separator(of: header)
        self.name = name
        self.read = { try read(mark + $0, $1) }
        let fields = try? DelimitedText(separator: separator).rows(of: header, name: name).first?.fields
        guard let fields, Set(Self.columns).isSubset(of: fields) else { return nil }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    // MARK: Rows

    /// One row of a table.
    fileprivate struct Row {
        /// The number of the line on which the row begins, from 1.
        var line: Int
        var fields: [String]
    }

    /// Reads rows one after another. TSV has escapes instead of quotation marks.
    fileprivate enum Rows {
        case commas(DelimitedRows)
        case tabs(ByteLines)

        mutating func next(_ name: String) throws -> Row? {
            switch self {
            case .commas(var rows):
                defer { self = .commas(rows) }
                return try rows.next().map { Row(line: $0.line, fields: $0.fields) }
            case .tabs(var lines):
                defer { self = .tabs(lines) }
                while var line = try lines.next() {
                    if line.last == UInt8(ascii: "\r") { line.removeLast() }
                    if line.isEmpty { continue }
                    guard let text = String(validating: line, as: UTF8.self) else {
                        throw RoostError(
                            .badInput, "cannot read \(name): line \(lines.number) is not UTF-8 text")
                    }
                    let fields = text.utf8.split(
                        separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                    return Row(
                        line: lines.number,
                        fields: fields.map { DelimitedLine.unescapingControls(String(Substring($0))) })
                }
                return nil
            }
        }
    }

    private var rows: Rows {
        separator == "\t"
            ? .tabs(ByteLines(read)) : .commas(DelimitedRows(separator: separator, name: name, read))
    }

    /// Reads the entries of a table, one after another.
    struct Reader: EntryReader {
        private let table: ExportedTable
        private var rows: Rows
        private let header: [String]
        private let isRaw: Bool

        fileprivate init(_ table: ExportedTable, _ rows: Rows, header: [String], isRaw: Bool) {
            (self.table, self.rows, self.header, self.isRaw) = (table, rows, header, isRaw)
        }

        /// The space of the vectors, which a table does not state.
        var space: EmbeddingSpace? { nil }
        var hasRows: Bool { true }

        mutating func next() throws -> Entry? {
            guard let row = try rows.next(table.name) else { return nil }
            try Task.checkCancellation()
            guard row.fields.count == header.count else {
                throw table.failure(
                    row.line,
                    "it has \(Count.text(row.fields.count, "field")), but the header has \(header.count)")
            }
            let values = zip(header, row.fields).map {
                ($0, isRaw ? $1 : DelimitedLine.unescapingFormula($1))
            }
            return try table.entry(Dictionary(values) { first, _ in first }, row.line)
        }
    }

    /// Returns a reader of the entries. All rows are read first, because the form of the cells depends on all
    /// of them.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the table is not text, or a quoted field is not closed;
    ///   `CancellationError`; the errors of reading.
    func reader() throws -> Reader {
        // Only tables without apostrophes contain formulas, and their apostrophes belong to the texts.
        var isRaw = separator == "\t"
        var all = rows
        _ = try all.next(name)
        while let row = try all.next(name) {
            try Task.checkCancellation()
            isRaw = isRaw || row.fields.contains { DelimitedLine.isFormula($0) }
        }
        var rows = rows
        let header = try rows.next(name)?.fields ?? []
        return Reader(self, rows, header: header, isRaw: isRaw)
    }

    /// Returns the entries of the rows.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if a row is invalid; `CancellationError`.
    func entries() throws -> [Entry] {
        var reader = try reader()
        var entries: [Entry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    private func failure(_ line: Int, _ fault: String) -> RoostError {
        RoostError(.badInput, "cannot import \(name): line \(line): \(fault); nothing was imported")
    }

    private func entry(_ row: [String: String], _ line: Int) throws -> Entry {
        func text(_ column: String) -> String? { row[column].flatMap { $0.isEmpty ? nil : $0 } }
        func date(_ column: String) throws -> Date {
            // Spreadsheets and data frames write dates in other forms.
            guard let date = text(column).flatMap({ DateText.date(from: $0) ?? FrontMatterDate.date($0) })
            else {
                throw failure(line, "its \(column) is not a time such as 2026-01-31T09:00:00.000Z")
            }
            return date
        }
        func value<Value: Decodable>(_ column: String, _ fallback: Value, _ kind: String) throws -> Value {
            guard let text = text(column) else { return fallback }
            guard let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) else {
                let isQuoted = separator == "\t" && text.hasPrefix("\"")
                let advice = isQuoted ? "; cells of TSV have no quotation marks around them" : ""
                throw failure(line, "its \(column) is not \(kind)\(advice)")
            }
            return value
        }
        guard let id = text("id").flatMap(UUID.init(uuidString:)) else {
            throw failure(line, "its id is not a UUID")
        }
        guard let content = text("content") else {
            throw failure(line, ArchivedEntry.missingContent("empty"))
        }
        return Entry(
            id: id, content: content,
            embeddings: try value(Self.vectorColumn, [Float](), "a JSON array of numbers"),
            source: text("source"), key: text("key"),
            metadata: try value("metadata", [String: MetadataValue](), "a JSON object"),
            tags: Self.tags(row["tags"] ?? ""), createdAt: try date("createdAt"),
            updatedAt: try date("updatedAt"))
    }

    // MARK: Tags

    /// Returns tags as the text of a cell: with semicolons between them, or a JSON array if a tag has one.
    package static func cell(of tags: [String]) -> String {
        guard tags.contains(where: { $0.contains(";") || $0.hasPrefix("[") }),
            let json = try? JSONEncoder().encode(tags)
        else { return tags.joined(separator: ";") }
        return String(decoding: json, as: UTF8.self)
    }

    /// Returns the tags in a cell.
    static func tags(_ cell: String) -> [String] {
        if cell.hasPrefix("["), let tags = try? JSONDecoder().decode([String].self, from: Data(cell.utf8)) {
            return tags
        }
        return cell.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
