extension TextCollection {
    /// Returns a query whose words have the keys under which the indexes contain them.
    ///
    /// A word is found by its stem in each language of the indexes, and by all words that differ from it only
    /// in diacritics. Words that no text contains are corrected.
    ///
    /// - Parameters:
    ///   - query: A query that has not been resolved.
    ///   - correctsSpelling: Whether unknown words are replaced with similar words.
    ///   - visible: The documents whose words decide about corrections and among which the rarity of words is
    ///     measured; `nil` for all documents.
    ///   - isCorrect: Returns whether a word in lower case without diacritics is known to be spelled
    ///     correctly. Such a word is never corrected, even if no text contains it.
    /// - Throws: `CancellationError`.
    /// - Complexity: For each unknown word, proportional to the number of words with a similar beginning and
    ///   to the postings of similar words; with `visible`, also to the number of documents. The rarity of a
    ///   word takes time in proportion to its postings.
    package func resolved(
        _ query: TextQuery, correctsSpelling: Bool, among visible: VisibleDocuments? = nil,
        unless isCorrect: (String) -> Bool = { _ in false }
    ) throws -> TextQuery {
        var query = query
        let languages = parts.reduce(into: Set<TextLanguage>()) { $0.formUnion($1.index.languages) }
        query.removeStopWords(of: TextLanguages(ofQuery: query.plainText, among: languages))
        for index in query.conditions.indices {
            query.conditions[index].clause = resolved(query.conditions[index].clause, languages)
        }
        let documents = size(of: visible).documents
        let corrector = SpellingCorrector(parts, among: visible)
        for index in query.scoring.indices {
            try Task.checkCancellation()
            var clause = resolved(query.scoring[index].clause, languages)
            var count = count(clause, visible)
            if count == 0, correctsSpelling, query.corrections.count < Self.maximumCorrections,
                !query.scoring[index].isRequired, let word = clause.singleWord,
                !isCorrect(String(decoding: word.word, as: UTF8.self)),
                let corrected = corrector.correction(of: word.word)
            {
                clause = resolved(.phrase([Term(.word, corrected)]), languages)
                count = self.count(clause, visible)
                query.correct(word, corrected)
            }
            query.scoring[index].clause = clause
            query.scoring[index].information = TextScoring.information(count, of: documents)
        }
        query.pairs = query.hasWords ? pairs(of: query).map { resolved($0, languages) } : []
        let title = query.isSelective ? [] : Term.title(query.plainText)
        if title.count <= Self.maximumTitle { query.title = resolved(title, languages) }
        return query
    }

    /// The maximum number of corrected words, which bounds the search time of copied data.
    private static let maximumCorrections = 64
    /// The maximum number of pairs of adjacent words, which bounds the search time of long queries.
    private static let maximumPairs = 32
    /// The maximum number of words of a title that is looked up as a whole.
    private static let maximumTitle = 64

    /// Returns the pairs of adjacent words that are both significant.
    private func pairs(of query: TextQuery) -> [TextQuery.Clause] {
        let languages = TextLanguages(of: query.plainText)
        let words = Term.terms(of: query.plainText).filter { $0.kind == .word }
        var pairs: [TextQuery.Clause] = []
        for (first, second) in zip(words, words.dropFirst()) where second.offset == first.offset + 1 {
            let isSignificant = ![first, second].contains { StopWords.contains($0, in: languages) }
            let pair = TextQuery.Clause.phrase([first.alone, second.shifted(by: first.offset)])
            if isSignificant, !pairs.contains(pair) { pairs.append(pair) }
            if pairs.count == Self.maximumPairs { break }
        }
        return pairs
    }

    private func resolved(_ clause: TextQuery.Clause, _ languages: Set<TextLanguage>) -> TextQuery.Clause {
        guard case .phrase(let terms) = clause else { return clause }
        return .phrase(resolved(terms, languages))
    }

    private func resolved(_ terms: [Term], _ languages: Set<TextLanguage>) -> [Term] {
        terms.map { term in
            var term = term
            if term.keys.isEmpty { term.keys = keys(of: term, languages) }
            return term
        }
    }

    /// Returns the keys of a word in texts of some languages, and those of words that differ from it only in
    /// diacritics.
    private func keys(of term: Term, _ languages: Set<TextLanguage>) -> [[UInt8]] {
        var keys = term.keys(in: languages)
        guard term.kind == .word else { return keys }
        for part in parts {
            part.index.reading {
                for language in part.index.languages.union([.english]) {
                    let listing = term.listing(in: language)
                    var word = part.index.words.firstIndex(notBefore: listing)
                    while word < part.index.words.count, part.index.words[word].elementsEqual(listing) {
                        let number = Int(UInt32(littleEndian: part.index.wordTerms[word]))
                        word += 1
                        guard number < part.index.terms.count else { continue }
                        let key = Array(part.index.terms[number])
                        if !keys.contains(key) { keys.append(key) }
                    }
                }
            }
        }
        return keys
    }

    private func count(_ clause: TextQuery.Clause, _ visible: VisibleDocuments?) -> Int {
        count(parts.map { $0.find(clause) }, visible)
    }
}

extension TextQuery.Clause {
    fileprivate var singleWord: Term? {
        guard case .phrase(let terms) = self, terms.count == 1, terms[0].kind == .word else { return nil }
        return terms[0]
    }
}

extension TextQuery {
    /// Reports the correction of a word, and replaces the word in the text that is embedded.
    fileprivate mutating func correct(_ term: Term, _ corrected: [UInt8]) {
        let replacement = String(decoding: corrected, as: UTF8.self)
        corrections.append(
            TextCorrection(
                original: String(decoding: term.folding.spelling, as: UTF8.self), corrected: replacement))
        var utf8 = Array(plainText.utf8)
        let ranges = utf8.withUnsafeBufferPointer { utf8 in
            var ranges: [Range<Int>] = []
            TokenScanner.forEachToken(in: utf8) { token in
                if token.kind == .word, WordFolding(utf8[token.range]).folded == term.word {
                    ranges.append(token.range)
                }
                return true
            }
            return ranges
        }
        for range in ranges.reversed() { utf8.replaceSubrange(range, with: replacement.utf8) }
        plainText = String(decoding: utf8, as: UTF8.self)
    }
}
