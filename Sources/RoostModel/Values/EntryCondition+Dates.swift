/// Dates in metadata.
extension EntryCondition.Test {
    /// The form of dates. Each character stands for itself, except that `0` stands for any digit, `1` and `3`
    /// for a digit up to it, and `T` also for a space. A month ends after 7 bytes, a day after 10; a time can
    /// have seconds and a time zone after its end.
    package static let datePattern = "0000-10-30T00:00"

    package static let (monthLength, dayLength) = (7, 10)
    private static let yearLength = 4

    /// Returns whether a text has the form of a month, a day or a time, such as `2026-01`, `2026-01-31`,
    /// `2026-01-31T09:00:00Z` or `2026-01-31 09:00`.
    package static func isDate(_ text: String) -> Bool {
        let length = text.utf8.count
        return (length == monthLength || length == dayLength || length >= datePattern.utf8.count)
            && hasFormOfDate(text)
    }

    /// Returns whether an operand denotes a period or a time with which dates are compared: a date or a year.
    /// A text such as `0042` is neither a year nor a number.
    package static func isDateOrYear(_ operand: String) -> Bool {
        operand.utf8.count == yearLength
            ? hasFormOfDate(operand) && operand.utf8.first != UInt8(ascii: "0") : isDate(operand)
    }

    private static func hasFormOfDate(_ text: String) -> Bool {
        zip(text.utf8, datePattern.utf8).allSatisfy { byte, form in
            switch form {
            case UInt8(ascii: "0"): (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            case UInt8(ascii: "1"), UInt8(ascii: "3"): (UInt8(ascii: "0")...form).contains(byte)
            case UInt8(ascii: "T"): byte == form || byte == UInt8(ascii: " ")
            default: byte == form
            }
        }
    }
}
