import Foundation
import RoostDocuments
import RoostModel

/// An entry in the JSON of an archive, also after another program has read the archive and written it again.
///
/// A data frame keeps the columns of exported entries, but changes their values: the tags, metadata and
/// vectors of CSV are texts, the dates of Parquet are numbers, and missing values are null.
struct ArchivedEntry: Decodable, Sendable {
    /// The entry.
    var entry: Entry
    /// Whether the entry was a row of a table, which has neither passages nor a location.
    var isRow: Bool

    /// The fault of a value, as a clause for a message.
    struct Fault: Error {
        var reason: String
    }

    /// Returns the fault of a row without a text. Data frames read texts such as `NA` as null, and write null
    /// as an empty cell. No other command stores an entry with an empty text.
    ///
    /// - Parameter content: The adjective for the content.
    static func missingContent(_ content: String) -> String {
        "its content is \(content); a data frame reads texts such as NA as null, unless an option such as "
            + "keep_default_na=False of pandas.read_csv is given"
    }

    private enum Key: String, CodingKey, CaseIterable {
        case id, content, tags, metadata, createdAt, updatedAt
        // The columns that a row may lack.
        case source, key, embedding, embeddings

        static let required: [Key] = [.id, .content, .tags, .metadata, .createdAt, .updatedAt]
    }

    /// Returns whether an object has the columns of exported entries, and a UUID as its id.
    static func isRow(_ object: [String: MetadataValue]) -> Bool {
        Key.required.allSatisfy { object[$0.rawValue] != nil }
            && object["id"]?.string.flatMap(UUID.init(uuidString:)) != nil
    }

    init(from decoder: any Decoder) throws {
        let columns = try decoder.container(keyedBy: Key.self)
        let isComplete = Key.required.allSatisfy(columns.contains)
        // Only tables have the column `embedding`.
        if !isComplete || !columns.contains(.embedding) {
            do {
                (entry, isRow) = (try Entry(from: decoder), false)
                return
            } catch {
                guard isComplete else { throw error }
            }
        }
        let row = Row(columns: columns)
        (entry, isRow) = (try row.entry(), true)
    }

    /// Reads the values of a row.
    private struct Row {
        let columns: KeyedDecodingContainer<Key>
        /// Whether the row is from CSV, in which an apostrophe precedes cells that a spreadsheet would run as
        /// formulas. In other tables, the tags are a list.
        let isCSV: Bool
        /// The number of units per second in dates that are numbers.
        let unitsPerSecond: Double

        init(columns: KeyedDecodingContainer<Key>) {
            self.columns = columns
            isCSV = (try? columns.decode([String].self, forKey: .tags)) == nil
            let dates = [Key.createdAt, .updatedAt].compactMap {
                (try? columns.decode(MetadataValue.self, forKey: $0)).flatMap(Self.number)
            }
            unitsPerSecond = Self.unitsPerSecond(of: dates)
        }

        func entry() throws -> Entry {
            Entry(
                id: try columns.decode(UUID.self, forKey: .id), content: try content(),
                embeddings: try vector(), source: try text(.source), key: try text(.key),
                metadata: try value(.metadata, [:], "a JSON object"), tags: try tags(),
                createdAt: try date(.createdAt), updatedAt: try date(.updatedAt))
        }

        /// Returns the text of the entry. Null and an empty text are refused, because an import must not
        /// replace a text with them.
        private func content() throws -> String {
            if try columns.decodeNil(forKey: .content) {
                throw Fault(reason: ArchivedEntry.missingContent("null"))
            }
            guard let text = try text(.content) else {
                throw Fault(reason: ArchivedEntry.missingContent("empty"))
            }
            return text
        }

        /// Returns a text; `nil` for null and for an empty text, as in a table. Data frames write numbers if
        /// all texts of a column are numbers.
        private func text(_ key: Key) throws -> String? {
            guard let value = try columns.decodeIfPresent(MetadataValue.self, forKey: key), value != .null
            else { return nil }
            guard let text = value.text else { throw Fault(reason: "its \(key.rawValue) is not a text") }
            let cell = isCSV ? DelimitedLine.unescapingFormula(text) : text
            return cell.isEmpty ? nil : cell
        }

        /// Returns a value that is written as JSON or as a text with JSON.
        private func value<Value: Decodable>(_ key: Key, _ fallback: Value, _ kind: String) throws -> Value {
            if try !columns.contains(key) || columns.decodeNil(forKey: key) { return fallback }
            if let value = try? columns.decode(Value.self, forKey: key) { return value }
            guard let text = try text(key) else { return fallback }
            guard let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) else {
                throw Fault(reason: "its \(key.rawValue) is not \(kind)")
            }
            return value
        }

        private func vector() throws -> [Float] {
            let vector: [Float] = try value(.embedding, [], "a JSON array of numbers")
            return vector.isEmpty ? try value(.embeddings, [], "a JSON array of numbers") : vector
        }

        private func tags() throws -> [String] {
            if let tags = try? columns.decode([String].self, forKey: .tags) { return tags }
            return ExportedTable.tags(try text(.tags) ?? "")
        }

        private func date(_ key: Key) throws -> Date {
            let value = try columns.decodeIfPresent(MetadataValue.self, forKey: key)
            let date: Date? =
                switch value {
                case .string(let text): DateText.date(from: text) ?? FrontMatterDate.date(text)
                default:
                    value.flatMap(Self.number).map { Date(timeIntervalSince1970: $0 / unitsPerSecond) }
                }
            guard let date, date.isWritable else {
                throw Fault(reason: "its \(key.rawValue) is not a time such as 2026-01-31T09:00:00.000Z")
            }
            return date
        }

        private static func number(_ value: MetadataValue) -> Double? {
            switch value {
            case .integer(let number): Double(number)
            case .number(let number): number
            default: nil
            }
        }

        /// Returns the number of units per second in the dates of a row, which are numbers of seconds,
        /// milliseconds, microseconds or nanoseconds since 1970.
        ///
        /// The unit follows from the size of the largest number. All dates of a row have the same unit, and a
        /// date before 1973 in milliseconds is as small as a later one in seconds.
        private static func unitsPerSecond(of dates: [Double]) -> Double {
            switch dates.map(abs).max() ?? 0 {
            case ..<1e11: 1
            case ..<1e14: 1e3
            case ..<1e17: 1e6
            default: 1e9
            }
        }
    }
}
