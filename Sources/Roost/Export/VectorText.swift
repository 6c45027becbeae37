import Foundation
import RoostModel

/// Reads texts with vectors from JSON Lines, a JSON document, CSV or TSV.
///
/// A row has a text (`text`, `content` or `document`), a vector (`embedding` or `vector`: a JSON array, or
/// numbers separated by spaces), and optionally an id (`id` or `key`). All other values become metadata.
/// A row without an id, or with an empty one, has the number of its line as its id or, if this is the id of
/// another row, `line` with the number. Rows of a JSON document have numbers from 1 instead.
///
/// A JSON document is an array of rows, an object with such an array (``VectorDocument``), or an object of
/// lists (``VectorColumns``).
struct VectorText {
    /// A row, with the number of its line or in its document, from 1.
    struct Row {
        var number: Int
        var record: VectorRecord
    }

    /// Receives the share of the rows that are read, from 0 to 1.
    typealias Progress = (_ fraction: Double) -> Void

    static let textNames = ["text", "content", "document"]
    static let vectorNames = ["embedding", "vector"]
    private static let keyNames = ["id", "key"]
    /// The names that only exported entries have.
    private static let entryNames: Set<String> = ["schemaVersion", "embeddings", "createdAt"]
    /// The number of bytes in which a file must show that it contains vectors.
    private static let sampleSize = 1 << 20

    private enum Form {
        /// A table with this character between cells.
        case table(Data, Character)
        case lines(Data)
        case document(VectorDocument)
    }

    private let form: Form
    private let name: String

    /// Creates a reader; `nil` if the first row of the file names no text or no vector, or is that of
    /// exported entries.
    init?(_ data: Data, name: String) {
        guard let reader = Self(data, name: name, needsVectors: true) else { return nil }
        self = reader
    }

    /// Creates a reader of rows whose vectors are in another file; `nil` if the first row of the file names
    /// no text.
    init?(textsOf data: Data, name: String) {
        guard let reader = Self(data, name: name, needsVectors: false) else { return nil }
        self = reader
    }

    private init?(_ data: Data, name: String, needsVectors: Bool) {
        let data = Self.withoutByteOrderMark(data)
        func isText(_ names: [String]) -> Bool {
            names.contains(where: Self.textNames.contains)
                && (!needsVectors || names.contains(where: Self.vectorNames.contains))
        }
        self.name = name
        let (names, separator) = Self.firstRow(of: data, name: name)
        if isText(names) {
            // Exported entries have vectors, too, if another program has changed them.
            if needsVectors, Self.isEntry(data) || ExportedTable(data, name: name) != nil { return nil }
            form = separator.map { .table(data, $0) } ?? .lines(data)
        } else if let document = VectorDocument(data, name: name), document.names.map(isText) != false {
            form = .document(document)
        } else {
            return nil
        }
    }

    /// Returns whether the rows of a file are in a JSON document, if they have texts, but no vectors; `nil`
    /// for other files.
    static func rowsWithoutVectors(in data: Data, name: String) -> Bool? {
        guard let (names, isDocument) = otherRows(in: data, name: name),
            names.contains(where: textNames.contains), !names.contains(where: vectorNames.contains)
        else { return nil }
        return isDocument
    }

    /// Returns whether a file has rows in JSON that are no exported entries and have no text.
    static func hasRowsWithoutText(_ data: Data, name: String) -> Bool {
        let first = withoutByteOrderMark(data).first { !$0.isJSONSpace }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let names = otherRows(in: data, name: name)?.names
        else { return false }
        return !names.contains(where: textNames.contains)
    }

    /// Returns whether a file is one JSON object in several lines, without the list of exported entries.
    static func isOtherObject(_ data: Data) -> Bool {
        let data = withoutByteOrderMark(data)
        let line = data.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first ?? Data()
        let (first, whole) = (JSONParts(line), JSONParts(data))
        guard first.members(in: first.all) == nil, let members = whole.members(in: whole.all) else {
            return false
        }
        return members["entries"] == nil
    }

    /// Returns the names of the values of the first row, and whether the rows are in a JSON document; `nil`
    /// for exported entries, which can be imported without vectors, and if there is no row.
    private static func otherRows(in data: Data, name: String) -> (names: [String], isDocument: Bool)? {
        let data = withoutByteOrderMark(data)
        let line = data.prefix(sampleSize).prefix { $0 != UInt8(ascii: "\n") }
        guard (try? JSONDecoder().decode(Entry.self, from: line)) == nil else { return nil }
        // The first line of an array is no row.
        let isArray = data.first { !$0.isJSONSpace } == UInt8(ascii: "[")
        let names = isArray ? [] : firstRow(of: data, name: name).names
        let document =
            names.contains(where: textNames.contains) ? nil : VectorDocument(data, name: name)?.names
        let found = document ?? names
        return found.isEmpty || !entryNames.isDisjoint(with: found) ? nil : (found, document != nil)
    }

    /// Spreadsheets write a byte order mark, which would become a part of the first name.
    private static func withoutByteOrderMark(_ data: Data) -> Data {
        data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
    }

    /// Returns whether the first line of JSON Lines has the columns of exported entries.
    private static func isEntry(_ data: Data) -> Bool {
        let line = data.prefix(sampleSize).split(separator: UInt8(ascii: "\n")).first ?? Data()
        let row = try? JSONDecoder().decode(VectorRow.self, from: line)
        return row.map { ArchivedEntry.isRow($0.values) } ?? false
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
            let row = try? JSONDecoder().decode(VectorRow.self, from: line)
            return (row?.names ?? [], nil)
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        let isTabbed = name.lowercased().hasSuffix(".tsv") || line.contains(UInt8(ascii: "\t"))
        let separator = isTabbed ? "\t" : DelimitedText.separator(of: text)
        let rows = try? DelimitedText(separator: separator).rows(of: text, name: name)
        return (rows?.first?.fields ?? [], separator)
    }

    /// Returns the rows with their ids, and the number of elements of lists that have no text.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if a row has no text or an invalid vector, or if two rows
    ///   have the same id; `CancellationError`.
    func records(_ progress: Progress? = nil) throws -> (records: [VectorRecord], withoutText: Int) {
        var withoutText = 0
        let rows: [Row]
        switch form {
        case .table(let data, let separator): rows = try table(data, separator, progress)
        case .lines(let data): rows = try lines(data, progress)
        case .document(let document): (rows, withoutText) = try document.rows(self, progress)
        }
        var numbers: [ExactText: Int] = [:]
        for row in rows where !row.record.key.isEmpty {
            if let first = numbers.updateValue(row.number, forKey: ExactText(row.record.key)) {
                throw failure(
                    row.number, "its id '\(row.record.key)' is also that of \(unit) \(first)")
            }
        }
        let records = rows.map { row in
            guard row.record.key.isEmpty else { return row.record }
            var record = row.record
            let number = String(row.number)
            record.key = numbers[ExactText(number)] == nil ? number : "\(unit) \(number)"
            return record
        }
        return (records, withoutText)
    }

    private func table(_ data: Data, _ separator: Character, _ progress: Progress?) throws -> [Row] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RoostError(.badInput, "cannot import \(name): it is not UTF-8 text")
        }
        var lines = try DelimitedText(separator: separator).rows(of: text, name: name)[...]
        let header = lines.popFirst()?.fields ?? []
        var rows: [Row] = []
        for line in lines {
            try Task.checkCancellation()
            progress?(Double(rows.count) / Double(lines.count))
            guard line.fields.count == header.count else {
                throw failure(
                    line.line,
                    "it has \(Count.text(line.fields.count, "field")), but the header has \(header.count)")
            }
            let values = zip(header, line.fields).map { ($0, MetadataValue.string($1)) }
            let row = VectorRow(Dictionary(values) { first, _ in first })
            rows.append(Row(number: line.line, record: try record(row, line.line)))
        }
        return rows
    }

    private func lines(_ data: Data, _ progress: Progress?) throws -> [Row] {
        var lines = ByteLines { data.dropFirst($0).prefix($1) }
        var (rows, offset) = ([Row](), 0)
        while let line = try lines.next() {
            try Task.checkCancellation()
            offset += line.count + 1
            progress?(Double(offset) / Double(data.count))
            if line.allSatisfy(\.isJSONSpace) { continue }
            guard let row = try? JSONDecoder().decode(VectorRow.self, from: line) else {
                throw failure(
                    lines.number, JSONFault.description(of: line, fallback: "it is not a JSON object"))
            }
            rows.append(Row(number: lines.number, record: try record(row, lines.number)))
        }
        return rows
    }

    /// The name of the parts of the file that the numbers of rows count.
    private var unit: String {
        if case .document = form { "row" } else { "line" }
    }

    /// Returns the error for a row.
    func failure(_ number: Int, _ fault: String) -> RoostError {
        RoostError(
            .badInput, "cannot import \(name): \(unit) \(number): \(fault); nothing was imported")
    }

    /// Returns the text, vector, id and metadata of a row.
    ///
    /// - Parameter number: The number of the row, for messages.
    /// - Throws: ``RoostError`` with `.badInput` if the row has no text, or its vector is invalid.
    func record(_ row: VectorRow, _ number: Int) throws -> VectorRecord {
        var values = row.values
        // Data frames write null for a missing value.
        for name in Self.textNames + Self.vectorNames + Self.keyNames where values[name] == .null {
            values[name] = nil
        }
        func remove(_ names: [String]) -> MetadataValue? {
            names.first { values[$0] != nil }.flatMap { values.removeValue(forKey: $0) }
        }
        guard let text = remove(Self.textNames)?.text, text.contains(where: { !$0.isWhitespace }) else {
            throw failure(number, "it has no text")
        }
        guard let vector = row.vector?.numbers ?? Self.vector(remove(Self.vectorNames)),
            vector.allSatisfy(\.isFinite)
        else { throw failure(number, "its vector is not a list of numbers") }
        let key = remove(Self.keyNames)?.text ?? ""
        return VectorRecord(
            key: key, text: text, vector: vector, metadata: values.filter { $0.value.text != "" })
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
