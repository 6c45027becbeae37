/// The words of the texts of an index, each folded and stemmed only once.
///
/// A form is a word in lower case without diacritics, as texts in one language use it. All forms with the
/// same stem have the same term.
struct TermVocabulary: Sendable {
    struct Occurrence: Sendable {
        var form: UInt32
        var term: UInt32
        var position: UInt32
        var range: Range<Int> { Int(start)..<Int(end) }
        fileprivate var (start, end): (UInt32, UInt32)
    }

    private struct SpelledToken: Sendable {
        var spelling: UInt32
        var position: UInt32
        var (start, end): (UInt32, UInt32)
        var kind: Term.Kind
    }

    /// The properties of a spelling that do not depend on the language.
    private struct Spelling: Sendable {
        var script: WordScript
        var clue: UInt16
    }

    /// The words exactly as the texts spell them.
    private var spellings = ByteStringTable()
    private var properties: [Spelling] = []
    /// The form of each spelling plus 1, or 0 if it is not known yet, for each language and kind.
    private var formOfSpelling = [[UInt32]](repeating: [], count: 256)
    /// The forms: the listing of the word, two zero bytes, and the key of the term.
    private var forms = ByteStringTable()
    private var listingLengths: [Int] = []
    private(set) var termOfForm: [UInt32] = []
    private(set) var terms = ByteStringTable()
    /// The number of texts in each language, by its raw value.
    private(set) var textCounts = [UInt32](repeating: 0, count: 64)
    /// The tokens and the number of words of the text that was read last.
    private var tokens: [SpelledToken] = []
    private var wordCount: UInt32 = 0
    /// The languages of the text whose forms were read last.
    private(set) var lastLanguages = TextLanguages()

    var sortedForms: [Int] { (0..<forms.count).sorted { forms[$0].lexicographicallyPrecedes(forms[$1]) } }

    func word(of form: Int) -> ArraySlice<UInt8> {
        let listing = listing(of: form)
        return listing.count > 2 && listing[listing.endIndex - 2] == 0 ? listing.dropLast(2) : listing
    }

    func listing(of form: Int) -> ArraySlice<UInt8> { forms[form].prefix(listingLengths[form]) }

    mutating func languages(of utf8: UnsafeBufferPointer<UInt8>) -> TextLanguages {
        read(utf8)
        var evidence = LanguageEvidence()
        for token in tokens where token.kind == .word { evidence.add(properties[Int(token.spelling)].clue) }
        return evidence.languages
    }

    /// Calls `body` for each word of a text, in order of position, adding new words to the vocabulary.
    ///
    /// - Parameter languages: The languages of the text; `nil` to detect them.
    /// - Returns: The number of words, which is the highest position.
    mutating func forEachForm(
        in utf8: UnsafeBufferPointer<UInt8>, _ languages: TextLanguages? = nil,
        _ body: (Occurrence) -> Void
    ) -> UInt32 {
        let spoken: TextLanguages
        if let languages {
            read(utf8)
            spoken = languages
        } else {
            spoken = self.languages(of: utf8)
        }
        lastLanguages = spoken
        var used: UInt64 = 0
        for token in tokens {
            let language = spoken[properties[Int(token.spelling)].script].stemming
            if token.kind == .word { used |= 1 << UInt64(language.rawValue) }
            guard let form = form(token, language) else { continue }
            body(
                Occurrence(
                    form: form, term: termOfForm[Int(form)], position: token.position, start: token.start,
                    end: token.end))
        }
        for language in 0..<textCounts.count where used & (1 << UInt64(language)) != 0 {
            textCounts[language] += 1
        }
        return wordCount
    }

    private mutating func read(_ utf8: UnsafeBufferPointer<UInt8>) {
        tokens.removeAll(keepingCapacity: true)
        wordCount = TokenScanner.forEachToken(in: utf8) { token in
            let (spelling, isNew) = spellings.insert(UnsafeBufferPointer(rebasing: utf8[token.range]))
            if isNew {
                let folded = WordFolding(utf8[token.range]).spelling
                properties.append(
                    Spelling(
                        script: WordScript.script(of: folded), clue: LanguageEvidence.number(of: folded)))
            }
            tokens.append(
                SpelledToken(
                    spelling: UInt32(spelling), position: token.position,
                    start: UInt32(truncatingIfNeeded: token.range.lowerBound),
                    end: UInt32(truncatingIfNeeded: token.range.upperBound), kind: token.kind))
            return true
        }
    }

    /// The slot in `formOfSpelling` of forms that do not depend on the language.
    private static let slotWithoutLanguage = 255

    /// Returns the number of a token's form, or `nil` if the token consists only of ignored characters.
    private mutating func form(_ token: SpelledToken, _ language: TextLanguage) -> UInt32? {
        let slot = token.kind == .word ? Int(language.rawValue) : Self.slotWithoutLanguage
        let spelling = Int(token.spelling)
        if spelling >= formOfSpelling[slot].count {
            let missing = spellings.count - formOfSpelling[slot].count
            formOfSpelling[slot].append(contentsOf: repeatElement(0, count: missing))
        }
        if formOfSpelling[slot][spelling] > 0 { return formOfSpelling[slot][spelling] - 1 }
        let term = Term(token.kind, spellings[spelling])
        guard !term.word.isEmpty else { return nil }
        let form = form(listing: term.listing(in: language), key: term.key(in: language))
        formOfSpelling[slot][spelling] = form + 1
        return form
    }

    /// Returns the number of the term of a mark, which has no form.
    mutating func term(ofMark mark: [UInt8]) -> Int {
        mark.withUnsafeBufferPointer { terms.insert($0) }.number
    }

    private mutating func form(listing: [UInt8], key: [UInt8]) -> UInt32 {
        let form = (listing + [0, 0] + key).withUnsafeBufferPointer { forms.insert($0) }
        if form.isNew {
            listingLengths.append(listing.count)
            termOfForm.append(UInt32(key.withUnsafeBufferPointer { terms.insert($0) }.number))
        }
        return UInt32(form.number)
    }
}
