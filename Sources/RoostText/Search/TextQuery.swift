/// A parsed full-text query.
///
/// - `word`: texts that contain the word or an inflected form of it rank higher.
/// - `"some words"`: only texts that contain this phrase match.
/// - `-word`, `-"some words"`: only texts that do not contain the word or phrase match.
/// - `prefix*`: matches words that start with the prefix.
///
/// Any other character that is not part of a word is ignored. Every text is a valid query.
public struct TextQuery: Sendable, Hashable {
    /// A condition on the words of a text.
    enum Clause: Sendable, Hashable {
        /// One or more adjacent words.
        case phrase([Term])
        /// A word that starts with these UTF-8 bytes.
        case prefix([UInt8])
    }

    /// A word or prefix that contributes to the score of a text.
    struct ScoringClause: Sendable, Hashable {
        var clause: Clause
        /// The number of occurrences in the query.
        var count = 1
        var isQuoted: Bool
    }

    /// The clauses that contribute to the score.
    private(set) var scoring: [ScoringClause] = []
    /// The clauses that a text must match.
    private(set) var required: [Clause] = []
    /// The clauses that a text must not match.
    private(set) var excluded: [Clause] = []
    /// The index in `scoring` of each stem.
    private(set) var stems: [[UInt8]: Int] = [:]
    /// The query without excluded words and without operators, as an embedding model should see it.
    public private(set) var plainText = ""
    /// The number of words that were ignored because the query exceeds ``maximumClauses``.
    public private(set) var omittedWords = 0

    /// The maximum number of different words, phrases and prefixes in a query, and of words in a phrase.
    /// Limits the search time if a whole document is pasted as the query.
    public static let maximumClauses = 1024

    /// Whether the query requires or excludes words, and therefore does not match every text.
    public var isSelective: Bool { !required.isEmpty || !excluded.isEmpty }

    /// Whether the query requires or excludes a phrase of several words.
    package var hasPhrases: Bool {
        (required + excluded).contains { if case .phrase(let terms) = $0 { terms.count > 1 } else { false } }
    }

    /// Whether the query contains a word or prefix that contributes to the score.
    public var hasWords: Bool { !scoring.isEmpty }

    /// Whether the query consists only of excluded words.
    public var isOnlyExclusion: Bool {
        !excluded.isEmpty && plainText.allSatisfy(\.isWhitespace)
    }

    /// Parses a query. Every text is valid.
    ///
    /// - Complexity: O(length of text).
    public init(_ text: String) {
        var plain: [Substring] = []
        var indices: [Clause: Int] = [:]
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
                if let known = indices[clause] {
                    scoring[known].count += 1
                    scoring[known].isQuoted = scoring[known].isQuoted || piece.isQuoted
                } else if scoring.count < Self.maximumClauses {
                    indices[clause] = scoring.count
                    scoring.append(ScoringClause(clause: clause, isQuoted: piece.isQuoted))
                } else {
                    omittedWords += 1
                }
            }
        }
        plainText = plain.joined(separator: " ")
        // If the query consists only of operators, they are probably meant literally.
        if plainText.allSatisfy(\.isWhitespace), excluded.isEmpty { plainText = text }
        // Stop words count only if they are quoted or the query contains nothing else.
        let significant = scoring.filter { $0.isQuoted || !$0.clause.isStopWord }
        if !significant.isEmpty { scoring = significant }
        for (index, scoring) in scoring.enumerated() {
            if case .phrase(let terms) = scoring.clause, stems[terms[0].stem] == nil {
                stems[terms[0].stem] = index
            }
        }
    }

    /// Appends clauses to a list up to ``maximumClauses``, and counts the words that are omitted.
    private mutating func add(_ clauses: [Clause], to list: WritableKeyPath<TextQuery, [Clause]>) {
        let room = max(0, Self.maximumClauses - self[keyPath: list].count)
        omittedWords += max(0, clauses.count - room)
        for clause in clauses.prefix(room) {
            if case .phrase(let terms) = clause, terms.count > Self.maximumClauses {
                self[keyPath: list].append(.phrase(Array(terms.prefix(Self.maximumClauses))))
                omittedWords += terms.count - Self.maximumClauses
            } else {
                self[keyPath: list].append(clause)
            }
        }
    }

    /// A word or a quoted phrase of the query, with the punctuation around it.
    private struct Piece {
        var text: Substring
        var isQuoted = false
        var isExcluded = false
    }

    /// Splits a query at spaces and quotation marks.
    private static func pieces(_ text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        let closing: [Character: Character] = ["\"": "\"", "\u{201C}": "\u{201D}"]
        // Closing quotation marks that are known not to occur in the rest of the query. They are not searched
        // for again.
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
            // A hyphen directly before a word excludes it; any other hyphen is punctuation.
            if isExcluded, let next = piece.text.dropFirst().first, next.isLetter || next.isNumber {
                piece = Piece(text: piece.text.dropFirst(), isExcluded: true)
            }
            pieces.append(piece)
            rest = rest[end...]
        }
        return pieces
    }

    /// Returns the clauses of a piece of the query.
    ///
    /// - Parameters:
    ///   - text: The piece without its operators, except a final `*`.
    ///   - isPhrase: Whether all words form one clause.
    ///   - isQuoted: Whether the piece was quoted. If it was, a final `*` is punctuation.
    private static func clauses(of text: Substring, isPhrase: Bool, isQuoted: Bool = false) -> [Clause] {
        var text = String(text)
        let hasAsterisk = text.last == "*" && !isQuoted
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
        if hasAsterisk, terms.isLastAtEnd, terms.all.count == 1 || !isPhrase {
            return terms.all.dropLast().map { .phrase([$0]) } + [.prefix(last.word)]
        }
        return isPhrase ? [.phrase(terms.all)] : terms.all.map { .phrase([$0]) }
    }
}

extension TextQuery.Clause {
    /// Whether the clause is a single English stop word.
    var isStopWord: Bool {
        guard case .phrase(let terms) = self, terms.count == 1 else { return false }
        return StopWords.english.contains(String(decoding: terms[0].word, as: UTF8.self))
    }
}
