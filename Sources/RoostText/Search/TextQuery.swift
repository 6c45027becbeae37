/// What somebody asks for in words.
///
/// - `word`: texts that have it, or another form of it, come first.
/// - `"some words"`: only texts that have these words next to each other.
/// - `-word`, `-"some words"`: only texts that do not have them.
/// - `begin*`: words that begin so, and their other forms.
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

    /// What makes a text a better answer, and how often the query says it.
    private(set) var wanted: [(clause: Clause, count: Int)] = []
    /// What a text must have.
    private(set) var required: [Clause] = []
    /// What a text must not have.
    private(set) var excluded: [Clause] = []
    /// The query without what is excluded and without signs: what it means to somebody who knows no signs.
    public private(set) var plainText = ""

    public static func == (left: Self, right: Self) -> Bool {
        left.plainText == right.plainText && left.required == right.required
            && left.excluded == right.excluded
            && left.wanted.elementsEqual(right.wanted) { $0.clause == $1.clause && $0.count == $1.count }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(plainText)
        hasher.combine(required)
        hasher.combine(excluded)
    }

    /// Whether texts are left out for what they have or have not.
    public var isSelective: Bool { !required.isEmpty || !excluded.isEmpty }

    /// Whether there is a word to look for.
    public var hasWords: Bool { !wanted.isEmpty }

    /// - Complexity: O(length).
    public init(_ text: String) {
        var plain: [Substring] = []
        for piece in Self.pieces(text) {
            if piece.isExcluded {
                excluded += Self.clauses(of: piece.text, isPhrase: true)
                continue
            }
            plain.append(piece.text.hasSuffix("*") ? piece.text.dropLast() : piece.text)
            if piece.isQuoted { required += Self.clauses(of: piece.text, isPhrase: true) }
            for clause in Self.clauses(of: piece.text, isPhrase: false, isQuoted: piece.isQuoted) {
                if let known = wanted.firstIndex(where: { $0.clause == clause }) {
                    wanted[known].count += 1
                } else {
                    wanted.append((clause, 1))
                }
            }
        }
        plainText = plain.joined(separator: " ")
        // Words that say nothing count where nothing else is said.
        let telling = wanted.filter { !$0.clause.isStopWord }
        if !telling.isEmpty { wanted = telling }
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
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            var after = rest
            let isExcluded = first == "-"
            if isExcluded { after.removeFirst() }
            if let open = after.first, let close = closing[open] {
                after.removeFirst()
                if let end = after.firstIndex(of: close) {
                    pieces.append(Piece(text: after[..<end], isQuoted: true, isExcluded: isExcluded))
                    rest = after[after.index(after: end)...]
                    continue
                }
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
                if let term = Term(utf8[range]) { terms.append(term) }
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
