import RoostModel

/// SQL for times with a time zone among the attributes `a` (`EntryCondition.Test.instant`).
///
/// The type `timestamptz` is not used, because its conversion fails for days that do not exist, and such a
/// value must not make a query fail.
enum InstantSQL {
    private typealias Test = EntryCondition.Test

    /// The text of a value. Bytes outside of ASCII are written as backslashes and digits, which no form
    /// contains.
    private static let text = "encode(substr(a.text, 1, \(Test.maximumInstantLength)), 'escape')"

    /// The condition that a value is a time with a zone.
    static let isInstant: String = {
        let (sixty, hour) = ("[0-5][0-9]", "([01][0-9]|2[0-3])")
        let date = "(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        let time = "\(hour):\(sixty)(:\(sixty)([.][0-9]+)?)?"
        let form = "^\(date)[T ]\(time)(Z|[+-]\(hour):\(sixty))$"
        return "(a.number IS NULL AND octet_length(a.text) <= \(Test.maximumInstantLength) "
            + "AND \(text) ~ '\(form)')"
    }()

    /// Returns the number of seconds since 1970.
    ///
    /// - Parameter withSeconds: Whether the seconds count.
    static func seconds(withSeconds: Bool) -> String {
        func number(_ start: Int, _ length: Int) -> String {
            "substr(\(text), \(start), \(length))::int8"
        }
        let month = number(6, 2)
        let year = "(\(number(1, 4)) - CASE WHEN \(month) <= 2 THEN 1 ELSE 0 END)"
        let days =
            "(365 * \(year) + \(year) / 4 - \(year) / 100 + \(year) / 400 "
            + "+ (153 * ((\(month) + 9) % 12) + 2) / 5 + \(number(9, 2)) - \(Test.daysBefore1970))"
        let second =
            withSeconds
            ? "CASE WHEN substr(\(text), 17, 1) = ':' THEN \(number(18, 2)) ELSE 0 END" : "0"
        let zone = "right(\(text), 6)"
        let offset =
            "(substr(\(zone), 2, 2)::int8 * 3600 + substr(\(zone), 5, 2)::int8 * 60)"
            + " * CASE WHEN left(\(zone), 1) = '-' THEN -1 ELSE 1 END"
        return "(\(days) * 86400 + \(number(12, 2)) * 3600 + \(number(15, 2)) * 60 + \(second) "
            + "- CASE WHEN right(\(text), 1) = 'Z' THEN 0 ELSE \(offset) END)"
    }
}
