package import Foundation

extension DatePeriod {
    /// Creates the period of the year, month or day that a text names in a calendar: `2026`, `2026-01` or
    /// `2026-01-31`.
    ///
    /// - Returns: `nil` if the text has another form, or the month does not have the day.
    package init?(naming text: String, in calendar: Calendar) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        let numbers = parts.compactMap { $0.utf8.allSatisfy { (48...57).contains($0) } ? Int($0) : nil }
        guard numbers.count == parts.count else { return nil }
        let components = DateComponents(
            year: numbers[0], month: parts.count > 1 ? numbers[1] : 1, day: parts.count > 2 ? numbers[2] : 1)
        let unit: Calendar.Component = [.year, .month, .day][parts.count - 1]
        guard components.isValidDate(in: calendar), let start = calendar.date(from: components),
            let next = calendar.date(byAdding: unit, value: 1, to: start)
        else { return nil }
        // In some time zones, a day begins at one o'clock, and the next one at midnight.
        let end = calendar.startOfDay(for: next)
        self.init(start..<max(start, end), in: calendar)
    }

    /// The period without a bound.
    fileprivate static let always = DatePeriod(.distantPast ..< .distantFuture)

    /// The same period, with one millisecond if it is empty, because it is the time of a moment.
    private var visible: DatePeriod {
        func visible(_ range: Range<Date>) -> Range<Date> {
            range.isEmpty
                ? range.lowerBound..<Date(milliseconds: range.lowerBound.milliseconds + 1) : range
        }
        var period = DatePeriod(visible(times))
        period.days = visible(days)
        return period
    }

    /// Returns the period from the beginning of one period to the end of another.
    fileprivate static func from(_ first: DatePeriod, to last: DatePeriod) -> DatePeriod {
        func range(_ start: Date, _ end: Date) -> Range<Date> { start..<max(start, end) }
        var period = DatePeriod(range(first.times.lowerBound, last.times.upperBound))
        period.days = range(first.days.lowerBound, last.days.upperBound)
        return period
    }

    /// The empty period at the beginning, or at the end.
    private var start: DatePeriod { edge(times.lowerBound, days.lowerBound) }
    private var end: DatePeriod { edge(times.upperBound, days.upperBound) }

    private func edge(_ time: Date, _ day: Date) -> DatePeriod {
        var period = DatePeriod(time..<time)
        period.days = day..<day
        return period
    }

    /// Creates the period of the dates that a comparison with a period allows.
    ///
    /// - Returns: `nil` if the test is not a comparison, or its operand names no period.
    fileprivate init?(_ test: EntryCondition.Test, naming period: (String) -> DatePeriod?) {
        switch test {
        case .equals(let text), .isLess(let text), .isAtMost(let text), .isGreater(let text),
            .isAtLeast(let text):
            guard let named = period(text) else { return nil }
            switch test {
            case .isLess: self = .from(.always, to: named.start)
            case .isAtMost: self = .from(.always, to: named.visible.end)
            case .isGreater: self = .from(named.visible.end, to: .always)
            case .isAtLeast: self = .from(named.start, to: .always)
            default: self = named.visible
            }
        default: return nil
        }
    }
}

extension EntryFilter {
    /// Adds a condition that a user wrote. A comparison of `created` or `updated` with a time is about the
    /// dates of the entry; all other conditions are about metadata.
    ///
    /// - Parameter period: Returns the period that a text names, which is empty for a moment.
    /// - Returns: Whether the condition was about dates. If it was not, it was not added.
    package mutating func addDates(_ condition: EntryCondition, naming period: (String) -> DatePeriod?)
        -> Bool
    {
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
    package mutating func setPeriod(since: DatePeriod?, until: DatePeriod?) {
        guard since != nil || until != nil else { return }
        period = .from(since ?? .always, to: until ?? .always)
    }
}
