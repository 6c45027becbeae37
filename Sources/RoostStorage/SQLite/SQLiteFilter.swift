import Foundation
import GRDB
import RoostFiles
import RoostModel
import Synchronization

/// Translates an `EntryFilter` into an SQL condition on the table `entries e`. All values are bound
/// parameters.
struct FilterSQL {
    let sql: String
    let arguments: [any DatabaseValueConvertible]
    /// Queries for rows of entries: the rows that all of them return match. Neighboring rows of the table of entries
    /// are far apart, so it is only read if a condition concerns one of its columns. The other tables refer to it.
    let rowQueries: [(sql: String, arguments: [any DatabaseValueConvertible])]
    /// The part of the filter that is evaluated using the tables of tags and metadata, which have no
    /// checksums.
    private let derived: EntryFilter

    /// The maximum number of values that are passed as separate parameters and looked up in the index. Longer
    /// lists are passed as JSON, because the number of all parameters in a statement is limited (32,766 by default).
    private static let maximumParameters = 500

    init(_ filter: EntryFilter, tags: [String]) {
        derived = changing(EntryFilter(tags: filter.tags, metadata: filter.metadata)) {
            $0.conditions = filter.conditions
        }
        var clauses: [Clause] = []
        if let ids = filter.ids { clauses.append(Self.isIn(ids.map(Column.bytes), "e.id")) }
        if let prefix = filter.idPrefix {
            let ends = EntryID.range(ofPrefix: prefix).map { [$0.lowerBound, $0.upperBound] }
            clauses.append(ends.map { Clause("e.id BETWEEN ? AND ?", $0.map(Column.bytes)) } ?? Clause("0"))
        }
        if let sources = filter.sources { clauses.append(Self.isIn(sources.map(Column.bytes), "e.source")) }
        clauses += filter.tags.sorted().map { Self.tagged(.equals($0), tags) }
        clauses += filter.metadata.sorted { $0.key < $1.key }.map { key, text in
            Clause(
                rowsOf: "SELECT row FROM entry_metadata WHERE key = ? AND text = ?",
                [Column.bytes(key), Column.bytes(text)])
        }
        if let cluster = filter.cluster {
            clauses.append(
                Clause(rowsOf: "SELECT row FROM assignments WHERE cluster = ?", [Column.bytes(cluster)]))
        }
        if filter.isUnclustered {
            clauses.append(Clause("e.row NOT IN (SELECT row FROM assignments WHERE cluster IS NOT NULL)"))
        }
        clauses += filter.conditions.map { Self.condition($0, tags) }
        if let period = filter.creationPeriod { clauses.append(Self.isIn(period, ["e.created"])) }
        if let period = filter.changePeriod { clauses.append(Self.isIn(period, ["e.updated"])) }
        if let period = filter.period { clauses.append(Self.isIn(period, ["e.created", "e.updated"])) }
        sql = clauses.isEmpty ? "1" : clauses.map(\.sql).joined(separator: " AND ")
        arguments = clauses.flatMap(\.values)
        let selections = clauses.compactMap { clause in clause.selection.map { ($0, clause.values) } }
        rowQueries =
            selections.count == clauses.count && !clauses.isEmpty
            ? selections : [("SELECT e.row FROM entries e WHERE \(sql)", arguments)]
    }

    /// The SQL function `roost_has(metadata, key)`, which returns whether an entry's metadata contains a key.
    static let hasKey = DatabaseFunction("roost_has", argumentCount: 2, pure: true) { values in
        guard let metadata = Data.fromDatabaseValue(values[0]), let key = Data.fromDatabaseValue(values[1])
        else { return false }
        let found = try Column.metadata(metadata)
        return found.keys.contains { $0.utf8.elementsEqual(key) }
    }

    private struct Clause {
        var sql: String
        var values: [any DatabaseValueConvertible]
        /// A query for the rows of the entries that meet the condition, if a table other than that of entries
        /// has them.
        var selection: String?

        init(_ sql: String, _ values: [any DatabaseValueConvertible] = []) {
            (self.sql, self.values) = (sql, values)
        }

        init(rowsOf selection: String, _ values: [any DatabaseValueConvertible]) {
            self.init("e.row IN (\(selection))", values)
            self.selection = selection
        }
    }

    private static func condition(_ condition: EntryCondition, _ tags: [String]) -> Clause {
        let (test, isNegated) =
            switch condition.test {
            case .differs(let operand): (EntryCondition.Test.equals(operand), true)
            case .isMissing: (EntryCondition.Test.exists, true)
            default: (condition.test, false)
            }
        var clause: Clause
        switch condition.field {
        case .source:
            clause = value(test, "e.source")
            clause.sql = "(e.source IS NOT NULL AND \(clause.sql))"
        case .tag:
            clause = tagged(test, tags)
        case .metadata(let key):
            let found = value(test, "text")
            clause = Clause(
                rowsOf: "SELECT row FROM entry_metadata WHERE key = ? AND \(found.sql)",
                [Column.bytes(key)] + found.values)
            if case .exists = test {
                // Objects and empty arrays have no rows in `entry_metadata`, so the JSON of the entry is
                // parsed, but only if its text contains the key.
                let letters = Column.json(.string(key))
                clause = Clause(
                    "(\(clause.sql) OR (instr(e.metadata, ?) > 0 AND roost_has(e.metadata, ?)))",
                    clause.values + [letters, Column.bytes(key)])
            }
        }
        return isNegated ? Clause("NOT \(clause.sql)", clause.values) : clause
    }

    private static func tagged(_ test: EntryCondition.Test, _ tags: [String]) -> Clause {
        if case .exists = test { return Clause(rowsOf: "SELECT row FROM entry_tags", []) }
        let found = isIn(test.tags(among: tags).map(Column.bytes), "tag")
        return Clause(rowsOf: "SELECT row FROM entry_tags WHERE \(found.sql)", found.values)
    }

    private static func isIn(_ period: DatePeriod, _ columns: [String]) -> Clause {
        let (times, days) = (period.times.milliseconds, period.days.milliseconds)
        var clause = Clause("")
        let tests = columns.map { column in
            if days != times {
                clause.values += [days.lowerBound, days.upperBound]
                clause.values += [times.lowerBound, times.upperBound]
                return """
                    CASE WHEN \(column) % \(DatePeriod.dayLength) = 0 THEN \(column) >= ? AND \(column) < ? \
                    ELSE \(column) >= ? AND \(column) < ? END
                    """
            }
            clause.values += [times.lowerBound, times.upperBound]
            return "\(column) >= ? AND \(column) < ?"
        }
        clause.sql = "(" + tests.joined(separator: " OR ") + ")"
        return clause
    }

    private static func value(_ test: EntryCondition.Test, _ column: String) -> Clause {
        func compared(_ sign: String, _ operand: String) -> Clause {
            let bytes = Column.bytes(operand)
            let plain = "roost_compare(\(column), ?) \(sign) 0"
            guard EntryCondition.Test.isDateOrYear(operand) else { return Clause(plain, [bytes]) }
            let date = "(\(isDate(column)) AND substr(\(column), 1, \(bytes.count)) \(sign) ?)"
            // A year is also a number.
            guard EntryCondition.Test.isNumber(operand) else { return Clause(date, [bytes]) }
            return Clause("(\(plain) OR \(date))", [bytes, bytes])
        }
        switch test {
        case .isLess(let operand): return compared("<", operand)
        case .isAtMost(let operand): return compared("<=", operand)
        case .isGreater(let operand): return compared(">", operand)
        case .isAtLeast(let operand): return compared(">=", operand)
        case .hasPrefix(let prefix):
            let bytes = Column.bytes(prefix)
            // An empty prefix needs a separate case, because `substr` returns NULL for an empty BLOB.
            if bytes.isEmpty { return Clause("1") }
            return Clause("\(column) >= ? AND substr(\(column), 1, ?) = ?", [bytes, bytes.count, bytes])
        case .exists, .isMissing: return Clause("1")
        case .equals(let operand), .differs(let operand): return isOne(of: [operand], column)
        case .isOneOf(let operands): return isOne(of: operands, column)
        }
    }

    private static func isDate(_ column: String) -> String {
        typealias Test = EntryCondition.Test
        let classes: [Character: String] = ["0": "[0-9]", "1": "[01]", "3": "[0-3]", "T": "[T ]"]
        func hasForm(_ length: Int) -> String {
            let form = Test.datePattern.prefix(length).map { classes[$0] ?? String($0) }.joined()
            return "CAST(substr(\(column), 1, \(length)) AS TEXT) GLOB '\(form)'"
        }
        // The length of a BLOB is tested separately, because GLOB ends at a null character.
        let forms = [Test.monthLength, Test.dayLength].map {
            "(length(\(column)) = \($0) AND \(hasForm($0)))"
        }
        return "(\(forms.joined(separator: " OR ")) OR \(hasForm(Test.datePattern.utf8.count)))"
    }

    /// Returns SQL that finds equal texts with the index, and equal numbers by comparison, because `1.0`
    /// equals `1`.
    private static func isOne(of operands: [String], _ column: String) -> Clause {
        var clause = isIn(operands.map(Column.bytes), column)
        let numbers = operands.filter(EntryCondition.Test.isNumber)
        guard !numbers.isEmpty else { return clause }
        clause.sql = "(\(clause.sql) OR roost_is_number_in(\(column), ?))"
        clause.values.append(numbers.joined(separator: ","))
        return clause
    }

    private static func isIn(_ values: [Data], _ column: String) -> Clause {
        if values.count <= maximumParameters {
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return Clause("\(column) IN (\(marks))", values)
        }
        // JSON cannot contain arbitrary bytes, so they are passed as hexadecimal digits.
        let texts = values.map { "\"\(Hexadecimal.text($0).uppercased())\"" }.joined(separator: ",")
        return Clause("hex(\(column)) IN (SELECT value FROM json_each(?))", ["[\(texts)]"])
    }

    /// Returns whether an entry really has the tags and metadata that the filter requires. If it does not,
    /// the tables with which the query found it are damaged.
    func confirms(_ entry: Entry) -> Bool { derived.matchesAll || derived.matches(entry, assigned: nil) }
}

/// The different tags in a snapshot. Filters compare them without regard to case and look up the entries with
/// those that match, because SQLite cannot compare all characters so.
final class SnapshotTags: Sendable {
    private let tags = Mutex<[String]?>(nil)

    /// Returns the tags with which a filter is evaluated; empty if it does not test tags.
    ///
    /// - Complexity: O(different tags × log(tags of all entries)) for the first filter.
    func tags(for filter: EntryFilter, _ database: Database) throws -> [String] {
        guard filter.testsTags else { return [] }
        if let known = tags.withLock({ $0 }) { return known }
        let found = try Self.read(database)
        tags.withLock { $0 = found }
        return found
    }

    private static func read(_ database: Database) throws -> [String] {
        let search = try database.cachedStatement(
            sql: """
                WITH RECURSIVE t(tag) AS (
                    SELECT min(tag) FROM entry_tags
                    UNION ALL
                    SELECT (SELECT min(tag) FROM entry_tags WHERE tag > t.tag) FROM t WHERE t.tag IS NOT NULL
                ) SELECT tag FROM t WHERE tag IS NOT NULL
                """)
        return try Data.fetchAll(search).map(Column.text)
    }
}
