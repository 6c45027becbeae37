/// A word of a query, independent of any language.
struct Term: Sendable, Hashable {
    /// The kind of word, which determines how it is looked up.
    enum Kind: UInt8, Sendable, Hashable {
        /// A word of an alphabet, which has stems.
        case word
        /// An identifier with its punctuation, such as `foo.bar` or `--onto`.
        case verbatim
        /// A part of an identifier such as `parseURL`, in addition to the word itself.
        case part
        /// One or two characters of a script without spaces between words.
        case gram
        /// A symbol or emoji.
        case symbol
        /// An operator of ASCII characters, such as `=>`.
        case `operator`
    }

    var kind: Kind
    var folding: WordFolding
    /// The number of words between the start of the phrase and the word; 0 outside of phrases.
    var offset = 0
    /// The keys in the indexes of a store, if the term has been resolved
    /// (``TextCollection/resolved(_:correctsSpelling:unless:)``). Otherwise empty.
    var keys: [[UInt8]] = []
    /// The other form under which texts are found too: that of a version number or of its first word, with or
    /// without the initial `v`; `nil` for other words.
    var variant: [UInt8]?
    /// Whether the term stands for all words that begin with it, at its offset in a phrase.
    var isPrefix = false
    /// The UTF-8 of the word in lower case without diacritics.
    var word: [UInt8] { folding.folded }

    init(_ kind: Kind, _ utf8: some Collection<UInt8>) {
        self.kind = kind
        folding = WordFolding(utf8)
    }

    /// The byte that follows the stem in the key of an identifier's part. Greater than the raw values of all
    /// languages.
    private static let partMark: UInt8 = 0xFF

    /// Returns the bytes by which the index finds the word in texts of a language.
    ///
    /// The key of a word is its stem without diacritics. For languages other than English, it ends in a zero
    /// byte and the language, because equal stems in different languages are different words.
    func key(in language: TextLanguage) -> [UInt8] {
        switch kind {
        case .verbatim, .gram, .symbol, .operator: return word
        case .part: return Self.stem(folding, in: .english) + [0, Self.partMark]
        case .word:
            let language = language.stemming
            let stem = Self.stem(folding, in: language)
            return language == .english ? stem : stem + [0, language.rawValue]
        }
    }

    /// Returns the key under which the word itself is listed, without regard to its inflected forms.
    func listing(in language: TextLanguage) -> [UInt8] {
        switch kind {
        case .verbatim, .gram, .symbol, .operator: word
        case .part: word + [0, Self.partMark]
        case .word: language.stemming == .english ? word : word + [0, language.stemming.rawValue]
        }
    }

    /// Returns the word of a listing, or `nil` if the listing is a part of an identifier.
    static func word(ofListing listing: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard listing.count > 2, listing[listing.count - 2] == 0 else { return listing }
        guard listing[listing.count - 1] != partMark else { return nil }
        return UnsafeBufferPointer(rebasing: listing.dropLast(2))
    }

    private static func stem(_ folding: WordFolding, in language: TextLanguage) -> [UInt8] {
        let content = Elision.content(of: folding.spelling, in: language)
        let stem = WordFolding.withoutDiacritics(
            Stemmer.stem(Array(folding.spelling[content]), in: language))
        // If the stem is empty because the word consists only of an ending, the word itself is used.
        return stem.isEmpty ? folding.folded : stem
    }
}

extension Term {
    /// The script of the word.
    var script: WordScript { WordScript.script(of: folding.spelling) }

    /// Returns the words of a query text and the further forms under which they can be found: identifiers
    /// with their punctuation, and the parts of words in camel case. Each has the offset of its word.
    static func terms(of text: String) -> [Term] {
        var (terms, text) = ([Term](), text)
        text.withUTF8 { utf8 in
            _ = TokenScanner.forEachToken(in: utf8) { token in
                guard !token.isOnlyForIndex else { return true }
                var term = Term(token.kind, utf8[token.range])
                term.offset = Int(token.position) - 1
                if term.kind == .verbatim, let variant = VersionNumber.variant(of: term.word) {
                    term.variant = variant
                    if let first = terms.lastIndex(where: { $0.kind == .word && $0.offset == term.offset }) {
                        terms[first].variant = VersionNumber.withOrWithoutLetter(terms[first].word)
                    }
                }
                if !term.word.isEmpty { terms.append(term) }
                return true
            }
        }
        return terms
    }

    /// The keys of the word and of its variant in texts of some languages.
    func keys(in languages: Set<TextLanguage>) -> [[UInt8]] {
        var keys = keysWithoutVariant(in: languages)
        guard let variant else { return keys }
        for key in Term(kind, variant).keysWithoutVariant(in: languages) where !keys.contains(key) {
            keys.append(key)
        }
        return keys
    }

    private func keysWithoutVariant(in languages: Set<TextLanguage>) -> [[UInt8]] {
        guard kind == .word else { return [key(in: .english)] }
        let script = script
        // English also stands for words that are not stemmed, such as numbers.
        let possible = languages.union([.english]).filter { $0.scripts.contains(script) }
        var keys = [key(in: .unstemmed)]
        for language in possible.sorted(by: { $0.rawValue < $1.rawValue }) {
            let key = key(in: language)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// The term outside of a phrase.
    var alone: Term { shifted(by: offset) }

    /// The term without its variant.
    var exact: Term {
        var term = self
        term.variant = nil
        return term
    }

    /// The term as the beginning of words.
    var asPrefix: Term {
        var term = self
        term.isPrefix = true
        return term
    }

    /// Returns the term with a smaller offset.
    func shifted(by words: Int) -> Term {
        var term = self
        term.offset -= words
        return term
    }

    /// Returns the prefix at the end of a text in the form in which the index contains words: the last word,
    /// or the complete identifier that the text ends with. Empty if the text does not end in a word.
    static func prefix(of text: Substring) -> [UInt8] {
        var text = String(text)
        return text.withUTF8 { utf8 in
            var range = 0..<0
            TokenScanner.forEachToken(in: utf8) { token in
                if token.range.upperBound == utf8.count, token.kind != .part, token.kind != .operator {
                    range = token.range
                }
                return true
            }
            return WordFolding(utf8[range]).folded
        }
    }

    /// Whether the term is a word at its offset, and not a further form of one or an operator.
    var isWord: Bool {
        switch kind {
        case .word, .gram, .symbol: true
        case .verbatim, .part, .operator: false
        }
    }
}
