extension TextCollection {
    /// Returns a query whose words have the keys under which the indexes contain them.
    ///
    /// A word is found by its stem in each language of the indexes, and by all words that differ from it only
    /// in diacritics. Words that no text contains, or almost none, are corrected. A date also finds its
    /// other forms (``WrittenDate``).
    ///
    /// - Parameters:
    ///   - query: A query that has not been resolved.
    ///   - correctsSpelling: Whether unknown words are replaced with similar words.
    ///   - visible: The documents whose words decide about corrections; `nil` for all documents.
    ///   - counted: The documents among which the rarity of words is measured; `nil` for all.
    ///   - isCorrect: Returns whether a word in lower case without diacritics is known to be spelled
    ///     correctly. Such a word is never corrected, even if no text contains it.
    /// - Throws: `CancellationError`.
    /// - Complexity: For each word that may be misspelled, proportional to the number of words with a similar
    ///   beginning and to the postings of similar words; with `visible` or `counted`, also to the number of
    ///   documents. The rarity of a word takes time in proportion to its postings.
    package func resolved(
        _ query: TextQuery, correctsSpelling: Bool, among visible: VisibleDocuments? = nil,
        counting counted: VisibleDocuments? = nil,
        unless isCorrect: (String) -> Bool = { _ in false }
    ) throws -> TextQuery {
        var query = query
        let languages = parts.reduce(into: Set<TextLanguage>()) { $0.formUnion($1.index.languages) }
        func resolve(_ clause: inout TextQuery.Clause) {
            guard case .phrase(var terms) = clause else { return }
            for index in terms.indices { terms[index].keys = keys(of: terms[index], languages) }
            clause = .phrase(terms)
        }
        query.removeStopWords(of: TextLanguages(ofQuery: query.plainText, among: languages))
        for index in query.required.indices { resolve(&query.required[index]) }
        for index in query.excluded.indices { resolve(&query.excluded[index]) }
        for index in query.fieldConditions.indices {
            for clause in query.fieldConditions[index].clauses.indices {
                resolve(&query.fieldConditions[index].clauses[clause])
            }
        }
        for index in query.scoring.indices {
            try Task.checkCancellation()
            resolve(&query.scoring[index].clause)
        }
        removeUnknownOperators(from: &query, counted)
        if correctsSpelling, query.scoring.count <= Self.maximumCorrected {
            // The texts need not be in the language of the query.
            let spoken = TextLanguages(of: query.plainText)
            // The names of months are known in several languages.
            let dateWords = Set(WrittenDate.dates(in: query.plainText).flatMap(\.words))
            for index in query.scoring.indices {
                try Task.checkCancellation()
                correct(index, in: &query, spoken, languages, visible) {
                    dateWords.contains(Array($0.utf8)) || isCorrect($0)
                }
            }
        }
        let dates = addDates(to: &query, languages, counted)
        addPartsOfIdentifiers(to: &query, counted)
        let documents = size(of: counted).documents
        for index in query.scoring.indices {
            query.scoring[index].information = TextScoring.information(
                count(query.scoring[index].clause, counted), of: documents)
        }
        query.pairs = query.hasWords ? pairs(of: query, outside: dates) : []
        for index in query.pairs.indices { resolve(&query.pairs[index]) }
        return query
    }

    /// The maximum number of pairs of adjacent words, which bounds the search time of long queries.
    private static let maximumPairs = 32

    /// Returns the pairs of adjacent words that are both significant. A date already has a clause for its
    /// adjacent words.
    private func pairs(of query: TextQuery, outside dates: [WrittenDate]) -> [TextQuery.Clause] {
        let languages = TextLanguages(of: query.plainText)
        let words = Term.terms(of: query.plainText).filter { $0.kind == .word }
        var pairs: [TextQuery.Clause] = []
        for (first, second) in zip(words, words.dropFirst()) where second.offset == first.offset + 1 {
            let isSignificant = ![first, second].contains { StopWords.contains($0, in: languages) }
            let isDate = dates.contains { $0.words.contains(first.word) && $0.words.contains(second.word) }
            let pair = TextQuery.Clause.phrase([first.alone, second.shifted(by: first.offset)])
            if isSignificant, !isDate, !pairs.contains(pair) { pairs.append(pair) }
            if pairs.count == Self.maximumPairs { break }
        }
        return pairs
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

    /// Removes the operators that no text contains, unless the query contains nothing else: in prose, they
    /// are punctuation.
    private func removeUnknownOperators(from query: inout TextQuery, _ counted: VisibleDocuments?) {
        let known = query.scoring.filter { scoring in
            guard case .phrase(let terms) = scoring.clause, terms.first?.kind == .operator else {
                return true
            }
            return count(scoring.clause, counted) > 0
        }
        if !known.isEmpty { query.scoring = known }
    }

    // MARK: Parts of identifiers

    /// The weight of a word that occurs only as a part of identifiers such as `parseURL`, relative to the
    /// word itself.
    private static let identifierWeight: Float = 0.4

    /// Adds a clause for each word that occurs as a part of identifiers.
    private func addPartsOfIdentifiers(to query: inout TextQuery, _ counted: VisibleDocuments?) {
        for scoring in query.scoring {
            guard case .phrase(let terms) = scoring.clause, terms.count == 1, terms[0].kind == .word,
                query.scoring.count < TextQuery.maximumClauses
            else { continue }
            guard isPartOfIdentifier(terms[0], counted) else { continue }
            var part = scoring
            part.clause = .phrase([Self.part(terms[0])])
            part.weight = min(scoring.weight, Self.identifierWeight)
            query.scoring.append(part)
        }
    }

    /// Returns a word as a part of identifiers.
    private static func part(_ word: Term) -> Term {
        var part = word
        part.kind = .part
        part.keys = part.keys(in: [])
        return part
    }

    /// Returns whether an identifier in the texts contains a word.
    private func isPartOfIdentifier(_ word: Term, _ visible: VisibleDocuments?) -> Bool {
        let part = Self.part(word)
        guard let visible else { return parts.contains { !$0.numbers(of: part).isEmpty } }
        return count(.phrase([part]), visible) > 0
    }

    /// Returns the number of documents that contain a clause.
    private func count(_ clause: TextQuery.Clause, _ visible: VisibleDocuments?) -> Int {
        count(parts.map { $0.find(clause) }, visible)
    }

    // MARK: Spelling

    /// The weight of a corrected word, relative to a word that the user entered.
    private static let correctedWeight: Float = 0.8
    /// The maximum number of words of a query whose spelling is checked. A longer query is probably a copied
    /// text.
    private static let maximumCorrected = 64
    /// The maximum number of texts with a word that may be misspelled in these texts, and the minimum ratio
    /// of the number of texts with the corrected word to the number of texts with the original word.
    private static let (rareCount, minimumRatio) = (2, 40)

    /// Corrects the word of a scoring clause if no text, or almost none, contains it.
    ///
    /// - Parameters:
    ///   - spoken: The languages of the query, whose stop words are spelled correctly.
    ///   - languages: The languages of the texts.
    private func correct(
        _ index: Int, in query: inout TextQuery, _ spoken: TextLanguages, _ languages: Set<TextLanguage>,
        _ visible: VisibleDocuments?, unless isCorrect: (String) -> Bool
    ) {
        let scoring = query.scoring[index]
        guard case .phrase(let terms) = scoring.clause, terms.count == 1, terms[0].kind == .word,
            !scoring.isQuoted, !scoring.isPart
        else { return }
        guard !isCorrect(String(decoding: terms[0].word, as: UTF8.self)) else { return }
        guard !StopWords.contains(terms[0], in: spoken) else { return }
        let language = terms[0].script == .latin && spoken.latin != .english ? spoken.latin : nil
        let count = count(scoring.clause, visible)
        let corrector = SpellingCorrector(parts, languages: languages, among: visible)
        if count > 0, !corrector.isKnown(terms[0].word),
            let found = corrector.correctionWithEqualStem(of: terms[0].word)
        {
            // The clause finds the corrected word already.
            query.report(terms[0], found.word, isUnknown: true)
            return
        }
        guard count <= Self.rareCount, !isPartOfIdentifier(terms[0], visible),
            let found = corrector.correction(of: terms[0].word, in: language),
            count == 0 || (found.frequency >= Self.minimumRatio * count && found.distance == 1)
        else { return }
        var corrected = Term(.word, found.word)
        corrected.keys = keys(of: corrected, languages)
        let clause = TextQuery.Clause.phrase([corrected])
        // The query may contain the corrected word as well.
        let isRepeated = query.scoring.contains { $0.clause == clause }
        if !isRepeated {
            var replacement = scoring
            replacement.clause = clause
            replacement.weight = Self.correctedWeight
            replacement.isCorrected = true
            if count == 0 {
                query.scoring[index] = replacement
            } else if query.scoring.count < TextQuery.maximumClauses {
                query.scoring.append(replacement)
            }
        }
        query.report(terms[0], found.word, isUnknown: count == 0)
    }
}

extension TextQuery {
    /// Adds a correction to the result, and replaces an unknown word in the text for the embedding model.
    ///
    /// - Parameter corrected: The UTF-8 of the corrected word.
    fileprivate mutating func report(_ term: Term, _ corrected: [UInt8], isUnknown: Bool) {
        let word = String(decoding: corrected, as: UTF8.self)
        corrections.append(
            TextCorrection(
                original: String(decoding: term.folding.spelling, as: UTF8.self), corrected: word,
                isUnknown: isUnknown))
        if isUnknown { replaceInPlainText(term.word, with: word) }
    }

    /// Replaces a word in the text for the embedding model.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case without diacritics.
    private mutating func replaceInPlainText(_ word: [UInt8], with replacement: String) {
        var text = plainText
        let ranges = text.withUTF8 { utf8 in
            var ranges: [Range<Int>] = []
            _ = TokenScanner.forEachToken(in: utf8) { token in
                if token.kind == .word, WordFolding(utf8[token.range]).folded == word {
                    ranges.append(token.range)
                }
                return true
            }
            return ranges
        }
        var utf8 = Array(plainText.utf8)
        for range in ranges.reversed() { utf8.replaceSubrange(range, with: replacement.utf8) }
        plainText = String(decoding: utf8, as: UTF8.self)
    }
}
