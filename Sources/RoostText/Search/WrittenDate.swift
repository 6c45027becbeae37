/// A day that a query writes in words, such as `4 May 2025`, `May 4th, 2025` or `4. Mai 2025`.
///
/// Notes about a day are often named after it in the form of ISO 8601, so a query for the day has no word in
/// common with their names except the year.
struct WrittenDate: Sendable, Hashable {
    var year: Int
    /// The month, from 1.
    var month: Int
    var day: Int
    /// The words of the query that form the date, in lower case without diacritics.
    var words: [[UInt8]]

    /// The date as a word of a text: `2025-05-04`, and the variant `2025_05_04`, which names of files have.
    var term: Term {
        func text(separator: String) -> String {
            let (month, day) = (month < 10 ? "0\(month)" : "\(month)", day < 10 ? "0\(day)" : "\(day)")
            return [String(year), month, day].joined(separator: separator)
        }
        var term = Term(.verbatim, text(separator: "-").utf8)
        term.variant = Array(text(separator: "_").utf8)
        return term
    }

    /// Returns the different dates in a text, in their order.
    ///
    /// - Complexity: O(length of text).
    static func dates(in text: String) -> [WrittenDate] {
        let words = Term.terms(of: text).filter { $0.kind == .word }.map(\.word)
            .filter { !joiningWords.contains(String(decoding: $0, as: UTF8.self)) }
        var dates: [WrittenDate] = []
        var next = 0
        while next + 2 < words.count {
            guard let date = date(Array(words[next...(next + 2)])) else {
                next += 1
                continue
            }
            if !dates.contains(date) { dates.append(date) }
            next += 3
        }
        return dates
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
    private static let ordinalEndings: Set<Substring> = ["", "st", "nd", "rd", "th", "er", "o"]

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
    private static let months: [String: Int] = {
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

extension TextCollection {
    /// Adds a clause for each date that the query writes in words and that texts contain in the form of
    /// ISO 8601. The words of the date then count as its parts, like those of an identifier.
    ///
    /// - Parameter counted: The documents among which the dates are counted; `nil` for all.
    func addDates(to query: inout TextQuery, _ counted: VisibleDocuments?) {
        for date in WrittenDate.dates(in: query.plainText) {
            let clause = TextQuery.Clause.phrase([date.term])
            let isKnown = count(parts.map { $0.find(clause) }, counted) > 0
            let indices = query.scoring.indices.filter { index in
                guard case .phrase(let terms) = query.scoring[index].clause, terms.count == 1 else {
                    return false
                }
                return date.words.contains(terms[0].word)
            }
            guard isKnown, let first = indices.first, query.scoring.count < TextQuery.maximumClauses,
                !indices.contains(where: { query.scoring[$0].isQuoted })
            else { continue }
            let word = query.scoring[first].word
            for index in indices {
                query.scoring[index].isPart = true
                query.scoring[index].weight = min(query.scoring[index].weight, TextQuery.partWeight)
                query.scoring[index].word = word
            }
            query.scoring.append(TextQuery.ScoringClause(clause: clause, isQuoted: false, word: word))
        }
    }
}
