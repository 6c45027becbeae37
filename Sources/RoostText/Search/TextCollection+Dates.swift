extension TextCollection {
    /// Adds clauses for each date of the query that texts contain in any form (``WrittenDate``). The words of
    /// the date then count as its parts, like those of an identifier.
    ///
    /// - Parameters:
    ///   - languages: The languages of the texts.
    ///   - counted: The documents among which the dates are counted; `nil` for all.
    /// - Returns: The dates for which clauses were added.
    func addDates(
        to query: inout TextQuery, _ languages: Set<TextLanguage>, _ counted: VisibleDocuments?
    ) -> [WrittenDate] {
        var added: [WrittenDate] = []
        let dates = WrittenDate.dates(in: query.plainText).prefix(Self.maximumDates)
        let others = dates.contains { $0.day == nil } ? information(ofOthers: dates, in: query, counted) : nil
        for date in dates {
            let indices = query.scoring.indices.filter { index in
                guard case .phrase(let terms) = query.scoring[index].clause, terms.count == 1 else {
                    return false
                }
                // `2025-05-04` is a word as well as the identifier of its three words.
                return terms[0].kind == .verbatim
                    ? terms[0].word.split { !Self.isDigit($0) }.map(Array.init) == date.words
                    : date.words.contains(terms[0].word)
            }
            guard let first = indices.first, !indices.contains(where: { query.scoring[$0].isQuoted }) else {
                continue
            }
            let word = query.scoring[first].word
            for (phrases, weight) in [
                (date.phrases, 1), (date.doubtfulPhrase.map { [$0] } ?? [], TextQuery.partWeight),
            ] {
                let clause = TextQuery.Clause.anyPhrase(phrases.map { $0.map { term($0, languages) } })
                guard query.scoring.count < TextQuery.maximumClauses,
                    count(parts.map { $0.find(clause) }, counted) > 0
                else { continue }
                // A month has many days, so it rather restricts the subject than it is one.
                let share = date.day == nil ? self.share(of: clause, others, counted) : 1
                for index in indices {
                    query.scoring[index].isPart = true
                    query.scoring[index].weight = min(query.scoring[index].weight, TextQuery.partWeight)
                    query.scoring[index].word = word
                }
                query.scoring.append(
                    TextQuery.ScoringClause(
                        clause: clause, isQuoted: false, weight: weight * share, word: word))
                if added.last != date { added.append(date) }
            }
        }
        return added
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Returns the information of the words of a query that are not part of a date; `nil` if there are none.
    private func information(
        ofOthers dates: ArraySlice<WrittenDate>, in query: TextQuery, _ counted: VisibleDocuments?
    ) -> Float? {
        let dateWords = Set(dates.flatMap(\.words))
        let others = query.scoring.filter { scoring in
            guard case .phrase(let terms) = scoring.clause else { return true }
            return terms.contains { $0.kind != .verbatim && !dateWords.contains($0.word) }
        }
        guard !others.isEmpty else { return nil }
        return others.reduce(0) { $0 + $1.weight * information(of: $1.clause, counted) }
    }

    /// Returns the factor with which a clause has at most half of the information of the other words.
    private func share(
        of clause: TextQuery.Clause, _ others: Float?, _ counted: VisibleDocuments?
    ) -> Float {
        guard let others else { return 1 }
        let maximum = TextQuery.partWeight * others
        return min(1, maximum / max(information(of: clause, counted), .leastNormalMagnitude))
    }

    private func information(of clause: TextQuery.Clause, _ counted: VisibleDocuments?) -> Float {
        TextScoring.information(
            count(parts.map { $0.find(clause) }, counted), of: size(of: counted).documents)
    }

    /// The maximum number of dates of a query that are searched for in other forms, which bounds the time of
    /// a query with a copied text.
    private static let maximumDates = 8

    /// Returns the term of a part of a date, with the keys of all its spellings.
    private func term(_ part: DatePart, _ languages: Set<TextLanguage>) -> Term {
        var term = Term(.word, (part.spellings.first ?? "").utf8)
        term.offset = part.offset
        var known = Set<[UInt8]>()
        term.keys = part.spellings.flatMap { Term(.word, $0.utf8).keys(in: languages) }
            .filter { known.insert($0).inserted }
        return term
    }
}
