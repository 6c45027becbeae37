import Foundation
import RoostDocuments
import RoostModel

struct RowReader {
    struct Rows {
        var entries: [EntryDraft] = []
        var skipped: [IngestReport.Finding] = []
        var notices: [IngestReport.Finding] = []
        /// The number of skipped rows, including those that are not listed in ``skipped``.
        var skippedCount = 0
    }

    let textColumn: String?
    let idColumn: String?
    let name: String

    private static let maximumListedColumns = 20
    private static let maximumListedRows = 20

    /// The columns with vectors of other programs, which are no metadata.
    private static let vectorColumns = ["embedding", "embeddings", "vector"]

    // MARK: JSON Lines

    /// The reason to skip a row without a text, if no column was named.
    private static let noText = "no string for the key \"text\" or \"content\""

    /// Reads JSON Lines: each line is an object with the key `text` or `content`, and optionally `id`, `tags`
    /// and dates (``RowFields``). All keys except the text, the id and an array of tags become metadata.
    func jsonLines(_ text: String) throws -> Rows {
        var rows = Rows()
        // Split by bytes: a carriage return and a line feed together form one `Character`.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !Substring(line).allSatisfy(\.isWhitespace) {
            do throws(InvalidRow) {
                add(try draft(of: line, index + 1), to: &rows)
            } catch {
                skip("line \(index + 1)", error.reason, in: &rows)
            }
        }
        try finish(&rows)
        return rows
    }

    private func draft(of line: Substring.UTF8View, _ number: Int) throws(InvalidRow) -> EntryDraft {
        guard var object = (try? MetadataValue(json: Data(line)))?.members else {
            throw InvalidRow(reason: JSONFault.description(of: line, fallback: "it is not an object"))
        }
        let key = textColumn ?? (object["text"] != nil ? "text" : "content")
        guard case .string(let content)? = object.removeValue(forKey: key) else {
            throw InvalidRow(reason: textColumn.map { "no string for the key '\($0)'" } ?? Self.noText)
        }
        let id = object.removeValue(forKey: idColumn ?? "id").flatMap { $0 == .null ? nil : $0.text }
        for column in Self.vectorColumns { object[column] = nil }
        return Self.draft(
            content, id, object, "line \(number)", EntryLocation(line: number, lastLine: number))
    }

    private static func draft(
        _ content: String, _ id: String?, _ values: [String: MetadataValue], _ location: String,
        _ lines: EntryLocation
    ) -> EntryDraft {
        let fields = RowFields(values)
        return EntryDraft(
            key: id.flatMap { $0.isEmpty ? nil : "id:\($0)" }, content: content, structure: TextStructure(),
            metadata: DocumentKey.withoutMessageMark(fields.metadata), tags: fields.tags,
            location: location, sourceLocation: lines, createdAt: fields.createdAt,
            updatedAt: fields.updatedAt)
    }

    // MARK: Tables

    func table(_ text: String, separator: Character) throws -> Rows {
        var rows = Rows()
        let bytes = Data(text.utf8)
        var lines = DelimitedRows(separator: separator, name: name) { bytes.dropFirst($0).prefix($1) }
        guard let header = try lines.next()?.fields else { return rows }
        try requireDistinctNames(header)
        let textIndex = try index(of: textColumn.map { [$0] } ?? ["text", "content"], in: header)
        let idIndex = try idColumn.map { try index(of: [$0], in: header) } ?? header.firstIndex(of: "id")
        while let row = try lines.next() {
            let isOneLine = row.line == row.lastLine
            let range = isOneLine ? "line \(row.line)" : "lines \(row.line) to \(row.lastLine)"
            let location = "row \(row.number) (\(range))"
            guard row.fields.count == header.count else {
                var reason = "\(Count.text(row.fields.count, "field")), but the header has \(header.count)"
                if !isOneLine { reason += "; a quotation mark in these lines may be missing or unexpected" }
                skip(location, reason, in: &rows)
                continue
            }
            var metadata: [String: MetadataValue] = [:]
            for (index, field) in row.fields.enumerated() where index != textIndex && index != idIndex {
                if Self.vectorColumns.contains(header[index]) { continue }
                // Spreadsheets write empty columns at the end of each row.
                if header[index].isEmpty, field.isEmpty { continue }
                metadata[header[index]] = .string(field)
            }
            let draft = Self.draft(
                row.fields[textIndex], idIndex.map { row.fields[$0] }, metadata, location,
                EntryLocation(line: row.line, lastLine: row.lastLine))
            add(draft, to: &rows)
        }
        try finish(&rows)
        return rows
    }

    /// Checks that no two columns have the same name, because one would replace the other. Columns without a
    /// name are ignored.
    private func requireDistinctNames(_ header: [String]) throws {
        var seen = Set<String>()
        guard let repeated = header.first(where: { !$0.isEmpty && !seen.insert($0).inserted }) else { return }
        throw RoostError(
            .badInput,
            "cannot read \(name): several columns have the same name (\(repeated)); give each column a "
                + "different name")
    }

    /// Returns the index of the first of several columns that the table has.
    private func index(of columns: [String], in header: [String]) throws -> Int {
        if let index = columns.lazy.compactMap({ header.firstIndex(of: $0) }).first { return index }
        throw RoostError(
            .badInput,
            "cannot read \(name): it has no column '\(columns.joined(separator: "' or '"))' (its columns are "
                + "\(header.prefix(Self.maximumListedColumns).joined(separator: ", ")))",
            remedy: columns.count > 1 ? .nameTextColumn : nil)
    }

    // MARK: Skipped rows

    private struct InvalidRow: Error {
        let reason: String
    }

    private func add(_ draft: EntryDraft, to rows: inout Rows) {
        if let defect = draft.metadata.defect {
            skip(draft.location ?? "", "the metadata has \(defect)", in: &rows)
        } else {
            rows.entries.append(draft)
        }
    }

    private func skip(_ location: String, _ reason: String, in rows: inout Rows) {
        rows.skippedCount += 1
        guard rows.skippedCount <= Self.maximumListedRows else { return }
        rows.skipped.append(.init(kind: .row, source: "\(name), \(location)", reason: reason))
    }

    /// Checks that at least one row was read.
    ///
    /// - Throws: ``RoostError`` if all rows were skipped: the type of the file probably differs from its
    ///   extension.
    private func finish(_ rows: inout Rows) throws {
        if rows.repairEncoding() {
            rows.notices.append(.init(kind: .encoding, source: name, reason: LatinRepair.notice))
        }
        for (columns, date) in [
            (RowFields.createdColumns, \EntryDraft.createdAt), (RowFields.updatedColumns, \.updatedAt),
        ] {
            rows.notices += RowDates.complete(&rows.entries, date, from: columns).map {
                .init(kind: .date, source: name, reason: $0.reason, count: $0.count)
            }
        }
        if rows.entries.isEmpty, let first = rows.skipped.first {
            throw RoostError(
                .badInput,
                "cannot read \(name): no row is valid; \(first.source.dropFirst(name.count + 2)): "
                    + first.reason, remedy: first.reason == Self.noText ? .nameTextColumn : nil)
        }
        let unlisted = rows.skippedCount - rows.skipped.count
        if unlisted > 0 {
            let reason = Count.text(unlisted, "more row is invalid", "more rows are invalid")
            rows.skipped.append(.init(kind: .row, source: name, reason: reason, count: unlisted))
        }
    }
}

/// The tags and dates in the columns, or JSON keys, of a row.
struct RowFields {
    let tags: [String]
    /// The date of creation; `nil` if the row has none that is clear.
    let createdAt: Date?
    /// The date of the last change; `nil` if the row has none that is clear.
    let updatedAt: Date?
    /// The values that become metadata: all but an array of tags.
    let metadata: [String: MetadataValue]

    /// The names of columns in order of precedence: a general `date` is used if there is no specific one.
    static let createdColumns = ["created", "createdAt", "created_at", "date"]
    static let updatedColumns = ["updated", "updatedAt", "updated_at", "modified"]

    init(_ values: [String: MetadataValue]) {
        func date(_ columns: [String]) -> Date? {
            for column in columns {
                if let text = values[column]?.text, let date = Date(written: text) { return date }
            }
            return nil
        }
        (createdAt, updatedAt) = (date(Self.createdColumns), date(Self.updatedColumns))
        var metadata = values
        if case .array(let tags)? = values["tags"], tags.allSatisfy({ $0.string != nil }) {
            metadata["tags"] = nil
            self.tags = tags.compactMap(\.string)
        } else {
            // Tags can contain spaces, so these do not separate tags.
            let parts = (values["tags"]?.string ?? "").split { $0 == "," || $0 == ";" }
            tags = TagName.distinct(
                parts.map { part in
                    let tag = part.trimmingCharacters(in: .whitespacesAndNewlines)
                    return tag.hasPrefix("#") ? String(tag.dropFirst()) : tag
                })
        }
        self.metadata = metadata
    }
}

/// The dates in a column whose values have the form `03/04/2025`, in which the order of day and month depends on the
/// country. The order follows from the values of the whole column: a number above 12 is a day.
enum RowDates {
    /// The parts of a date: two numbers, the year, and a time of day.
    nonisolated(unsafe) private static let form = #/ *(\d\d?)[\/-](\d\d?)[\/-](\d{4})(.*)/#

    private typealias Parts = (Substring, Substring, Substring, Substring, Substring)

    /// Sets the missing dates of rows, as far as the columns make them clear.
    ///
    /// - Returns: The number of rows with an unclear date, and the reason, for each column that has such rows.
    static func complete(
        _ rows: inout [EntryDraft], _ date: WritableKeyPath<EntryDraft, Date?>, from columns: [String]
    ) -> [(reason: String, count: Int)] {
        columns.compactMap { column in
            let undated = rows.indices.filter { rows[$0][keyPath: date] == nil }
            let texts = undated.compactMap { index -> (index: Int, text: String, parts: Parts?)? in
                guard let value = rows[index].metadata[column], value != .null, let text = value.text,
                    !text.allSatisfy(\.isWhitespace)
                else { return nil }
                return (index, text, text.wholeMatch(of: form)?.output)
            }
            let numbers = texts.compactMap(\.parts).map { (Int($0.1) ?? 0, Int($0.2) ?? 0) }
            let (isDayFirst, isMonthFirst) = (numbers.contains { $0.0 > 12 }, numbers.contains { $0.1 > 12 })
            var unclear: [String] = []
            for (index, text, parts) in texts {
                if let parts, isDayFirst != isMonthFirst {
                    let (day, month) = isDayFirst ? (parts.1, parts.2) : (parts.2, parts.1)
                    rows[index][keyPath: date] = Date(written: "\(day).\(month).\(parts.3)\(parts.4)")
                }
                if rows[index][keyPath: date] == nil { unclear.append(text) }
            }
            guard let first = unclear.first else { return nil }
            let reason =
                "the date of \(Count.text(unclear.count, "row")) in the column \(column) is not clear, such as "
                + "\(first.prefix(40)); these rows have the date of this ingest"
            return (reason, unclear.count)
        }
    }
}

extension RowReader.Rows {
    /// Repairs texts in UTF-8 that were read as Latin-1, if all rows contain only such texts and ASCII.
    mutating func repairEncoding() -> Bool {
        var texts: [String] = []
        for entry in entries {
            texts.append(entry.content)
            texts += entry.tags
            for value in entry.metadata.values {
                _ = value.mapStrings {
                    texts.append($0)
                    return $0
                }
            }
        }
        guard let repaired = LatinRepair.repaired(texts) else { return false }
        let pairs = Dictionary(zip(texts, repaired)) { first, _ in first }
        for index in entries.indices {
            let structure = entries[index].structure
            entries[index].content = pairs[entries[index].content] ?? entries[index].content
            entries[index].structure = structure
            entries[index].tags = entries[index].tags.map { pairs[$0] ?? $0 }
            entries[index].metadata = entries[index].metadata.mapValues { $0.mapStrings { pairs[$0] ?? $0 } }
        }
        return true
    }
}

extension MetadataValue {
    fileprivate func mapStrings(_ transform: (String) -> String) -> MetadataValue {
        switch self {
        case .string(let text): .string(transform(text))
        case .array(let values): .array(values.map { $0.mapStrings(transform) })
        case .object(let values): .object(values.mapValues { $0.mapStrings(transform) })
        default: self
        }
    }
}
