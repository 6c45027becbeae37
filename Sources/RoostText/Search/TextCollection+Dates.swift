extension TextCollection {
    /// Adds clauses for each date of the query that texts contain in any form (``WrittenDate``). The words of
    /// the date then count as its parts, like those of an identifier.
    ///
    /// - Parameters:
    ///   - languages: The languages of the texts.
    ///   - counted: The documents among which the dates are counted; `nil` for all.
    func addDates(
        to query: inout TextQuery, _ languages: Set<TextLanguage>, _ counted: VisibleDocuments?
    ) {
        for date in WrittenDate.dates(in: query.plainText).prefix(Self.maximumDates) {
            let indices = query.scoring.indices.filter { index in
                guard case .phrase(let terms) = query.scoring[index].clause, terms.count == 1 else {
                    return false
                }
                return date.words.contains(terms[0].word)
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
                for index in indices {
                    query.scoring[index].isPart = true
                    query.scoring[index].weight = min(query.scoring[index].weight, TextQuery.partWeight)
                    query.scoring[index].word = word
                }
                query.scoring.append(
                    TextQuery.ScoringClause(clause: clause, isQuoted: false, weight: weight, word: word))
            }
        }
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
