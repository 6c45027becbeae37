/// The words of one text, analyzed like the words of an index.
struct AnalyzedText: Sendable {
    private var vocabulary = TermVocabulary()
    private var occurrences: [TermVocabulary.Occurrence] = []
    private let languages: TextLanguages

    /// Analyzes a text.
    ///
    /// - Complexity: O(length of text).
    init(_ utf8: UnsafeBufferPointer<UInt8>) {
        var occurrences: [TermVocabulary.Occurrence] = []
        _ = vocabulary.forEachForm(in: utf8) { occurrences.append($0) }
        self.occurrences = occurrences
        languages = vocabulary.lastLanguages
    }

    /// A word of the text that one of several clauses contains.
    struct Match: Sendable {
        /// The UTF-8 range of the word.
        var range: Range<Int>
        /// The index of the first such clause.
        var clause: Int
    }

    /// Returns the words that occur in one of several clauses, in order of their start.
    ///
    /// - Parameter limit: The maximum number of words.
    func matches(of clauses: [TextQuery.Clause], limit: Int = .max) -> [Match] {
        guard limit > 0 else { return [] }
        var matcher = FormMatcher(vocabulary, languages, clauses)
        var matches: [Match] = []
        for occurrence in occurrences {
            guard let clause = matcher.clause(of: occurrence) else { continue }
            matches.append(Match(range: occurrence.range, clause: clause))
            if matches.count == limit { break }
        }
        for (index, clause) in clauses.enumerated() {
            guard case .anyPhrase(let phrases) = clause else { continue }
            matches += phrases.flatMap { ranges(of: $0) }.map { Match(range: $0, clause: index) }
        }
        // An identifier follows its words, although it starts where the first of them does.
        return Array(matches.sorted { $0.range.lowerBound < $1.range.lowerBound }.prefix(limit))
    }

    /// Returns the ranges of a phrase of resolved terms, from its first to its last word.
    ///
    /// - Complexity: O(words of the text, times the terms).
    private func ranges(of phrase: [Term]) -> [Range<Int>] {
        let keys = phrase.map { Set($0.keys) }
        // The first and the last word of each phrase that has been found up to the current term, by the
        // position of its first word.
        var starts: [UInt32: Range<Int>]?
        for (term, keys) in zip(phrase, keys) {
            var found: [UInt32: Range<Int>] = [:]
            for occurrence in occurrences where occurrence.position > UInt32(term.offset) {
                let start = occurrence.position - UInt32(term.offset)
                guard let first = starts.map({ $0[start] }) ?? occurrence.range,
                    keys.contains(Array(vocabulary.terms[Int(occurrence.term)]))
                else { continue }
                found[start] = first.lowerBound..<max(first.lowerBound, occurrence.range.upperBound)
            }
            guard !found.isEmpty else { return [] }
            starts = found
        }
        return starts.map { Array($0.values) } ?? []
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
            case .anyPhrase: break
            case .phrase(let terms):
                for term in terms {
                    // Words match without regard to diacritics, even if they have different stems.
                    for word in [term.word, term.variant].compactMap(\.self)
                    where term.isWord && ofWord[word] == nil {
                        ofWord[word] = index
                    }
                    let keys = [term.key(in: languages[term.script]), term.variant].compactMap(\.self)
                    for key in keys + term.keys where ofKey[key] == nil {
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
