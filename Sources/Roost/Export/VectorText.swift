import Foundation
import RoostModel

/// Reads texts with vectors from JSON Lines, CSV or TSV.
///
/// A row has a text (`text`, `content` or `document`), a vector (`embedding` or `vector`: a JSON array, or
/// numbers separated by spaces), and optionally an id (`id` or `key`). All other values become metadata.
/// A row without an id, or with an empty one, has the number of its line as its id or, if this is the id of
/// another row, `line` with the number.
struct VectorText {
    private static let textNames = ["text", "content", "document"]
    private static let vectorNames = ["embedding", "vector"]
    private static let keyNames = ["id", "key"]
    /// The names that only exported entries have.
    private static let entryNames: Set<String> = ["schemaVersion", "embeddings", "createdAt"]
    /// The number of bytes in which a file must show that it contains vectors.
    private static let sampleSize = 1 << 20

    private let data: Data
    private let name: String
    private let separator: Character?

    /// Creates a reader; `nil` if the first line of the file names no text or no vector, or is the header of
    /// exported entries.
    init?(_ data: Data, name: String) {
        (self.data, self.name) = (Self.withoutByteOrderMark(data), name)
        let names: [String]
        (names, separator) = Self.firstRow(of: self.data, name: name)
        guard names.contains(where: Self.textNames.contains),
            names.contains(where: Self.vectorNames.contains), ExportedTable(data, name: name) == nil
        else { return nil }
    }

    /// Creates a reader of rows whose vectors are in another file; `nil` if the first line of the file
    /// names no text.
    init?(textsOf data: Data, name: String) {
        (self.data, self.name) = (Self.withoutByteOrderMark(data), name)
        let names: [String]
        (names, separator) = Self.firstRow(of: self.data, name: name)
        guard names.contains(where: Self.textNames.contains) else { return nil }
    }

    /// Returns whether a file has rows with texts, but without vectors.
    static func lacksVectors(_ data: Data, name: String) -> Bool {
        let data = withoutByteOrderMark(data)
        let line = data.prefix(sampleSize).prefix { $0 != UInt8(ascii: "\n") }
        // Exported entries without vectors can be imported.
        guard (try? JSONDecoder().decode(Entry.self, from: line)) == nil else { return false }
        let names = firstRow(of: data, name: name).names
        return names.contains(where: textNames.contains) && !names.contains(where: vectorNames.contains)
            && entryNames.isDisjoint(with: names)
    }

    /// Spreadsheets write a byte order mark, which would become a part of the first name.
    private static func withoutByteOrderMark(_ data: Data) -> Data {
        data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
    }

    /// Returns the names of the values in the first line, and the separator of a table; `nil` for JSON Lines.
    private static func firstRow(of data: Data, name: String) -> (names: [String], separator: Character?) {
        // A line feed in UTF-16 has two bytes, so lines cannot be found.
        guard !FileContents.isUTF16(data),
            let line = data.prefix(sampleSize).split(separator: UInt8(ascii: "\n")).first
        else {
            return ([], nil)
        }
        guard line.first(where: { !$0.isJSONSpace }) != UInt8(ascii: "{") else {
            let row = try? JSONDecoder().decode([String: MetadataValue].self, from: line)
            return (row.map { Array($0.keys) } ?? [], nil)
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        let isTabbed = name.lowercased().hasSuffix(".tsv") || line.contains(UInt8(ascii: "\t"))
        let separator = isTabbed ? "\t" : DelimitedText.separator(of: text)
        let rows = try? DelimitedText(separator: separator).rows(of: text, name: name)
        return (rows?.first?.fields ?? [], separator)
    }

    /// Returns the rows.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if a row has no text or an invalid vector, or if two rows
    ///   have the same id.
    func records() throws -> [VectorRecord] {
        let rows = try rows()
        var lines: [ExactText: Int] = [:]
        for (line, record) in rows where !record.key.isEmpty {
            if let first = lines.updateValue(line, forKey: ExactText(record.key)) {
                throw failure(line, "its id '\(record.key)' is also that of line \(first)")
            }
        }
        return rows.map { line, record in
            guard record.key.isEmpty else { return record }
            var record = record
            record.key = lines[ExactText(String(line))] == nil ? String(line) : "line \(line)"
            return record
        }
    }

    /// Returns the rows with the numbers of their lines, from 1. The key of a row without an id is empty.
    private func rows() throws -> [(line: Int, record: VectorRecord)] {
        guard let separator else { return try lines() }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RoostError(.badInput, "cannot import \(name): it is not UTF-8 text")
        }
        var rows = try DelimitedText(separator: separator).rows(of: text, name: name)[...]
        let header = rows.popFirst()?.fields ?? []
        return try rows.map { row in
            guard row.fields.count == header.count else {
                throw failure(row.line, "it has \(row.fields.count) fields, but the header \(header.count)")
            }
            let values = zip(header, row.fields).map { ($0, MetadataValue.string($1)) }
            return (row.line, try record(Dictionary(values) { first, _ in first }, row.line))
        }
    }

    private func lines() throws -> [(line: Int, record: VectorRecord)] {
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return try lines.enumerated().compactMap { index, line in
            guard !line.allSatisfy(\.isJSONSpace) else { return nil }
            guard let row = try? JSONDecoder().decode([String: MetadataValue].self, from: line) else {
                throw failure(index + 1, "it is not a JSON object")
            }
            return (index + 1, try record(row, index + 1))
        }
    }

    private func failure(_ line: Int, _ fault: String) -> RoostError {
        RoostError(.badInput, "cannot import \(name): line \(line): \(fault); nothing was imported")
    }

    private func record(_ row: [String: MetadataValue], _ line: Int) throws -> VectorRecord {
        var row = row
        // Data frames write null for a missing value.
        for name in Self.textNames + Self.vectorNames + Self.keyNames where row[name] == .null {
            row[name] = nil
        }
        func remove(_ names: [String]) -> MetadataValue? {
            names.first { row[$0] != nil }.flatMap { row.removeValue(forKey: $0) }
        }
        guard let text = remove(Self.textNames)?.text, text.contains(where: { !$0.isWhitespace }) else {
            throw failure(line, "it has no text")
        }
        guard let vector = Self.vector(remove(Self.vectorNames)) else {
            throw failure(line, "its vector is not a list of numbers")
        }
        let key = remove(Self.keyNames)?.text ?? ""
        return VectorRecord(
            key: key, text: text, vector: vector, metadata: row.filter { $0.value.text != "" })
    }

    /// Returns the numbers of a vector: empty if there is none, `nil` if it is invalid.
    private static func vector(_ value: MetadataValue?) -> [Float]? {
        guard let value else { return [] }
        if case .array(let values) = value {
            return numbers(values.compactMap(\.text), count: values.count)
        }
        guard let text = value.text else { return nil }
        let parts = text.split { "[], \t\n;".contains($0) }
        return numbers(parts.map(String.init), count: parts.count)
    }

    private static func numbers(_ texts: [String], count: Int) -> [Float]? {
        let numbers = texts.compactMap { Float($0) }
        return numbers.count == count && numbers.allSatisfy(\.isFinite) ? numbers : nil
    }
}
