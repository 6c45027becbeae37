struct AnalyzedText: Sendable {
    private var vocabulary = TermVocabulary()
    private var occurrences: [TermVocabulary.Occurrence] = []
    private let languages: TextLanguages

    init(_ utf8: UnsafeBufferPointer<UInt8>) {
        var occurrences: [TermVocabulary.Occurrence] = []
        _ = vocabulary.forEachForm(in: utf8) { occurrences.append($0) }
        self.occurrences = occurrences
        languages = vocabulary.lastLanguages
    }

    struct Match: Sendable {
        var range: Range<Int>
        /// The index of the first such clause.
        var clause: Int
    }

    /// Returns the words that occur in one of several clauses, in order of their start.
    func matches(of clauses: [TextQuery.Clause]) -> [Match] {
        var matcher = FormMatcher(vocabulary, languages, clauses)
        let matches = occurrences.compactMap { occurrence in
            matcher.clause(of: occurrence).map { Match(range: occurrence.range, clause: $0) }
        }
        // An identifier follows its words, although it starts where the first of them does.
        return matches.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}

/// Finds the clause that a word of a text belongs to, and remembers the result for each form.
private struct FormMatcher {
    private let vocabulary: TermVocabulary
    /// The index of the first clause with each word, and with each key of a term.
    private var ofWord: [[UInt8]: Int] = [:]
    private var ofKey: [[UInt8]: Int] = [:]
    private var prefixes: [(prefix: [UInt8], clause: Int)] = []
    /// The results by form: the index of the clause, or -1 for none.
    private var known: [UInt32: Int] = [:]

    init(_ vocabulary: TermVocabulary, _ languages: TextLanguages, _ clauses: [TextQuery.Clause]) {
        self.vocabulary = vocabulary
        for (index, clause) in clauses.enumerated() {
            switch clause {
            case .prefix(let prefix): prefixes.append((prefix, index))
            case .phrase(let terms):
                for term in terms {
                    // Words match without regard to diacritics, even if they have different stems.
                    if term.isWord, ofWord[term.word] == nil { ofWord[term.word] = index }
                    for key in [term.key(in: languages[term.script])] + term.keys where ofKey[key] == nil {
                        ofKey[key] = index
                    }
                }
            }
        }
    }

    mutating func clause(of occurrence: TermVocabulary.Occurrence) -> Int? {
        if let known = known[occurrence.form] { return known < 0 ? nil : known }
        let word = Array(vocabulary.word(of: Int(occurrence.form)))
        let clause =
            ofWord[word] ?? ofKey[Array(vocabulary.terms[Int(occurrence.term)])]
            ?? prefixes.first { word.starts(with: $0.prefix) }?.clause
        known[occurrence.form] = clause ?? -1
        return clause
    }
}
