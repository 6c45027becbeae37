/// A word of a query, independent of any language.
struct Term: Sendable, Hashable {
    /// The kind of word, which determines how it is looked up.
    enum Kind: UInt8, Sendable, Hashable {
        case word
        /// An identifier with its punctuation, such as `foo.bar` or `C++`.
        case verbatim
        /// One or two characters of a script without spaces between words.
        case gram
        case symbol
    }

    var kind: Kind
    var folding: WordFolding
    /// The number of words between the start of the phrase and the word; 0 outside of phrases.
    var offset = 0
    /// The keys in the indexes of a store, if the term has been resolved
    /// (``TextCollection/resolved(_:correctsSpelling:among:counting:unless:)``). Otherwise empty.
    var keys: [[UInt8]] = []
    /// The UTF-8 of the word in lower case without diacritics.
    var word: [UInt8] { folding.folded }

    /// The marks that an index lists before the first and after the last word of a title. No text contains
    /// them as words.
    static let (titleStart, titleEnd): ([UInt8], [UInt8]) = ([2], [3])

    /// Creates a mark of titles.
    init(mark: [UInt8], offset: Int) {
        self.init(.symbol, [])
        (self.offset, keys) = (offset, [mark])
    }

    init(_ kind: Kind, _ utf8: some Collection<UInt8>) {
        self.kind = kind
        folding = WordFolding(utf8)
    }

    /// Returns the bytes by which the index finds the word in texts of a language.
    ///
    /// The key of a word is its stem without diacritics. For languages other than English, it ends in a zero
    /// byte and the language, because equal stems in different languages are different words.
    func key(in language: TextLanguage) -> [UInt8] {
        guard kind == .word else { return word }
        let language = language.stemming
        let stem = Self.stem(folding, in: language)
        return language == .english ? stem : stem + [0, language.rawValue]
    }

    /// Returns the key under which the word itself is listed, without regard to its inflected forms.
    func listing(in language: TextLanguage) -> [UInt8] {
        let isMarked = kind == .word && language.stemming != .english
        return isMarked ? word + [0, language.stemming.rawValue] : word
    }

    static func word(ofListing listing: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard listing.count > 2, listing[listing.count - 2] == 0 else { return listing }
        return UnsafeBufferPointer(rebasing: listing.dropLast(2))
    }

    private static func stem(_ folding: WordFolding, in language: TextLanguage) -> [UInt8] {
        let content = Elision.content(of: folding.spelling, in: language)
        let stem = WordFolding.withoutDiacritics(Stemmer.stem(Array(folding.spelling[content]), in: language))
        // If the stem is empty because the word consists only of an ending, the word itself is used.
        return stem.isEmpty ? folding.folded : stem
    }
}

extension Term {
    var script: WordScript { WordScript.script(of: folding.spelling) }

    /// Returns the words of a query text, and the identifiers that they form with their punctuation. Each has
    /// the offset of its first word.
    static func terms(of text: String) -> [Term] { scanned(text).terms }

    /// Returns the terms of a title with the given text, which form a phrase; empty for a text without words.
    static func title(_ text: String) -> [Term] {
        let (terms, count) = scanned(text)
        guard !terms.isEmpty else { return [] }
        // All titles contain the marks, so they are last.
        return terms.map { $0.shifted(by: -1) }
            + [Term(mark: titleEnd, offset: Int(count) + 1), Term(mark: titleStart, offset: 0)]
    }

    private static func scanned(_ text: String) -> (terms: [Term], count: UInt32) {
        var (terms, text) = ([Term](), text)
        let count = text.withUTF8 { utf8 in
            TokenScanner.forEachToken(in: utf8) { token in
                guard !token.isOnlyForIndex else { return true }
                var term = Term(token.kind, utf8[token.range])
                term.offset = Int(token.position) - 1
                if !term.word.isEmpty { terms.append(term) }
                return true
            }
        }
        return (terms, count)
    }

    func keys(in languages: Set<TextLanguage>) -> [[UInt8]] {
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

    var alone: Term { shifted(by: offset) }

    func shifted(by words: Int) -> Term {
        var term = self
        term.offset -= words
        return term
    }

    /// Whether the term is a word at its offset, and not an identifier of several words.
    var isWord: Bool { kind != .verbatim }
}
