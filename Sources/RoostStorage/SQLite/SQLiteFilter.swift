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
    /// The part of the filter that is evaluated using the tables of tags and metadata, which have no
    /// checksums.
    private let derived: EntryFilter

    /// The maximum number of ids that are passed as separate parameters and looked up in the index. Longer
    /// lists are passed as JSON, because the number of parameters in a statement is limited (32,766 by
    /// default since SQLite 3.32, and 999 before).
    private static let maximumIDParameters = 500
    /// The equivalent of ``maximumIDParameters`` for the operands of a condition. It is lower because a
    /// filter can contain several conditions.
    private static let maximumOperandParameters = 100

    init(_ filter: EntryFilter, tags: [String]) {
        var derived = EntryFilter(tags: filter.tags, metadata: filter.metadata)
        derived.conditions = filter.conditions
        self.derived = derived
        var clauses: [Clause] = []
        if let ids = filter.ids {
            clauses.append(
                Self.isIn(ids.map(Column.bytes), "e.id", maximumParameters: Self.maximumIDParameters))
        }
        if let prefix = filter.idPrefix { clauses.append(Self.hasIDPrefix(prefix)) }
        if let sources = filter.sources {
            clauses.append(
                Self.isIn(sources.map(Column.bytes), "e.source", maximumParameters: Self.maximumIDParameters))
        }
        clauses += filter.tags.sorted().map { Self.tagged(.equals($0), tags) }
        clauses += filter.metadata.sorted { $0.key < $1.key }.map { key, text in
            (
                "e.row IN (SELECT row FROM entry_metadata WHERE key = ? AND text = ?)",
                [Column.bytes(key), Column.bytes(text)]
            )
        }
        if let cluster = filter.cluster {
            clauses.append(
                ("e.row IN (SELECT row FROM assignments WHERE cluster = ?)", [Column.bytes(cluster)]))
        }
        if filter.isUnclustered {
            clauses.append(("e.row NOT IN (SELECT row FROM assignments WHERE cluster IS NOT NULL)", []))
        }
        clauses += filter.conditions.map { Self.condition($0, tags) }
        if let period = filter.creationPeriod { clauses.append(Self.isIn(period, ["e.created"])) }
        if let period = filter.changePeriod { clauses.append(Self.isIn(period, ["e.updated"])) }
        if let period = filter.period { clauses.append(Self.isIn(period, ["e.created", "e.updated"])) }
        sql = clauses.isEmpty ? "1" : clauses.map(\.sql).joined(separator: " AND ")
        arguments = clauses.flatMap(\.values)
    }

    /// The SQL function `roost_has(metadata, key)`, which returns whether an entry's metadata contains a key.
    static let hasKey = DatabaseFunction("roost_has", argumentCount: 2, pure: true) { values in
        guard let metadata = Data.fromDatabaseValue(values[0]), let key = Data.fromDatabaseValue(values[1])
        else { return false }
        let found = try Column.metadata(metadata)
        return found.keys.contains { $0.utf8.elementsEqual(key) }
    }

    private typealias Clause = (sql: String, values: [any DatabaseValueConvertible])

    private static func hasIDPrefix(_ prefix: String) -> Clause {
        let dashed =
            "substr(hex(e.id),1,8)||'-'||substr(hex(e.id),9,4)||'-'||substr(hex(e.id),13,4)||'-'||"
            + "substr(hex(e.id),17,4)||'-'||substr(hex(e.id),21)"
        return ("substr(\(dashed), 1, ?) = ?", [prefix.utf8.count, prefix.uppercased()])
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
            clause = value(test, "text")
            clause.sql = "e.row IN (SELECT row FROM entry_metadata WHERE key = ? AND \(clause.sql))"
            clause.values.insert(Column.bytes(key), at: 0)
            if case .exists = test {
                // Objects and empty arrays have no rows in `entry_metadata`, so the JSON of the entry is
                // parsed, but only if its text contains the key.
                let letters = Column.json(.string(key))
                clause.sql = "(\(clause.sql) OR (instr(e.metadata, ?) > 0 AND roost_has(e.metadata, ?)))"
                clause.values += [letters, Column.bytes(key)]
            }
        }
        if isNegated { clause.sql = "NOT \(clause.sql)" }
        return clause
    }

    private static func tagged(_ test: EntryCondition.Test, _ tags: [String]) -> Clause {
        var clause: Clause = ("1", [])
        if case .exists = test {
        } else {
            clause = isIn(
                test.tags(among: tags).map(Column.bytes), "tag", maximumParameters: maximumIDParameters)
        }
        clause.sql = "e.row IN (SELECT row FROM entry_tags WHERE \(clause.sql))"
        return clause
    }

    private static func isIn(_ period: DatePeriod, _ columns: [String]) -> Clause {
        let (times, days) = (period.times.milliseconds, period.days.milliseconds)
        var clause: Clause = ("", [])
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
            guard EntryCondition.Test.isDateOrYear(operand) else { return (plain, [bytes]) }
            let date = "(\(isDate(column)) AND substr(\(column), 1, \(bytes.count)) \(sign) ?)"
            // A year is also a number.
            guard EntryCondition.Test.isNumber(operand) else { return (date, [bytes]) }
            return ("(\(plain) OR \(date))", [bytes, bytes])
        }
        switch test {
        case .isLess(let operand): return compared("<", operand)
        case .isAtMost(let operand): return compared("<=", operand)
        case .isGreater(let operand): return compared(">", operand)
        case .isAtLeast(let operand): return compared(">=", operand)
        case .hasPrefix(let prefix):
            let bytes = Column.bytes(prefix)
            // An empty prefix needs a separate case, because `substr` returns NULL for an empty BLOB.
            if bytes.isEmpty { return ("1", []) }
            return ("\(column) >= ? AND substr(\(column), 1, ?) = ?", [bytes, bytes.count, bytes])
        case .exists, .isMissing: return ("1", [])
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

    private static func isIn(
        _ values: [Data], _ column: String, maximumParameters: Int = maximumOperandParameters
    ) -> Clause {
        if values.count <= maximumParameters {
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return ("\(column) IN (\(marks))", values)
        }
        // JSON cannot contain arbitrary bytes, so they are passed as hexadecimal digits.
        let texts = values.map { "\"\(Hexadecimal.text($0).uppercased())\"" }.joined(separator: ",")
        return ("hex(\(column)) IN (SELECT value FROM json_each(?))", ["[\(texts)]"])
    }

    /// Returns whether an entry really has the tags and metadata that the filter requires. If it does not,
    /// the tables with which the query found it are damaged.
    func confirms(_ entry: Entry) -> Bool { derived.matchesAll || derived.matches(entry, assigned: nil) }
}

/// The different tags in a snapshot. Filters compare them without regard to case and look up the entries with
/// those that match, because SQLite cannot compare all characters so.
final class SnapshotTags: Sendable {
    private let tags = Mutex<[String]?>(nil)

    /// The number of tags that are found by one search of the index each. If a store has more different tags,
    /// a scan finds the others in less time.
    private static let searchedCount = 5_000

    /// Returns the tags with which a filter is evaluated; empty if it does not test tags.
    ///
    /// - Complexity: O(different tags × log(tags of all entries)) for the first filter, with an upper bound
    ///   of O(tags of all entries).
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
                ) SELECT tag FROM t WHERE tag IS NOT NULL LIMIT ?
                """)
        var found = try Data.fetchAll(search, arguments: [searchedCount])
        if found.count == searchedCount, let last = found.last {
            let scan = try database.cachedStatement(
                sql: "SELECT DISTINCT tag FROM entry_tags WHERE tag > ? ORDER BY tag")
            found += try Data.fetchAll(scan, arguments: [last])
        }
        return try found.map(Column.text)
    }
}
