/// What somebody asks for in words.
///
/// - `word`: texts that have it, or another form of it, come first.
/// - `"some words"`: only texts that have these words next to each other.
/// - `-word`, `-"some words"`: only texts that do not have them.
/// - `begin*`: words that begin so.
///
/// Anything else is punctuation. There is no text that is no query.
public struct TextQuery: Sendable, Hashable {
    /// Something that a text has or has not.
    enum Clause: Sendable, Hashable {
        /// Words next to each other; one or more.
        case phrase([Term])
        /// A word that begins so.
        case prefix([UInt8])
    }

    /// Something that makes a text a better answer: one word, or the beginning of one.
    struct Wanted: Sendable, Hashable {
        var clause: Clause
        /// How often the query says it.
        var count = 1
        var isQuoted: Bool
    }

    private(set) var wanted: [Wanted] = []
    /// What a text must have.
    private(set) var required: [Clause] = []
    /// What a text must not have.
    private(set) var excluded: [Clause] = []
    /// For each stem that is wanted its place among the wanted.
    private(set) var stems: [[UInt8]: Int] = [:]
    /// The query without what is excluded and without signs: what it means to somebody who knows no signs.
    public private(set) var plainText = ""
    /// How many words of the query do not count, since it has too many.
    public private(set) var omittedWords = 0

    /// So many different words, phrases and beginnings of a query count, and so many words of a phrase.
    public static let longest = 1024

    /// Whether texts are left out for what they have or have not.
    public var isSelective: Bool { !required.isEmpty || !excluded.isEmpty }

    /// Whether texts are left out for how words follow each other.
    public var hasPhrases: Bool {
        (required + excluded).contains { if case .phrase(let terms) = $0 { terms.count > 1 } else { false } }
    }

    /// Whether there is a word to look for.
    public var hasWords: Bool { !wanted.isEmpty }

    /// Whether all that is said is what to leave out.
    public var isOnlyExclusion: Bool {
        !excluded.isEmpty && plainText.allSatisfy(\.isWhitespace)
    }

    /// - Complexity: O(length).
    public init(_ text: String) {
        var plain: [Substring] = []
        var places: [Clause: Int] = [:]
        for piece in Self.pieces(text) {
            if piece.isExcluded {
                add(Self.clauses(of: piece.text, isPhrase: true), to: \.excluded)
                continue
            }
            let clauses = Self.clauses(of: piece.text, isPhrase: false, isQuoted: piece.isQuoted)
            if case .prefix? = clauses.last {
                plain.append(piece.text.dropLast())
            } else {
                plain.append(piece.text)
            }
            if piece.isQuoted { add(Self.clauses(of: piece.text, isPhrase: true), to: \.required) }
            for clause in clauses {
                if let known = places[clause] {
                    wanted[known].count += 1
                    wanted[known].isQuoted = wanted[known].isQuoted || piece.isQuoted
                } else if wanted.count < Self.longest {
                    places[clause] = wanted.count
                    wanted.append(Wanted(clause: clause, isQuoted: piece.isQuoted))
                } else {
                    omittedWords += 1
                }
            }
        }
        plainText = plain.joined(separator: " ")
        // Of nothing but signs, signs are what is meant.
        if plainText.allSatisfy(\.isWhitespace), excluded.isEmpty { plainText = text }
        // Words that say nothing count where nothing else is said, or where they are asked for in quotes.
        let telling = wanted.filter { $0.isQuoted || !$0.clause.isStopWord }
        if !telling.isEmpty { wanted = telling }
        for (place, wanted) in wanted.enumerated() {
            if case .phrase(let terms) = wanted.clause, stems[terms[0].stem] == nil {
                stems[terms[0].stem] = place
            }
        }
    }

    private mutating func add(_ clauses: [Clause], to list: WritableKeyPath<TextQuery, [Clause]>) {
        let room = max(0, Self.longest - self[keyPath: list].count)
        omittedWords += max(0, clauses.count - room)
        for clause in clauses.prefix(room) {
            if case .phrase(let terms) = clause, terms.count > Self.longest {
                self[keyPath: list].append(.phrase(Array(terms.prefix(Self.longest))))
                omittedWords += terms.count - Self.longest
            } else {
                self[keyPath: list].append(clause)
            }
        }
    }

    private struct Piece {
        var text: Substring
        var isQuoted = false
        var isExcluded = false
    }

    /// What is between spaces, or between quotation marks.
    private static func pieces(_ text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        let closing: [Character: Character] = ["\"": "\"", "\u{201C}": "\u{201D}"]
        // Signs that nothing closes any more are looked for once only.
        var unclosed = Set<Character>()
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            var after = rest
            let isExcluded = first == "-"
            if isExcluded { after.removeFirst() }
            if let open = after.first, let close = closing[open], !unclosed.contains(close) {
                after.removeFirst()
                if let end = after.firstIndex(of: close) {
                    pieces.append(Piece(text: after[..<end], isQuoted: true, isExcluded: isExcluded))
                    rest = after[after.index(after: end)...]
                    continue
                }
                unclosed.insert(close)
            }
            let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
            var piece = Piece(text: rest[..<end])
            // A dash before a word leaves it out; one that stands alone, or before another, is a dash.
            if isExcluded, let next = piece.text.dropFirst().first, next.isLetter || next.isNumber {
                piece = Piece(text: piece.text.dropFirst(), isExcluded: true)
            }
            pieces.append(piece)
            rest = rest[end...]
        }
        return pieces
    }

    /// - Parameter isPhrase: whether all words are one clause.
    private static func clauses(of text: Substring, isPhrase: Bool, isQuoted: Bool = false) -> [Clause] {
        var text = String(text)
        let hasStar = text.last == "*" && !isQuoted
        let terms = text.withUTF8 { utf8 in
            var scanner = WordScanner()
            var terms: [Term] = []
            var end = 0
            while let range = scanner.next(in: utf8) {
                end = range.upperBound
                terms.append(Term(utf8[range]))
            }
            return (all: terms, isLastAtEnd: end == utf8.count - 1)
        }
        guard let last = terms.all.last else { return [] }
        if hasStar, terms.isLastAtEnd, terms.all.count == 1 || !isPhrase {
            return terms.all.dropLast().map { .phrase([$0]) } + [.prefix(last.word)]
        }
        return isPhrase ? [.phrase(terms.all)] : terms.all.map { .phrase([$0]) }
    }
}

extension TextQuery.Clause {
    var isStopWord: Bool {
        guard case .phrase(let terms) = self, terms.count == 1 else { return false }
        return StopWords.english.contains(String(decoding: terms[0].word, as: UTF8.self))
    }
}
