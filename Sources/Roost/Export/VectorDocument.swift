import Foundation
import RoostModel

/// A JSON document with texts and vectors of another program: an array of rows, an object with such an array,
/// or an object of lists (``VectorColumns``). The rows are decoded one after another.
struct VectorDocument {
    private enum Contents {
        case rows(JSONParts, [Range<Int>])
        case columns(VectorColumns)
    }

    private let contents: Contents
    /// The names of the values of the first row; `nil` for an object of lists.
    let names: [String]?

    /// The name of the member with the rows, if an object has several arrays of objects.
    private static let rowsName = "data"

    /// Creates a reader; `nil` if a file is not such a document, has no rows, or contains exported entries.
    ///
    /// - Parameter name: The name of the file for error messages.
    init?(_ data: Data, name: String) {
        let first = data.first { !$0.isJSONSpace }
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return nil }
        let parts = JSONParts(data)
        if let rows = Self.rows(in: parts.all, of: parts) {
            guard let names = Self.names(of: rows, parts) else { return nil }
            (contents, self.names) = (.rows(parts, rows), names)
            return
        }
        guard let members = parts.members(in: parts.all), members["schemaVersion"] == nil else { return nil }
        if let columns = VectorColumns(members, of: parts, name: name) {
            (contents, names) = (.columns(columns), nil)
            return
        }
        let arrays = members.compactMapValues { Self.rows(in: $0, of: parts) }
        guard let rows = arrays[Self.rowsName] ?? (arrays.count == 1 ? arrays.first?.value : nil),
            let names = Self.names(of: rows, parts)
        else { return nil }
        (contents, self.names) = (.rows(parts, rows), names)
    }

    /// Returns the ranges of the objects of an array; `nil` for other values and for an empty array.
    private static func rows(in range: Range<Int>, of parts: JSONParts) -> [Range<Int>]? {
        let rows = parts.elements(in: range, beginningWith: UInt8(ascii: "{"))
        return rows?.isEmpty == false ? rows : nil
    }

    /// Returns the names of the values of the first row; `nil` if it is an exported entry, or invalid.
    private static func names(of rows: [Range<Int>], _ parts: JSONParts) -> [String]? {
        guard let first = rows.first,
            let row = try? JSONDecoder().decode(VectorRow.self, from: parts.data(first)),
            !ArchivedEntry.isRow(row.values)
        else { return nil }
        return row.names
    }

    /// Returns the rows, and the number of elements of lists that have no text.
    ///
    /// - Parameter reader: The reader that interprets a row.
    /// - Throws: ``RoostError`` with `.badInput` if a row is invalid; `CancellationError`.
    func rows(
        _ reader: VectorText, _ progress: VectorText.Progress?
    ) throws -> (rows: [VectorText.Row], withoutText: Int) {
        switch contents {
        case .columns(let columns): return try columns.rows(progress)
        case .rows(let parts, let ranges):
            var rows: [VectorText.Row] = []
            for (index, range) in ranges.enumerated() {
                try Task.checkCancellation()
                progress?(Double(index) / Double(ranges.count))
                let bytes = parts.data(range)
                guard let row = try? JSONDecoder().decode(VectorRow.self, from: bytes) else {
                    throw reader.failure(
                        index + 1, JSONFault.description(of: bytes, fallback: "it is not a JSON object"))
                }
                rows.append(.init(number: index + 1, record: try reader.record(row, index + 1)))
            }
            return (rows, 0)
        }
    }
}
