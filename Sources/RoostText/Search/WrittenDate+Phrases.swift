extension WrittenDate {
    /// The phrases by which texts name the day or a day of the month, in digits and in words.
    ///
    /// Each word has several spellings, such as `05` and `5`. Punctuation is ignored, so the phrase of
    /// `2025-05-04` is also that of `2025/05/04` and `2025_05_04`.
    var phrases: [[DatePart]] {
        guard let dayNumber = day else { return monthPhrases }
        let number = DatePart(Self.digits(month))
        let (day, year) = (DatePart(Self.digits(dayNumber)), DatePart([String(year)]))
        let ordinals = Self.ordinalEndings.map { "\(dayNumber)\($0)" }.sorted()
        let ordinal = DatePart(Self.digits(dayNumber) + ordinals)
        var phrases = [
            [year, number.at(1), day.at(2)], [day, number.at(1), year.at(2)],
            [ordinal, name.at(1), year.at(2)], [name, ordinal.at(1), year.at(2)],
            [year, name.at(1), ordinal.at(2)],
            // `4th of May, 2025` and `4 de mayo de 2025`.
            [ordinal, name.at(2), year.at(3)], [ordinal, name.at(2), year.at(4)],
        ]
        if isMonthFirstClear(dayNumber) { phrases.append([number, day.at(1), year.at(2)]) }
        return phrases
    }

    /// The phrases by which texts name the month or one of its days.
    private var monthPhrases: [[DatePart]] {
        let (number, year) = (DatePart(Self.digits(month)), DatePart([String(year)]))
        // `2025 3` is rarely a month.
        let padded = DatePart(Array(Self.digits(month).prefix(1)))
        return [
            // `2025-05` and `2025-05-04`; `05/2025` and `4.5.2025`; `5/14/2025`.
            [year, padded.at(1)], [number, year.at(1)],
            [number, DatePart((13...31).map(String.init)).at(1), year.at(2)],
            // `4 May 2025`; `May 4, 2025` and `4 de mayo de 2025`; `2025 May 4`.
            [name, year.at(1)], [name, year.at(2)], [year, name.at(1)],
        ]
    }

    /// The names of the month.
    private var name: DatePart {
        DatePart(Self.months.filter { $0.value == month }.map(\.key).sorted())
    }

    /// The phrase with the month before the day in digits, if texts can also mean another day by it;
    /// otherwise, `nil`.
    var doubtfulPhrase: [DatePart]? {
        let (number, year) = (DatePart(Self.digits(month)), DatePart([String(year)]))
        guard let day else {
            let days = (1...12).filter { $0 != month }.flatMap(Self.digits)
            return [number, DatePart(days).at(1), year.at(2)]
        }
        guard !isMonthFirstClear(day), day != month else { return nil }
        return [number, DatePart(Self.digits(day)).at(1), year.at(2)]
    }

    /// Returns whether digits with the month first have only one reading, because the day is no month.
    private func isMonthFirstClear(_ day: Int) -> Bool { day > 12 }

    private static func digits(_ number: Int) -> [String] {
        number < 10 ? ["0\(number)", "\(number)"] : ["\(number)"]
    }
}
