import Foundation

/// The times that a question names, as people write them in English: `on 7 July, 2023`, `in May 2023`, `in
/// August`, `2023-07-07`, `yesterday`, `last week`, `three days ago`.
///
/// Months that are also verbs count where a number or a word such as `in` stands beside them.
struct TimesInText: Sendable, Hashable {
    /// A day, a month or a year; what is not said is `nil` and may be any.
    struct Parts: Sendable, Hashable {
        var year: Int?
        var month: Int?
        var day: Int?
    }

    private(set) var parts: Set<Parts> = []
    /// Spans that are told by how long ago they were.
    private(set) var spans: [Range<Date>] = []
    private let calendar: Calendar

    var isEmpty: Bool { parts.isEmpty && spans.isEmpty }

    init(_ text: String, now: Date, timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        calendar.firstWeekday = 2
        self.calendar = calendar
        // Names and numbers are all that counts; no question is longer than this.
        let words = text.prefix(4000).lowercased().split { !$0.isLetter && !$0.isNumber }.prefix(400).map(
            String.init)
        /// Years that belong to a month.
        var read = Set<Int>()
        for index in words.indices {
            if let month = Self.month(words, index) {
                let (found, year) = Self.parts(of: month, words, index)
                parts.insert(found)
                if let year { read.insert(year) }
            } else if let date = Self.digits(words, index, in: text) {
                parts.insert(date)
                read.insert(index)
            }
            readSpan(words, index, now)
        }
        for index in words.indices where !read.contains(index) {
            if let year = Self.year(words[index]) { parts.insert(Parts(year: year)) }
        }
    }

    /// Whether something that was said then is of one of the times.
    func contains(_ date: Date) -> Bool {
        if spans.contains(where: { $0.contains(date) }) { return true }
        guard !parts.isEmpty else { return false }
        let found = calendar.dateComponents([.year, .month, .day], from: date)
        return parts.contains { parts in
            (parts.year == nil || parts.year == found.year)
                && (parts.month == nil || parts.month == found.month)
                && (parts.day == nil || parts.day == found.day)
        }
    }

    /// The span of a time that names its year, or is told by how long ago it was.
    var ranges: [Range<Date>] {
        spans
            + parts.compactMap { parts in
                guard let year = parts.year else { return nil }
                let start = calendar.date(
                    from: DateComponents(year: year, month: parts.month ?? 1, day: parts.day ?? 1))
                let unit: Calendar.Component = parts.day != nil ? .day : parts.month != nil ? .month : .year
                return start.flatMap { start in
                    calendar.date(byAdding: unit, value: 1, to: start).map { start..<$0 }
                }
            }
    }

    // MARK: Months, days and years

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]
    private static let shortMonths = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// What stands before a month that is no verb.
    private static let prepositions: Set = [
        "in", "of", "during", "since", "until", "till", "before", "after", "by", "last", "this", "early",
        "mid",
        "late",
    ]

    private static func month(_ words: [String], _ index: Int) -> Int? {
        let word = words[index]
        if let place = months.firstIndex(of: word), !["may", "march"].contains(word) { return place + 1 }
        let named = months.firstIndex(of: word) ?? shortMonths.firstIndex(of: word == "sept" ? "sep" : word)
        guard let named else { return nil }
        let before = index > 0 ? words[index - 1] : ""
        let after = index + 1 < words.count ? words[index + 1] : ""
        let isNamed =
            day(before) != nil || day(after) != nil || year(after) != nil || prepositions.contains(before)
        return isNamed ? named + 1 : nil
    }

    /// - Returns: what is said of it, and the place of its year.
    private static func parts(of month: Int, _ words: [String], _ index: Int) -> (Parts, year: Int?) {
        func word(_ place: Int) -> String { words.indices.contains(place) ? words[place] : "" }
        var parts = Parts(month: month)
        // 7 July 2023, 7th of July 2023, July 7, 2023, July 2023.
        var next = index + 1
        if let day = day(word(index - 1)) ?? (word(index - 1) == "of" ? day(word(index - 2)) : nil) {
            parts.day = day
        } else if let day = day(word(next)) {
            parts.day = day
            next += 1
        }
        if word(next) == "of" { next += 1 }
        parts.year = year(word(next))
        return (parts, parts.year == nil ? nil : next)
    }

    private static func day(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)), digits.count <= 2,
            let day = Int(digits), (1...31).contains(day)
        else { return nil }
        return day
    }

    private static func year(_ word: String) -> Int? {
        guard word.utf8.count == 4, let year = Int(word), (1900...2199).contains(year) else { return nil }
        return year
    }

    /// `2023-07-07`, `2023/7/7` and `2023-07`, which are several words here.
    private static func digits(_ words: [String], _ index: Int, in text: String) -> Parts? {
        guard index + 1 < words.count, let year = year(words[index]), let month = Int(words[index + 1]),
            (1...12).contains(month), words[index + 1].utf8.count <= 2
        else { return nil }
        let name = words[index] + "-" + words[index + 1]
        guard text.contains(name) || text.contains(name.replacing("-", with: "/")) else { return nil }
        let day = index + 2 < words.count && Int(words[index + 2]) != nil ? day(words[index + 2]) : nil
        return Parts(year: year, month: month, day: day)
    }

    // MARK: How long ago

    private static let numbers = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8,
        "nine": 9, "ten": 10,
    ]

    private static func unit(_ word: String) -> Calendar.Component? {
        switch word {
        case "day", "days": .day
        case "week", "weeks": .weekOfYear
        case "month", "months": .month
        case "year", "years": .year
        default: nil
        }
    }

    private mutating func readSpan(_ words: [String], _ index: Int, _ now: Date) {
        func word(_ place: Int) -> String { words.indices.contains(place) ? words[place] : "" }
        switch words[index] {
        case "today": add(.day, ago: 0, now)
        case "yesterday": add(.day, ago: 1, now)
        case "this":
            if let unit = Self.unit(word(index + 1)), unit != .day { add(unit, ago: 0, now) }
        case "last":
            if let unit = Self.unit(word(index + 1)), unit != .day { add(unit, ago: 1, now) }
        case "ago":
            let number = Self.numbers[word(index - 2)] ?? Int(word(index - 2))
            guard let number, (1...1000).contains(number), let unit = Self.unit(word(index - 1)) else {
                return
            }
            add(unit, ago: number, now)
        default: return
        }
    }

    /// The whole day, week, month or year that was so many of them ago.
    private mutating func add(_ unit: Calendar.Component, ago count: Int, _ now: Date) {
        guard let then = calendar.date(byAdding: unit, value: -count, to: now),
            let interval = calendar.dateInterval(of: unit, for: then)
        else { return }
        spans.append(interval.start..<interval.end)
    }
}
