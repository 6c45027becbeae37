/// A day in a query, such as `4 May 2025`, `May 4th, 2025`, `4. Mai 2025`, `2025-05-04` or `4.5.2025`, or a
/// month, such as `May 2025` or `2025-05`.
///
/// Texts and their names can have the day, or a day of the month, in another form, which has no word in
/// common with the query except the year.
struct WrittenDate: Sendable, Hashable {
    var year: Int
    /// The month, from 1.
    var month: Int
    /// The day; `nil` for a month.
    var day: Int?
    /// The words of the query that form the date, in lower case without diacritics.
    var words: [[UInt8]]

    /// Returns the different dates in a text, in their order. The month of a complete date is not another
    /// date.
    ///
    /// Digits with the year at the end can have two readings, and then both are returned: `4/5/2025` is 4 May
    /// or April 5. Only the day can come first before points, or if the text is in a language other than
    /// English, unless the number is no day of that month.
    ///
    /// - Complexity: O(length of text).
    static func dates(in text: String) -> [WrittenDate] {
        let words = Self.words(of: text).filter { !joiningWords.contains($0.text) }
        let isDayFirst = TextLanguages(of: text).latin != .english
        var (dates, known) = ([WrittenDate](), Set<WrittenDate>())
        func add(_ found: [WrittenDate]) {
            // A query can be a copied text with thousands of dates.
            for date in found where known.insert(date).inserted { dates.append(date) }
        }
        var next = 0
        while next + 1 < words.count {
            let three = Array(words[next..<min(words.count, next + 3)])
            var found: [WrittenDate] = []
            if three.count == 3 {
                let isRow = isEnclosed(next..<next + 3, in: words)
                found = isRow ? [] : datesInDigits(three, isDayFirst: isDayFirst)
                if found.isEmpty, let date = date(three.map { Array($0.text.utf8) }) { found = [date] }
            }
            var count = found.isEmpty ? 1 : 3
            let isRow = isEnclosed(next..<next + 2, in: words)
            if found.isEmpty, let month = month(Array(three.prefix(2)), isRow: isRow) {
                (found, count) = ([month], 2)
            }
            add(found)
            next += count
        }
        return dates
    }

    /// Returns whether numbers are part of a longer row, such as an address or a version.
    private static func isEnclosed(_ range: Range<Int>, in words: [Word]) -> Bool {
        let (first, end) = (range.lowerBound, range.upperBound)
        return (first > 0 && words[first].continues && words[first - 1].isNumber)
            || (end < words.count && words[end].continues && words[end].isNumber)
    }

    /// A word of a query.
    private struct Word {
        /// The word in lower case without diacritics.
        var text: String
        /// The characters between the previous word and this one.
        var separator: String
        /// Whether the word continues a number: it follows another word and a sign of dates without a space.
        var continues: Bool { signs.contains(separator) }
        var isNumber: Bool { text.utf8.allSatisfy { (48...57).contains($0) } }
    }

    /// The signs between the numbers of a date.
    private static let signs: Set = ["-", "/", ".", "_"]

    private static func words(of text: String) -> [Word] {
        var (words, text, end) = ([Word](), text, 0)
        text.withUTF8 { utf8 in
            _ = TokenScanner.forEachToken(in: utf8) { token in
                guard token.kind == .word else { return true }
                let separator = String(decoding: utf8[end..<token.range.lowerBound], as: UTF8.self)
                let word = String(decoding: WordFolding(utf8[token.range]).folded, as: UTF8.self)
                words.append(Word(text: word, separator: words.isEmpty ? "" : separator))
                end = token.range.upperBound
                return true
            }
        }
        return words
    }

    /// Returns the readings of three numbers that are joined by the same sign; empty if they are no date.
    private static func datesInDigits(_ words: [Word], isDayFirst: Bool) -> [WrittenDate] {
        let sign = words[1].separator
        guard sign == words[2].separator, signs.contains(sign) || sign == ". " else { return [] }
        func date(_ year: Int, _ month: Int, _ day: Int) -> WrittenDate? {
            guard let year = Self.year(words[year].text), let month = number(words[month].text, 1...12),
                let day = number(words[day].text, 1...31)
            else { return nil }
            return WrittenDate(year: year, month: month, day: day, words: words.map { Array($0.text.utf8) })
        }
        if let date = date(0, 1, 2) { return [date] }
        let (dayFirst, monthFirst) = (date(2, 1, 0), date(2, 0, 1))
        if let dayFirst, isDayFirst || sign.first == "." { return [dayFirst] }
        let readings = [dayFirst, monthFirst].compactMap(\.self)
        return readings.first == readings.last ? Array(readings.prefix(1)) : readings
    }

    /// Returns the number that a word of one or two digits is, if it is in a range.
    private static func number(_ word: String, _ range: ClosedRange<Int>) -> Int? {
        guard (1...2).contains(word.utf8.count), let number = Int(word), range.contains(number) else {
            return nil
        }
        return number
    }

    /// The signs between the numbers of a month. Points are rather those of a version.
    private static let monthSigns: Set = ["-", "/", "_"]

    /// Returns the month that two words are, such as `May 2025`, `2025-05` or `05/2025`.
    ///
    /// - Parameter isRow: Whether the words are part of a longer row of numbers.
    private static func month(_ words: [Word], isRow: Bool) -> WrittenDate? {
        let utf8 = words.map { Array($0.text.utf8) }
        for (month, year) in [(0, 1), (1, 0)] {
            guard let year = Self.year(words[year].text) else { continue }
            if let month = months[words[month].text] {
                return WrittenDate(year: year, month: month, words: utf8)
            }
            // `2025-5` can be a difference, and `2025-26` a season.
            let isPadded = words[month].text.utf8.count == 2 || month == 0
            guard !isRow, isPadded, monthSigns.contains(words[1].separator),
                let month = number(words[month].text, 1...12)
            else { continue }
            return WrittenDate(year: year, month: month, words: utf8)
        }
        return nil
    }

    private static func date(_ words: [[UInt8]]) -> WrittenDate? {
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        for (day, month, year) in [(0, 1, 2), (1, 0, 2), (2, 1, 0)] {
            guard let day = Self.day(texts[day]), let month = months[texts[month]],
                let year = Self.year(texts[year])
            else { continue }
            return WrittenDate(year: year, month: month, day: day, words: words)
        }
        return nil
    }

    /// The endings of ordinal numbers.
    static let ordinalEndings: Set<Substring> = ["", "st", "nd", "rd", "th", "er", "o"]

    private static func day(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 2, ordinalEndings.contains(word.dropFirst(digits.count)),
            let day = Int(digits), (1...31).contains(day)
        else { return nil }
        return day
    }

    private static func year(_ word: String) -> Int? {
        guard word.utf8.count == 4, let year = Int(word), (1000...9999).contains(year) else { return nil }
        return year
    }

    /// Words between the parts of a date, as in `4th of May` and `4 de mayo de 2025`.
    private static let joiningWords: Set = ["of", "the", "de", "del"]

    /// The numbers of the months by their names in lower case without diacritics. No name has different
    /// numbers in two languages.
    static let months: [String: Int] = {
        let lists = [
            "january february march april may june july august september october november december",
            "jan feb mar apr may jun jul aug sep oct nov dec",
            "januar februar marz april mai juni juli august september oktober november dezember",
            "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
            "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
            "januari februari maart april mei juni juli augustus september oktober november december",
        ]
        var months = ["sept": 9]
        for list in lists {
            for (index, name) in list.split(separator: " ").enumerated() { months[String(name)] = index + 1 }
        }
        return months
    }()
}
