import Foundation
import RoostModel

extension EntryCondition {
    /// Parses a condition that a user wrote. In an inequality of metadata, words for a time, such as
    /// `due<today` or `due<=last-week`, stand for their days; days of the time that is named are part of it,
    /// so `due<=today` means before tomorrow. In quotation marks, such words are text: `name<"now"`. The keys
    /// `tag` and `tags` stand for the tags of the entry, and `metadata.tag` for the metadata key `tag`.
    init(written text: String, _ times: DateReader) throws(OperationError) {
        // `==` would search for a value that begins with `=`.
        guard text.firstMatch(of: /^[^=<>!^]+==/) == nil, let condition = EntryCondition(parsing: text) else {
            throw OperationError(
                "'where' takes a key, one of = != < <= > >= ^= and a value, or 'key in a,b', 'key exists', "
                    + "'key missing'")
        }
        self = condition
        switch field {
        case .metadata("tag"), .metadata("tags"): field = .tag
        case .metadata("metadata.tag"): field = .metadata("tag")
        case .metadata("metadata.tags"): field = .metadata("tags")
        default: break
        }
        let operand: String
        switch test {
        case .isLess(let text), .isAtMost(let text), .isGreater(let text), .isAtLeast(let text):
            operand = text
        default: return
        }
        guard operand.contains(where: { !$0.isWhitespace }) else {
            throw OperationError(
                "'where' needs a value after the operator, such as 'year>=2020'; 'key exists' selects entries "
                    + "with any value")
        }
        guard !comparesDatesOfEntry else {
            guard times.period(operand) != nil else {
                throw OperationError(
                    "'where' compares 'created' and 'updated' with a time such as \(TimeText.forms), not with "
                        + "'\(operand.prefix(OperationContext.echoLimit))'")
            }
            return
        }
        guard !text.hasSuffix("\"\(operand)\""), let first = times.day(operand),
            let next = times.day(operand, isNext: true)
        else { return }
        switch test {
        case .isLess: test = .isLess(first)
        case .isAtMost: test = .isLess(next)
        case .isGreater: test = .isAtLeast(next)
        case .isAtLeast: test = .isAtLeast(first)
        default: break
        }
    }

    /// Whether the field has the name of a date that each entry has.
    fileprivate var comparesDatesOfEntry: Bool {
        field == .metadata("created") || field == .metadata("updated")
    }

    /// Parses a condition such as `key=value`. The first operator in the text separates the key from the
    /// value; one space on each side of it is ignored, and so are double quotation marks around the value.
    init?(parsing text: String) {
        let operators: [(name: String, test: (String) -> Test)] = [
            ("!=", Test.differs), ("<=", Test.isAtMost), (">=", Test.isAtLeast), ("^=", Test.hasPrefix),
            ("=", Test.equals), ("<", Test.isLess), (">", Test.isGreater),
        ]
        if let start = text.firstIndex(where: { "!<>^=".contains($0) }) {
            let rest = text[start...]
            guard let (name, test) = operators.first(where: { rest.hasPrefix($0.name) }) else { return nil }
            let key = text[..<start]
            let isSpaced = key.last == " "
            let value = rest.dropFirst(name.count)
            self.init(
                .metadata(String(isSpaced ? key.dropLast() : key)),
                test(Self.unquoted(isSpaced && value.first == " " ? value.dropFirst() : value)))
        } else if let range = text.range(of: " in ") {
            let values = text[range.upperBound...].split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            self.init(.metadata(String(text[..<range.lowerBound])), .isOneOf(values))
        } else if text.hasSuffix(" exists") {
            self.init(.metadata(String(text.dropLast(" exists".count))), .exists)
        } else if text.hasSuffix(" missing") {
            self.init(.metadata(String(text.dropLast(" missing".count))), .isMissing)
        } else {
            return nil
        }
        if case .metadata(let key) = field, key.isEmpty { return nil }
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        return String(value.dropFirst().dropLast())
    }
}

extension EntryFilter {
    /// Adds a condition that a user wrote. A comparison of `created` or `updated` with a time is about the
    /// dates of the entry; all other conditions are about metadata.
    ///
    /// - Parameter period: Returns the period that a text names, which is empty for a moment.
    /// - Returns: Whether the condition was about dates. If it was not, it was not added.
    mutating func addDates(_ condition: EntryCondition, naming period: (String) -> DatePeriod?) -> Bool {
        guard condition.comparesDatesOfEntry, let allowed = DatePeriod(condition.test, naming: period) else {
            return false
        }
        if condition.field == .metadata("created") {
            creationPeriod = creationPeriod?.intersection(allowed) ?? allowed
        } else {
            changePeriod = changePeriod?.intersection(allowed) ?? allowed
        }
        return true
    }

    /// Sets the period in which entries must have been created or last changed: from the beginning of one
    /// period to the end of another, of which either can be absent.
    mutating func setPeriod(since: DatePeriod?, until: DatePeriod?) {
        guard since != nil || until != nil else { return }
        func range(_ part: KeyPath<DatePeriod, Range<Date>>) -> Range<Date> {
            .from(
                since?[keyPath: part].lowerBound ?? .distantPast,
                to: until?[keyPath: part].upperBound ?? .distantFuture)
        }
        period = DatePeriod(times: range(\.times), days: range(\.days))
    }
}

extension DatePeriod {
    /// Creates the period of the dates that a comparison with a period allows. A moment, whose period is empty, is one
    /// millisecond.
    ///
    /// - Returns: `nil` if the test is not a comparison, or its operand names no period.
    fileprivate init?(_ test: EntryCondition.Test, naming period: (String) -> DatePeriod?) {
        func allowed(_ named: Range<Date>) -> Range<Date> {
            let start = named.lowerBound
            let end = named.isEmpty ? Date(milliseconds: start.milliseconds + 1) : named.upperBound
            return switch test {
            case .isLess: .from(.distantPast, to: start)
            case .isAtMost: .from(.distantPast, to: end)
            case .isGreater: .from(end, to: .distantFuture)
            case .isAtLeast: .from(start, to: .distantFuture)
            default: start..<end
            }
        }
        switch test {
        case .equals(let text), .isLess(let text), .isAtMost(let text), .isGreater(let text),
            .isAtLeast(let text):
            guard let named = period(text) else { return nil }
            self.init(times: allowed(named.times), days: allowed(named.days))
        default: return nil
        }
    }
}

extension Range<Date> {
    /// Returns an empty range if the end is before the start.
    fileprivate static func from(_ start: Date, to end: Date) -> Range { start..<Swift.max(start, end) }
}
