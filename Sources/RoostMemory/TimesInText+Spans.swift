import Foundation

/// Time spans relative to the present: `yesterday`, `last week`, `on Monday`, `the past three days`.
extension TimesInText {
    private static let numbers = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    ]
    private static let weekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    /// Words after which a weekday is a certain day, unlike in `the Monday meeting`.
    private static let dayAdjectives: Set = ["last", "this", "past", "previous"]
    private static let dayPrepositions: Set = ["on", "since"]
    /// The maximum number of units before the present, so that all dates can be represented.
    private static let counts = 1...1000

    private static func unit(_ word: String) -> Calendar.Component? {
        switch word {
        case "day", "days": .day
        case "week", "weeks": .weekOfYear
        case "month", "months": .month
        case "year", "years": .year
        default: nil
        }
    }

    /// Reads a span such as `yesterday` or `last week` that begins at the given word, or one such as `three
    /// days ago` whose last word is the given one. After `since`, the span lasts until the end of today.
    ///
    /// - Returns: The indices of the words of the span; `nil` if the words name no span.
    mutating func readSpan(_ words: [String], _ index: Int, _ now: Date) -> ClosedRange<Int>? {
        guard let (span, used) = span(words, index, now) else { return nil }
        var end = span.upperBound
        if used.lowerBound > 0, words[used.lowerBound - 1] == "since",
            let today = interval(.day, ago: 0, now)
        {
            end = max(end, today.upperBound)
        }
        spans.append(span.lowerBound..<end)
        return used
    }

    private func span(_ words: [String], _ index: Int, _ now: Date) -> (Range<Date>, ClosedRange<Int>)? {
        func word(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }
        func named(_ span: Range<Date>?, _ used: ClosedRange<Int>) -> (Range<Date>, ClosedRange<Int>)? {
            span.map { ($0, used) }
        }
        switch words[index] {
        case "today", "tonight": return named(interval(.day, ago: 0, now), index...index)
        case "yesterday":
            let isBefore = word(index - 1) == "before" && word(index - 2) == "day"
            return named(
                interval(.day, ago: isBefore ? 2 : 1, now), (isBefore ? index - 2 : index)...index)
        case "this", "last", "past", "previous":
            if let number = Self.number(word(index + 1)), let unit = Self.unit(word(index + 2)) {
                // The last three days of a trip are not the last three days.
                guard words[index] != "this", word(index + 3) != "of" else { return nil }
                return named(recent(number, unit, now), index...(index + 2))
            }
            // The last weekend of May is not last weekend.
            guard word(index + 2) != "of" else { return nil }
            return named(period(words[index], word(index + 1), now), index...(index + 1))
        case "ago":
            guard let number = Self.number(word(index - 2)), let unit = Self.unit(word(index - 1)) else {
                return nil
            }
            return named(interval(unit, ago: number, now), (index - 2)...index)
        default:
            guard let weekday = Self.weekdays.firstIndex(of: words[index]) else { return nil }
            let hasAdjective = Self.dayAdjectives.contains(word(index - 1))
            guard hasAdjective || Self.dayPrepositions.contains(word(index - 1)), word(index + 1) != "of"
            else { return nil }
            return named(lastDay(weekday, before: now), (hasAdjective ? index - 1 : index)...index)
        }
    }

    private static func number(_ word: String) -> Int? {
        (numbers[word] ?? Int(word)).flatMap { counts.contains($0) ? $0 : nil }
    }

    /// Returns the period that an adjective and a noun name: `last week`, `this weekend`, `last night`,
    /// `this morning`, `the past month`.
    private func period(_ adjective: String, _ noun: String, _ now: Date) -> Range<Date>? {
        let count = adjective == "this" ? 0 : 1
        switch noun {
        case "morning", "afternoon", "evening": return count == 0 ? interval(.day, ago: 0, now) : nil
        case "night": return adjective == "last" ? interval(.day, ago: 1, now) : nil
        case "weekend":
            guard let week = interval(.weekOfYear, ago: count, now),
                let saturday = calendar.date(byAdding: .day, value: -2, to: week.upperBound)
            else { return nil }
            return saturday..<week.upperBound
        default:
            guard let unit = Self.unit(noun), unit != .day else { return nil }
            return adjective == "past" ? recent(1, unit, now) : interval(unit, ago: count, now)
        }
    }

    /// Returns the day, week, month or year that lies `count` units before the present one.
    private func interval(_ unit: Calendar.Component, ago count: Int, _ now: Date) -> Range<Date>? {
        guard let date = calendar.date(byAdding: unit, value: -count, to: now),
            let interval = calendar.dateInterval(of: unit, for: date)
        else { return nil }
        return interval.start..<interval.end
    }

    /// Returns the days from a number of units before today to today.
    private func recent(_ count: Int, _ unit: Calendar.Component, _ now: Date) -> Range<Date>? {
        guard let today = interval(.day, ago: 0, now),
            let start = calendar.date(byAdding: unit, value: -count, to: today.lowerBound)
        else { return nil }
        return start..<today.upperBound
    }

    /// Returns the last day before today with the given weekday, where 0 is Sunday.
    private func lastDay(_ weekday: Int, before now: Date) -> Range<Date>? {
        let days = (calendar.component(.weekday, from: now) - 1 - weekday + 7) % 7
        return interval(.day, ago: days == 0 ? 7 : days, now)
    }
}
