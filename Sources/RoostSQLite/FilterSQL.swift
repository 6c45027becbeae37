import Foundation
import GRDB
import RoostModel

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

    init(_ filter: EntryFilter) {
        var conditions = ["1"]
        var arguments: [any DatabaseValueConvertible] = []
        func add(_ sql: String, _ values: [any DatabaseValueConvertible]) {
            conditions.append(sql)
            arguments += values
        }
        var derived = EntryFilter(tags: filter.tags, metadata: filter.metadata)
        derived.conditions = filter.conditions
        self.derived = derived
        func addAny(_ column: String, of values: [Data]) {
            if values.count <= Self.maximumIDParameters {
                let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
                add("\(column) IN (\(marks))", values)
            } else {
                let list = "[" + values.map { "\"\(Column.hexadecimal($0))\"" }.joined(separator: ",") + "]"
                add("hex(\(column)) IN (SELECT value FROM json_each(?))", [list])
            }
        }
        if let ids = filter.ids { addAny("e.id", of: ids.map(Column.bytes)) }
        if let prefix = filter.idPrefix {
            let dashed =
                "substr(hex(e.id),1,8)||'-'||substr(hex(e.id),9,4)||'-'||substr(hex(e.id),13,4)||'-'||"
                + "substr(hex(e.id),17,4)||'-'||substr(hex(e.id),21)"
            add("substr(\(dashed), 1, ?) = ?", [prefix.utf8.count, prefix.uppercased()])
        }
        if let sources = filter.sources { addAny("e.source", of: sources.map(Column.bytes)) }
        for tag in filter.tags.sorted() {
            add("e.row IN (SELECT row FROM entry_tags WHERE tag = ?)", [Column.bytes(tag)])
        }
        for (key, text) in filter.metadata.sorted(by: { $0.key < $1.key }) {
            add(
                "e.row IN (SELECT row FROM entry_metadata WHERE key = ? AND text = ?)",
                [Column.bytes(key), Column.bytes(text)])
        }
        if let cluster = filter.cluster {
            add("e.row IN (SELECT row FROM assignments WHERE cluster = ?)", [Column.bytes(cluster)])
        }
        for condition in filter.conditions {
            let (sql, values) = Self.condition(condition)
            add(sql, values)
        }
        for (column, span) in [("e.created", filter.created), ("e.updated", filter.updated)] {
            guard let span = span?.milliseconds else { continue }
            add("\(column) >= ? AND \(column) < ?", [span.lowerBound, span.upperBound])
        }
        sql = conditions.joined(separator: " AND ")
        self.arguments = arguments
    }

    /// The SQL function `roost_has(metadata, key)`, which returns whether an entry's metadata contains a key.
    static let hasKey = DatabaseFunction("roost_has", argumentCount: 2, pure: true) { values in
        guard let metadata = Data.fromDatabaseValue(values[0]), let key = Data.fromDatabaseValue(values[1])
        else { return false }
        let found = try Column.metadata(metadata)
        return found.keys.contains { $0.utf8.elementsEqual(key) }
    }

    private typealias Clause = (sql: String, values: [any DatabaseValueConvertible])

    /// Returns the SQL for a condition. The SQL uses the indexes of sources, tags and metadata values.
    private static func condition(_ condition: EntryCondition) -> Clause {
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
            clause = value(test, "tag")
            clause.sql = "e.row IN (SELECT row FROM entry_tags WHERE \(clause.sql))"
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

    private static func value(_ test: EntryCondition.Test, _ column: String) -> Clause {
        func compared(_ sign: String, _ operand: String) -> Clause {
            ("roost_compare(\(column), ?) \(sign) 0", [Column.bytes(operand)])
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

    /// Returns SQL that finds equal texts with the index, and equal numbers by comparison, because `1.0`
    /// equals `1`.
    private static func isOne(of operands: [String], _ column: String) -> Clause {
        var clause: Clause
        if operands.count <= maximumOperandParameters {
            let marks = Array(repeating: "?", count: operands.count).joined(separator: ", ")
            clause = ("\(column) IN (\(marks))", operands.map { Column.bytes($0) })
        } else {
            // JSON cannot contain arbitrary bytes, so they are passed as hexadecimal digits.
            let texts = operands.map { "\"\(Column.hexadecimal(Column.bytes($0)))\"" }.joined(separator: ",")
            clause = ("hex(\(column)) IN (SELECT value FROM json_each(?))", ["[\(texts)]"])
        }
        let numbers = operands.filter(EntryCondition.Test.isNumber)
        guard !numbers.isEmpty else { return clause }
        clause.sql = "(\(clause.sql) OR roost_is_number_in(\(column), ?))"
        clause.values.append(numbers.joined(separator: ","))
        return clause
    }

    /// Returns whether an entry really has the tags and metadata that the filter requires. If it does not,
    /// the tables with which the query found it are damaged.
    func confirms(_ entry: Entry) -> Bool { derived.matchesAll || derived.matches(entry, assigned: nil) }
}
