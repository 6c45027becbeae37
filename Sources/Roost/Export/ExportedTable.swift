import Foundation
import RoostModel
import RoostText

/// Reads the CSV that `roost export entries` writes: one entry per row, under known headings.
///
/// The columns can have another order, and others can be between them. The titles are not read, because they
/// follow from the metadata and the text; the vectors are not, because the space is not stated.
package struct ExportedTable {
    /// The headings of the columns, in the order in which they are written.
    package static let columns = [
        "id", "source", "key", "title", "tags", "createdAt", "updatedAt", "metadata", "content",
    ]
    package static let vectorColumn = "embedding"
    /// The number of bytes in which the first line must end.
    private static let headerSize = 1 << 16
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let name: String
    private let header: [String]
    private var rows: DelimitedRows

    /// Creates a reader; `nil` if the first line is not the header of exported entries.
    init?(name: String, _ read: @escaping ByteLines.Read) {
        guard let start = try? read(0, Self.headerSize) else { return nil }
        let mark = start.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        let line = start.dropFirst(mark).prefix { $0 != UInt8(ascii: "\n") }
        let separator = DelimitedRows.separator(of: String(decoding: line, as: UTF8.self))
        self.name = name
        rows = DelimitedRows(separator: separator, name: name) { try read(mark + $0, $1) }
        guard line.count < Self.headerSize, let header = try? rows.next()?.fields,
            Set(Self.columns).isSubset(of: header)
        else { return nil }
        self.header = header
    }

    mutating func next() throws -> Entry? {
        guard let row = try rows.next() else { return nil }
        guard row.fields.count == header.count else {
            throw failure(
                row.line,
                "it has \(Count.text(row.fields.count, "field")), but the header has \(header.count)")
        }
        let values = zip(header, row.fields).map { ($0, DelimitedLine.unescapingFormula($1)) }
        return try entry(Dictionary(values) { first, _ in first }, row.line)
    }

    private func failure(_ line: Int, _ fault: String) -> RoostError {
        RoostError(.badInput, "cannot import \(name): line \(line): \(fault); nothing was imported")
    }

    private func entry(_ row: [String: String], _ line: Int) throws -> Entry {
        func text(_ column: String) -> String? { row[column].flatMap { $0.isEmpty ? nil : $0 } }
        func date(_ column: String) throws -> Date {
            guard let date = text(column).flatMap({ DateText.date(from: $0) }) else {
                throw failure(line, "its \(column) is not a time such as 2026-01-31T09:00:00.000Z")
            }
            return date
        }
        guard let id = text("id").flatMap(UUID.init(uuidString:)) else {
            throw failure(line, "its id is not a UUID")
        }
        guard let content = text("content") else { throw failure(line, "its content is empty") }
        let json = Data((text("metadata") ?? "{}").utf8)
        guard let metadata = (try? MetadataValue(json: json))?.members else {
            throw failure(line, "its metadata is not a JSON object")
        }
        return Entry(
            id: id, content: content, source: text("source"), key: text("key"), metadata: metadata,
            tags: Self.tags(row["tags"] ?? ""), createdAt: try date("createdAt"),
            updatedAt: try date("updatedAt"))
    }

    /// Returns tags as the text of a cell: with semicolons between them, or a JSON array if a tag has one.
    package static func cell(of tags: [String]) -> String {
        guard tags.contains(where: { $0.contains(";") || $0.hasPrefix("[") }),
            let json = try? JSONEncoder().encode(tags)
        else { return tags.joined(separator: ";") }
        return String(decoding: json, as: UTF8.self)
    }

    private static func tags(_ cell: String) -> [String] {
        if cell.hasPrefix("["), let tags = try? JSONDecoder().decode([String].self, from: Data(cell.utf8)) {
            return tags
        }
        return cell.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
