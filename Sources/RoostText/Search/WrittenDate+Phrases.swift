extension WrittenDate {
    /// The phrases by which texts name the day, in digits and in words.
    ///
    /// Each word has several spellings, such as `05` and `5`. Punctuation is ignored, so the phrase of
    /// `2025-05-04` is also that of `2025/05/04` and `2025_05_04`.
    var phrases: [[DatePart]] {
        let number = DatePart(Self.digits(month))
        let name = DatePart(Self.months.filter { $0.value == month }.map(\.key).sorted())
        let (day, year) = (DatePart(Self.digits(day)), DatePart([String(year)]))
        let ordinals = Self.ordinalEndings.map { "\(self.day)\($0)" }.sorted()
        let ordinal = DatePart(Self.digits(self.day) + ordinals)
        var phrases = [
            [year, number.at(1), day.at(2)], [day, number.at(1), year.at(2)],
            [ordinal, name.at(1), year.at(2)], [name, ordinal.at(1), year.at(2)],
            [year, name.at(1), ordinal.at(2)],
            // `4th of May, 2025` and `4 de mayo de 2025`.
            [ordinal, name.at(2), year.at(3)], [ordinal, name.at(2), year.at(4)],
        ]
        if isMonthFirstClear { phrases.append([number, day.at(1), year.at(2)]) }
        return phrases
    }

    /// The phrase with the month before the day in digits, if texts can also mean another day by it;
    /// otherwise, `nil`.
    var doubtfulPhrase: [DatePart]? {
        guard !isMonthFirstClear, day != month else { return nil }
        let (month, day) = (DatePart(Self.digits(month)), DatePart(Self.digits(day)))
        return [month, day.at(1), DatePart([String(year)]).at(2)]
    }

    /// Whether digits with the month first have only one reading, because the day is no month.
    private var isMonthFirstClear: Bool { day > 12 }

    private static func digits(_ number: Int) -> [String] {
        number < 10 ? ["0\(number)", "\(number)"] : ["\(number)"]
    }
}
