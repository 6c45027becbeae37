package import Foundation
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

    private let data: Data
    private let name: String
    private let separator: Character

    /// Creates a reader; `nil` if the first line is not the header of exported entries.
    package init?(_ data: Data, name: String) {
        let data = data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
        let line = data.prefix(Self.headerSize).prefix { $0 != UInt8(ascii: "\n") }
        let header = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        separator = header.contains("\t") ? "\t" : DelimitedText.separator(of: header)
        (self.data, self.name) = (data, name)
        let fields = try? DelimitedText(separator: separator).rows(of: header, name: name).first?.fields
        guard let fields, Set(Self.columns).isSubset(of: fields) else { return nil }
    }

    /// Returns the entries of the rows.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if a row is invalid.
    func entries() throws -> [Entry] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RoostError(.badInput, "cannot import \(name): it is not UTF-8 text")
        }
        var rows = try separator == "\t" ? Self.tabbedRows(of: text) : commaRows(of: text)
        let header = rows.removeFirst().fields
        // Only tables without apostrophes contain formulas, and their apostrophes belong to the texts.
        let isRaw =
            separator == "\t" || rows.contains { row in row.fields.contains { DelimitedLine.isFormula($0) } }
        return try rows.map { line, fields in
            guard fields.count == header.count else {
                throw failure(line, "it has \(fields.count) fields, but the header \(header.count)")
            }
            let values = zip(header, fields).map { ($0, isRaw ? $1 : DelimitedLine.unescapingFormula($1)) }
            return try entry(Dictionary(values) { first, _ in first }, line)
        }
    }

    private func commaRows(of text: String) throws -> [(line: Int, fields: [String])] {
        try DelimitedText(separator: separator).rows(of: text, name: name).map { ($0.line, $0.fields) }
    }

    /// Returns the rows of TSV, which has escapes instead of quotation marks.
    private static func tabbedRows(of text: String) -> [(line: Int, fields: [String])] {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.enumerated().compactMap { index, line in
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !line.isEmpty else { return nil }
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            return (index + 1, fields.map { DelimitedLine.unescapingControls(String(Substring($0))) })
        }
    }

    private func failure(_ line: Int, _ fault: String) -> RoostError {
        RoostError(.badInput, "cannot import \(name): line \(line): \(fault); nothing was imported")
    }

    private func entry(_ row: [String: String], _ line: Int) throws -> Entry {
        func text(_ column: String) -> String? { row[column].flatMap { $0.isEmpty ? nil : $0 } }
        func date(_ column: String) throws -> Date {
            guard let date = text(column).flatMap(DateText.date) else {
                throw failure(line, "its \(column) is not a time such as 2026-01-31T09:00:00.000Z")
            }
            return date
        }
        func value<Value: Decodable>(_ column: String, _ fallback: Value, _ kind: String) throws -> Value {
            guard let text = text(column) else { return fallback }
            guard let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) else {
                throw failure(line, "its \(column) is not \(kind)")
            }
            return value
        }
        guard let id = text("id").flatMap(UUID.init(uuidString:)) else {
            throw failure(line, "its id is not a UUID")
        }
        return Entry(
            id: id, content: row["content"] ?? "",
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

    private static func tags(_ cell: String) -> [String] {
        if cell.hasPrefix("["), let tags = try? JSONDecoder().decode([String].self, from: Data(cell.utf8)) {
            return tags
        }
        return cell.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
