/// A parsed full-text query.
///
/// - `word`: texts that contain the word or an inflected form of it rank higher.
/// - `"some words"`: only texts that contain this phrase, in the body or in another field, match.
/// - `prefix*`: matches words that start with the prefix.
/// - `title:word`, `path:word`, `tag:word`: only texts with the word in this field match. The word can also
///   be a quoted phrase or a prefix.
/// - `-word`, `-"some words"`, `-tag:word`: texts with the word or phrase do not match. The word has at least
///   three characters and begins with a letter; any other hyphen, as in `rebase -i` or `-5`, is text.
///
/// Any other character that is not part of a word is ignored. A text of more than 32 words has no operators.
/// Every text is a valid query.
public struct TextQuery: Sendable, Hashable {
    enum Clause: Sendable, Hashable {
        case phrase([Term])
        /// A word that starts with these UTF-8 bytes.
        case prefix([UInt8])
    }

    struct ScoringClause: Sendable, Hashable {
        var clause: Clause
        var count = 1
        var isRequired: Bool
        /// The information of the clause in the texts of the store, if the query has been resolved.
        var information: Float = 1
    }

    /// A condition on the words of a text and its other fields.
    struct Condition: Sendable, Hashable {
        var field: TextField?
        var clause: Clause
        /// Whether texts with the words are excluded instead.
        var isExcluded: Bool
    }

    var scoring: [ScoringClause] = []
    /// The pairs of adjacent words, if the query has been resolved. A text in which they are adjacent ranks
    /// higher.
    var pairs: [Clause] = []
    /// The terms of a title that consists of the query, if the query has been resolved and has no conditions.
    var title: [Term] = []
    var conditions: [Condition] = []
    /// The text that is embedded: the query without excluded words and operators.
    public internal(set) var plainText = ""
    /// The words that were replaced with similar words because no text contains them.
    public internal(set) var corrections: [TextCorrection] = []
    /// The words and phrases that the query excludes, as the user entered them but without the hyphen.
    public private(set) var exclusions: [String] = []
    /// The number of words that were ignored because the query exceeds ``maximumClauses``.
    public private(set) var omittedWords = 0

    /// The maximum number of different words, phrases and prefixes in a query, and of words in a phrase.
    /// Limits the search time if a whole document is pasted as the query.
    public static let maximumClauses = 1024

    /// Whether the query requires or excludes words, and therefore does not match every text.
    public var isSelective: Bool { !conditions.isEmpty }

    package var requiresWords: Bool { conditions.contains { !$0.isExcluded } }

    /// Whether the query contains a word or prefix that contributes to the score.
    public var hasWords: Bool { !scoring.isEmpty }

    /// Whether the query consists only of excluded words.
    public var isOnlyExclusion: Bool { !exclusions.isEmpty && plainText.allSatisfy(\.isWhitespace) }

    /// Parses a query. Every text is valid.
    ///
    /// - Complexity: O(length of text).
    public init(_ text: String) {
        var plain: [Substring] = []
        var indices: [Clause: Int] = [:]
        var known = Set<Condition>()
        for piece in QueryPiece.pieces(of: text) {
            let clause = piece.isExcluded || piece.isRequired ? Self.condition(of: piece) : nil
            if let clause {
                add(Condition(field: piece.field, clause: clause, isExcluded: piece.isExcluded), &known)
            }
            if piece.isExcluded {
                guard clause != nil else { continue }
                let name = piece.field.map { $0 == .tags ? "tag:" : "\($0.rawValue):" } ?? ""
                exclusions.append(name + piece.text)
            } else {
                plain.append(piece.text)
                for clause in Self.clauses(of: piece) { add(clause, piece.isRequired, &indices) }
            }
        }
        plainText = plain.joined(separator: " ")
        // A query without words, such as `""`, is read as text.
        if plainText.allSatisfy(\.isWhitespace), exclusions.isEmpty { plainText = text }
        // Stop words count only if they are required or the query contains nothing else. Those of languages
        // other than English are removed later, when the languages of the store are known.
        if TextLanguages(of: plainText).latin == .english { removeStopWords(of: TextLanguages()) }
    }

    /// Removes the stop words of languages from ``scoring``, unless it contains nothing else.
    mutating func removeStopWords(of languages: TextLanguages) {
        let significant = scoring.filter { $0.isRequired || !$0.clause.isStopWord(in: languages) }
        if !significant.isEmpty { scoring = significant }
    }

    private mutating func add(_ clause: Clause, _ isRequired: Bool, _ indices: inout [Clause: Int]) {
        if let known = indices[clause] {
            scoring[known].count += 1
            scoring[known].isRequired = scoring[known].isRequired || isRequired
        } else if scoring.count < Self.maximumClauses {
            indices[clause] = scoring.count
            scoring.append(ScoringClause(clause: clause, isRequired: isRequired))
        } else {
            omittedWords += 1
        }
    }

    private mutating func add(_ condition: Condition, _ known: inout Set<Condition>) {
        if known.insert(condition).inserted { conditions.append(condition) }
    }

    private static func clauses(of piece: QueryPiece) -> [Clause] {
        let terms = Term.terms(of: String(piece.text))
        guard piece.isPrefix, let last = terms.last(where: \.isWord) else {
            return terms.map { .phrase([$0.alone]) }
        }
        let words = terms.filter { $0.isWord && $0 != last }
        return words.map { .phrase([$0.alone]) } + [.prefix(last.word)]
    }

    /// Returns what a text must or must not contain according to a piece; `nil` if it contains no word.
    private static func condition(of piece: QueryPiece) -> Clause? {
        let terms = Term.terms(of: String(piece.text))
        let words = terms.filter(\.isWord)
        guard let first = words.first else { return nil }
        if words.count == 1 {
            if piece.isPrefix { return .prefix(first.word) }
            // `"C++"` is not `c`.
            if let exact = terms.first(where: { $0.kind == .verbatim }) { return .phrase([exact.alone]) }
        }
        return .phrase(words.map { $0.shifted(by: first.offset) })
    }
}

extension TextQuery.Clause {
    func isStopWord(in languages: TextLanguages) -> Bool {
        guard case .phrase(let terms) = self, terms.count == 1 else { return false }
        return StopWords.contains(terms[0], in: languages)
    }
}
