import Foundation
import RoostModel
import Synchronization

/// Translates an `EntryFilter` into an SQL condition on the table `entries e`. All values are bound
/// parameters. The first two parameters of the statement are the id of the store and the revision.
struct FilterSQL {
    private(set) var sql = "TRUE"
    private(set) var parameters: [Parameter]
    /// The part of the filter that is evaluated using the table of attributes, which has no checksums.
    private let derived: EntryFilter

    /// - Parameter parameters: The parameters of the statement before those of the condition.
    init(_ filter: EntryFilter, tags: [String], after parameters: [Parameter]) {
        self.parameters = parameters
        var derived = EntryFilter(tags: filter.tags, metadata: filter.metadata)
        derived.conditions = filter.conditions
        self.derived = derived
        if let ids = filter.ids { add("e.id = ANY(\(bind(Parameter(ids)))::uuid[])") }
        if let prefix = filter.idPrefix {
            let ends = EntryID.range(ofPrefix: prefix).map {
                (bind(Parameter($0.lowerBound)), bind(Parameter($0.upperBound)))
            }
            add(ends.map { "e.id BETWEEN \($0)::uuid AND \($1)::uuid" } ?? "FALSE")
        }
        if let sources = filter.sources {
            let values = bind(Parameter(sources.map(Attribute.value)))
            add(isIn(attributes(Attribute.source, "a.value = ANY(\(values)::uuid[])")))
        }
        for tag in filter.tags.sorted() {
            let test = isOne(ofTags: EntryCondition.Test.equals(tag).tags(among: tags))
            add(isIn(attributes(Attribute.tag, test)))
        }
        for (key, text) in filter.metadata.sorted(by: { $0.key < $1.key }) {
            let value = bind(Parameter(Attribute.value(text)))
            add(isIn(attributes(Attribute.metadata(key), "a.value = \(value)::uuid")))
        }
        if let cluster = filter.cluster {
            add(
                isIn(
                    """
                    SELECT a.row FROM roost.assignments a
                    WHERE a.store = $1::uuid AND a.cluster = \(bind(Parameter(cluster)))::uuid
                        AND \(TableSQL.isValid("a"))
                    """))
        }
        if filter.isUnclustered {
            add(
                """
                e.row NOT IN (
                    SELECT a.row FROM roost.assignments a
                    WHERE a.store = $1::uuid AND a.cluster IS NOT NULL AND \(TableSQL.isValid("a")))
                """)
        }
        for condition in filter.conditions { add(self.condition(condition, tags)) }
        if let period = filter.creationPeriod { add(isIn(period, ["e.created"])) }
        if let period = filter.changePeriod { add(isIn(period, ["e.updated"])) }
        if let period = filter.period { add(isIn(period, ["e.created", "e.updated"])) }
    }

    mutating func bind(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    /// Returns whether an entry really has the tags and metadata that the filter requires. If it does not,
    /// the rows of attributes with which the query found it are damaged.
    func confirms(_ entry: Entry) -> Bool { derived.matchesAll || derived.matches(entry, assigned: nil) }

    private mutating func add(_ condition: String) { sql += " AND \(condition)" }

    private func isIn(_ selection: String) -> String { "e.row IN (\(selection))" }

    private mutating func attributes(_ name: UUID, _ test: String) -> String {
        """
        SELECT a.row FROM roost.attributes a
        WHERE a.store = $1::uuid AND a.name = \(bind(Parameter(name)))::uuid AND \(TableSQL.isValid("a"))
            AND \(test)
        """
    }

    // MARK: Conditions

    private mutating func condition(_ condition: EntryCondition, _ tags: [String]) -> String {
        let (test, isNegated) =
            switch condition.test {
            case .differs(let operand): (EntryCondition.Test.equals(operand), true)
            case .isMissing: (EntryCondition.Test.exists, true)
            default: (condition.test, false)
            }
        let name =
            switch condition.field {
            case .source: Attribute.source
            case .tag: Attribute.tag
            case .metadata(let key): Attribute.metadata(key)
            }
        var found = "TRUE"
        switch (condition.field, test) {
        case (_, .exists): break
        case (.tag, _): found = isOne(ofTags: test.tags(among: tags))
        default: found = valueTest(test)
        }
        let rows = isIn(attributes(name, found))
        return isNegated ? "NOT \(rows)" : rows
    }

    private mutating func isOne(ofTags tags: [String]) -> String {
        "a.value = ANY(\(bind(Parameter(tags.map(Attribute.value))))::uuid[])"
    }

    private mutating func isIn(_ period: DatePeriod, _ columns: [String]) -> String {
        let (times, days) = (period.times.milliseconds, period.days.milliseconds)
        func isIn(_ column: String, _ bounds: (String, String)) -> String {
            "\(column) >= \(bounds.0)::int8 AND \(column) < \(bounds.1)::int8"
        }
        let timeBounds = (bind(Parameter(times.lowerBound)), bind(Parameter(times.upperBound)))
        guard days != times else {
            return "(" + columns.map { isIn($0, timeBounds) }.joined(separator: " OR ") + ")"
        }
        let dayBounds = (bind(Parameter(days.lowerBound)), bind(Parameter(days.upperBound)))
        let tests = columns.map { column in
            """
            CASE WHEN \(column) % \(DatePeriod.dayLength) = 0 THEN \(isIn(column, dayBounds)) \
            ELSE \(isIn(column, timeBounds)) END
            """
        }
        return "(" + tests.joined(separator: " OR ") + ")"
    }

    private mutating func valueTest(_ test: EntryCondition.Test) -> String {
        switch test {
        case .isLess(let operand): comparison("<", operand)
        case .isAtMost(let operand): comparison("<=", operand)
        case .isGreater(let operand): comparison(">", operand)
        case .isAtLeast(let operand): comparison(">=", operand)
        case .hasPrefix(let prefix):
            prefix.isEmpty
                ? "a.text IS NOT NULL"
                : "substr(a.text, 1, \(prefix.utf8.count)) = \(bind(Parameter(prefix)))::bytea"
        case .exists, .isMissing: "TRUE"
        case .equals(let operand), .differs(let operand): isOne(of: [operand])
        case .isOneOf(let operands): isOne(of: operands)
        }
    }

    /// Returns a comparison of numbers if the operand is a number, of dates if it is a date, of both if it is
    /// a year, and otherwise of texts, byte by byte. A number and a text are not comparable.
    private mutating func comparison(_ sign: String, _ operand: String) -> String {
        guard EntryCondition.Test.isDateOrYear(operand) else { return plainComparison(sign, operand) }
        let bytes = Array(operand.utf8)
        let compared = "substr(a.text, 1, \(bytes.count))"
        let date = "(\(Self.isDate) AND \(compared) \(sign) \(bind(Parameter(bytes)))::bytea)"
        guard EntryCondition.Test.isNumber(operand) else { return date }
        return "(\(plainComparison(sign, operand)) OR \(date))"
    }

    /// SQL for the condition that a value is a date (`EntryCondition.Test.isDate`).
    private static let isDate: String = {
        typealias Test = EntryCondition.Test
        let classes: [Character: String] = ["0": "[0-9]", "1": "[01]", "3": "[0-3]", "T": "[T ]"]
        let parts = Test.datePattern.map { classes[$0] ?? String($0) }
        let month = parts[..<Test.monthLength].joined()
        let day = parts[Test.monthLength..<Test.dayLength].joined()
        let time = parts[Test.dayLength...].joined()
        // Bytes outside of ASCII are written as backslashes and digits, which no form contains.
        let start = "encode(substr(a.text, 1, \(parts.count + 1)), 'escape')"
        return "a.number IS NULL AND \(start) ~ '^\(month)(\(day)(\(time).*)?)?$'"
    }()

    private mutating func plainComparison(_ sign: String, _ operand: String) -> String {
        guard let number = ComparedNumber(operand) else {
            return "a.number IS NULL AND a.text \(sign) \(bind(Parameter(operand)))::bytea"
        }
        let compared = "a.number \(sign) \(bind(Parameter(number.double)))::float8"
        guard let integer = number.integer else { return compared }
        let exact = "a.integer_number \(sign) \(bind(Parameter(integer)))::int8"
        return "(\(exact) OR (a.integer_number IS NULL AND \(compared)))"
    }

    /// Returns a test that finds equal texts by their digests, and equal numbers by comparison, because `1.0`
    /// equals `1`.
    private mutating func isOne(of operands: [String]) -> String {
        let values = bind(Parameter(operands.map(Attribute.value)))
        var test = "a.value = ANY(\(values)::uuid[])"
        let numbers = operands.compactMap(ComparedNumber.init)
        let integers = numbers.filter { $0.integer != nil }
        let others = numbers.filter { $0.integer == nil }
        if !integers.isEmpty {
            let exact = bind(Parameter(integers.compactMap(\.integer)))
            let rounded = bind(Parameter(integers.map(\.double)))
            test += " OR a.integer_number = ANY(\(exact)::int8[])"
            test += " OR (a.integer_number IS NULL AND a.number = ANY(\(rounded)::float8[]))"
        }
        if !others.isEmpty {
            test += " OR a.number = ANY(\(bind(Parameter(others.map(\.double))))::float8[])"
        }
        return "(\(test))"
    }
}

/// The different tags of a store. Filters compare them without regard to case, and look up the entries with
/// those that match by digest, because a server compares texts by the rules of its database.
final class SnapshotTags: Sendable {
    private let tags = Mutex<[String]?>(nil)

    /// Returns the tags with which a filter is evaluated; empty if it does not test tags. Tags that entries
    /// had in other revisions may be among them.
    func tags(
        for filter: EntryFilter, of store: UUID, _ run: PostgresSnapshot.Run
    ) throws -> [String] {
        guard filter.testsTags else { return [] }
        if let known = tags.withLock({ $0 }) { return known }
        let selection = Statement(
            "SELECT DISTINCT a.text FROM roost.attributes a WHERE a.store = $1::uuid AND a.name = $2::uuid",
            [Parameter(store), Parameter(Attribute.tag)])
        let found = try run([selection])[0].rows.map { String(decoding: $0.rawBytes(0), as: UTF8.self) }
        tags.withLock { $0 = found }
        return found
    }
}
