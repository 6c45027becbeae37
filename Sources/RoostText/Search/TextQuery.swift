/// A parsed full-text query.
///
/// - `word`: texts that contain the word or an inflected form of it rank higher.
/// - `"some words"`: only texts that contain this phrase, in the body or in another field, match. In a query
///   of more than twelve other words, which is prose and not an expression, quotation marks are punctuation.
/// - `-word`, `-"some words"`: only texts that do not contain the word or phrase in any field match. A hyphen
///   before one or two ASCII characters, as in `rebase -i`, is text.
/// - `--not word`, `--not "some words"`: the same as `-word`.
/// - `prefix*`: matches words that start with the prefix.
/// - `title:word`, `path:word`, `tag:word`: only texts with the word in this field match. The word can also
///   be a quoted phrase or a prefix, and a hyphen before the field excludes the texts. In a path,
///   the words around an asterisk must occur: `path:*.swift`, `path:notes/*.md`, `-path:notes/*.md`. Words
///   without spaces between them must be adjacent, and before an asterisk, the last one is a prefix:
///   `path:notes/2024-0*`.
/// - `\-word`, `\"word`, `\title:word`: a backslash before an operator makes it text.
///
/// Operators of programming languages with two to four characters, such as `=>`, `//` or `${`, are searched
/// for like words. Any other character that is not part of a word is ignored. Every text is a valid query.
public struct TextQuery: Sendable, Hashable {
    /// A condition on the words of a text.
    enum Clause: Sendable, Hashable {
        /// One or more adjacent words.
        case phrase([Term])
        /// One of several phrases, such as the forms of a date, in the body or in another field.
        case anyPhrase([[Term]])
        /// A word that starts with these UTF-8 bytes.
        case prefix([UInt8])
    }

    /// A word or prefix that contributes to the score of a text.
    struct ScoringClause: Sendable, Hashable {
        var clause: Clause
        /// The number of occurrences in the query.
        var count = 1
        var isQuoted: Bool
        /// The factor by which the clause's contribution to the score is multiplied: 1, or less for parts of
        /// identifiers and for corrected words.
        var weight: Float = 1
        /// The number of the query's word that the clause stands for. A word can have several clauses: the
        /// word itself, the word as a part of identifiers in the texts, its parts, and its correction.
        var word = 0
        /// Whether the clause is part of an identifier that the query also contains as a whole.
        var isPart = false
        /// Whether the clause is a word of the store that is similar to the one that the user entered.
        var isCorrected = false
        /// The information of the clause in the texts of the store, if the query has been resolved.
        var information: Float = 1
    }

    /// A condition on the words of a text and its other fields.
    struct Condition: Sendable, Hashable {
        /// The field that must contain the words; `nil` for any field.
        var field: TextField?
        /// The words that must all occur.
        var clauses: [Clause]
        /// Whether texts with all of the words are excluded instead.
        var isExcluded: Bool
    }

    /// The clauses that contribute to the score.
    var scoring: [ScoringClause] = []
    /// The pairs of adjacent words, if the query has been resolved. A text in which they are adjacent ranks
    /// higher.
    var pairs: [Clause] = []
    /// The clauses that a text must match.
    var required: [Clause] = []
    /// The clauses that a text must not match.
    var excluded: [Clause] = []
    /// The conditions on words in one field.
    var fieldConditions: [Condition] = []
    /// The text that is embedded: the query without excluded words and operators.
    public internal(set) var plainText = ""
    /// The words that were replaced with similar words because no text contains them, or searched for
    /// together with similar words because almost no text contains them.
    public internal(set) var corrections: [TextCorrection] = []
    /// The words and phrases that the query excludes, as the user entered them but without the hyphen.
    public private(set) var exclusions: [String] = []
    /// Each excluded word that follows another word, with that word, such as `commit -amend`. If an entry
    /// contains this text, the user probably means the text and not an exclusion.
    package private(set) var doubtfulExclusions: [String] = []
    /// The phrases that the query requires but that are text, because no entry contains them
    /// (``TextCollection/relaxed(_:isAllowed:)``).
    public internal(set) var unmatchedPhrases: [String] = []
    /// The number of words that were ignored because the query exceeds ``maximumClauses``.
    public private(set) var omittedWords = 0

    /// The maximum number of different words, phrases and prefixes in a query, and of words in a phrase.
    /// Limits the search time if a whole document is pasted as the query.
    public static let maximumClauses = 1024

    /// The maximum number of words outside of phrases in a query whose quotation marks are operators. A query
    /// with more words is prose.
    private static let maximumExpression = 12

    /// The weight of the parts of an identifier in camel case, relative to the identifier. Texts that contain
    /// only a part, such as "session" of `URLSession`, rank lower.
    static let partWeight: Float = 0.5

    /// Whether the query requires or excludes words, and therefore does not match every text.
    public var isSelective: Bool { !required.isEmpty || !excluded.isEmpty || !fieldConditions.isEmpty }

    /// The field and the words of a query that consists of words in one field, such as `title:moon`; `nil`
    /// for other queries.
    package var wordsInOneField: (field: TextField, words: String)? {
        guard required.isEmpty, excluded.isEmpty, fieldConditions.count == 1,
            let condition = fieldConditions.first, !condition.isExcluded, let field = condition.field,
            scoring.allSatisfy(\.isQuoted)
        else { return nil }
        return (field, plainText)
    }

    /// Whether the query requires or excludes a phrase of several words, or has pairs of adjacent words or
    /// the forms of a date.
    package var hasPhrases: Bool {
        (required + excluded + pairs + scoring.map(\.clause)).contains {
            switch $0 {
            case .phrase(let terms): terms.count > 1
            case .anyPhrase: true
            case .prefix: false
            }
        }
    }

    /// Whether every text that matches contains a phrase or a word that the query requires.
    package var requiresWords: Bool {
        !required.isEmpty || fieldConditions.contains { !$0.isExcluded }
    }

    /// Whether the query contains a word or prefix that contributes to the score.
    public var hasWords: Bool { !scoring.isEmpty }

    /// Whether the query consists only of excluded words.
    public var isOnlyExclusion: Bool {
        !exclusions.isEmpty && plainText.allSatisfy(\.isWhitespace)
    }

    /// Parses a query. Every text is valid.
    ///
    /// - Complexity: O(length of text).
    public init(_ text: String) { self.init(text, keepingAsText: []) }

    /// Parses a query.
    ///
    /// - Parameters:
    ///   - text: The query. Every text is valid.
    ///   - phrases: The ``doubtfulExclusions`` that are text, because entries contain them.
    package init(_ text: String, keepingAsText phrases: Set<String>) {
        var plain: [Substring] = []
        var indices: [Clause: Int] = [:]
        var known = KnownConditions()
        let pieces = QueryPiece.pieces(of: text)
        let isProse = pieces.count { !$0.isQuoted && !$0.isExcluded } > Self.maximumExpression
        for var piece in pieces {
            if let phrase = piece.phrase {
                doubtfulExclusions.append(phrase)
                if phrases.contains(phrase) { piece = piece.asText }
            }
            if piece.isExcluded {
                exclude(piece, &known)
                continue
            }
            let clauses = Self.clauses(of: piece, isPhrase: false)
            if case .prefix? = clauses.last {
                plain.append(piece.text.dropLast())
            } else {
                plain.append(piece.text)
            }
            if let field = piece.field {
                for part in piece.partsOfPattern {
                    for clause in Self.clauses(of: part, isPhrase: true) {
                        addCondition([clause], on: field, isExcluded: false, &known)
                    }
                }
            } else if piece.isQuoted, !isProse {
                add(Self.clauses(of: piece, isPhrase: true), to: \.required)
            }
            let isSelected = (piece.isQuoted && !isProse) || piece.field != nil
            for clause in clauses { add(clause, isQuoted: isSelected, &indices) }
        }
        plainText = plain.joined(separator: " ")
        // If the query consists only of operators, they are probably meant literally.
        if plainText.allSatisfy(\.isWhitespace), exclusions.isEmpty { plainText = text }
        // Stop words count only if they are quoted or the query contains nothing else. Those of languages
        // other than English are removed later, when the languages of the store are known.
        if TextLanguages(of: plainText).latin == .english { removeStopWords(of: TextLanguages()) }
    }

    /// Parses the query of a search by meaning: what follows `--not` is excluded, and all else is text.
    ///
    /// - Complexity: O(length of text).
    package init(exclusionsIn text: String) {
        var known = KnownConditions()
        var start = text.startIndex
        for piece in QueryPiece.pieces(of: text) {
            if let range = piece.negation {
                exclude(piece, &known)
                plainText += text[start..<range.lowerBound]
                start = range.upperBound
            } else if piece.isLiteral, piece.isNot {
                // The backslash makes it text.
                plainText += text[start..<text.index(before: piece.text.startIndex)]
                start = piece.text.startIndex
            }
        }
        plainText += text[start...]
        // The empty text has no meaning, and an excluded piece without words excludes nothing.
        if plainText.allSatisfy(\.isWhitespace), exclusions.isEmpty { plainText = text }
    }

    /// Returns a text in which `--not` excludes nothing, for a search by meaning
    /// (``init(exclusionsIn:)``).
    ///
    /// - Complexity: O(length of text).
    package static func escapedExclusions(_ text: String) -> String {
        QueryPiece.escapedExclusions(text)
    }

    /// Returns a text in which operators have no effect: it has a backslash before each word that begins or
    /// ends with an operator.
    ///
    /// - Complexity: O(length of text).
    public static func escaped(_ text: String) -> String { QueryPiece.escaped(text) }

    /// Removes the stop words, unless the query contains nothing else.
    ///
    /// - Parameter languages: The languages of the query.
    mutating func removeStopWords(of languages: TextLanguages) {
        let significant = scoring.filter { $0.isQuoted || !$0.clause.isStopWord(in: languages) }
        if !significant.isEmpty { scoring = significant }
    }

    /// Adds a clause that contributes to the score.
    ///
    /// - Parameter indices: The indices of the clauses that have been added before.
    private mutating func add(_ clause: Clause, isQuoted: Bool, _ indices: inout [Clause: Int]) {
        let isPart = clause.isPartOfIdentifier
        let weight = isPart ? Self.partWeight : 1
        let clause = clause.asWord
        // The parts of a word follow it.
        let word = (scoring.last?.word ?? -1) + (isPart ? 0 : 1)
        if let known = indices[clause] {
            scoring[known].count += 1
            scoring[known].isQuoted = scoring[known].isQuoted || isQuoted
            scoring[known].weight = max(scoring[known].weight, weight)
            if scoring[known].isPart, !isPart { (scoring[known].isPart, scoring[known].word) = (false, word) }
        } else if scoring.count < Self.maximumClauses {
            indices[clause] = scoring.count
            scoring.append(
                ScoringClause(
                    clause: clause, isQuoted: isQuoted, weight: weight, word: word, isPart: isPart))
        } else {
            omittedWords += 1
        }
    }

    /// Adds an excluded piece. A piece without words excludes nothing.
    private mutating func exclude(_ piece: QueryPiece, _ known: inout KnownConditions) {
        // A text is not excluded because of an operator in the phrase.
        let clauses = piece.partsOfPattern.compactMap { Self.clauses(of: $0, isPhrase: true).first }
        guard !clauses.isEmpty else { return }
        if let field = piece.field {
            guard addCondition(clauses, on: field, isExcluded: true, &known) else { return }
        } else {
            let count = excluded.count
            add(clauses, to: \.excluded)
            guard excluded.count > count else { return }
        }
        let name = piece.field.map { $0 == .tags ? "tag:" : "\($0.rawValue):" } ?? ""
        exclusions.append(name + piece.text)
    }

    /// The conditions on fields that have been added to a query.
    private struct KnownConditions {
        var conditions: Set<Condition> = []
        /// The total number of their clauses, which is at most ``TextQuery/maximumClauses``.
        var clauses = 0
    }

    /// Adds a condition on a field, or counts its words as omitted if there are too many conditions.
    ///
    /// - Returns: Whether the query has the condition.
    @discardableResult
    private mutating func addCondition(
        _ clauses: [Clause], on field: TextField, isExcluded: Bool, _ known: inout KnownConditions
    ) -> Bool {
        var found = Set<Clause>()
        let different = clauses.filter { found.insert($0).inserted }
        let condition = Condition(field: field, clauses: different, isExcluded: isExcluded)
        guard !known.conditions.contains(condition) else { return true }
        // A part of an exclusion would exclude other texts than the user wants.
        guard known.clauses + different.count <= Self.maximumClauses else {
            omittedWords += different.count
            return false
        }
        known.conditions.insert(condition)
        known.clauses += different.count
        fieldConditions.append(condition)
        return true
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

    /// Returns the clauses of a piece of the query.
    ///
    /// - Parameters:
    ///   - piece: The piece. If it is quoted or literal, a final `*` is punctuation.
    ///   - isPhrase: Whether all words form one clause, which is the first. Those of operators follow.
    private static func clauses(of piece: QueryPiece, isPhrase: Bool) -> [Clause] {
        let text = String(piece.text)
        let hasAsterisk = text.last == "*" && !piece.isQuoted && !piece.isLiteral
        // In a path, an asterisk after a hyphen does not form an operator with it.
        let isPattern = hasAsterisk && piece.field != nil
        // A quoted version number finds only itself.
        let terms = Term.terms(of: isPattern ? String(text.dropLast()) : text).map {
            piece.isQuoted ? $0.exact : $0
        }
        let words = terms.filter(\.isWord)
        let operators = terms.filter { $0.kind == .operator }.map { Clause.phrase([$0.alone]) }
        guard !words.isEmpty else { return operators }
        if hasAsterisk, words.count == 1 || !isPhrase {
            let prefix = Term.prefix(of: text.dropLast())
            if !prefix.isEmpty { return words.dropLast().map { .phrase([$0.alone]) } + [.prefix(prefix)] }
        }
        // `"C++"` is not `c`.
        if isPhrase, words.count == 1, let exact = terms.first(where: { $0.kind == .verbatim }) {
            return [.phrase([exact.alone])] + operators
        }
        if isPhrase {
            var phrase = words.map { $0.shifted(by: words[0].offset) }
            // In the text, a phrase that ends in a prefix would require the positions of too many words.
            let isBeginning = isPattern && text.dropLast().last.map { $0.isLetter || $0.isNumber } == true
            if isBeginning, let last = phrase.last, last.kind == .word {
                phrase[phrase.count - 1] = last.asPrefix
            }
            return [.phrase(phrase)] + operators
        }
        return terms.map { .phrase([$0.alone]) }
    }
}

extension TextQuery.Clause {
    /// Whether the clause is a single stop word.
    ///
    /// - Parameter languages: The languages of the query.
    func isStopWord(in languages: TextLanguages) -> Bool {
        guard case .phrase(let terms) = self, terms.count == 1 else { return false }
        return StopWords.contains(terms[0], in: languages)
    }

    /// Whether the clause is a part of an identifier that the query also contains as a whole.
    fileprivate var isPartOfIdentifier: Bool {
        if case .phrase(let terms) = self { terms.first?.kind == .part } else { false }
    }

    /// The clause with the part of an identifier turned into a word.
    fileprivate var asWord: TextQuery.Clause {
        guard case .phrase(var terms) = self, isPartOfIdentifier else { return self }
        terms[0].kind = .word
        return .phrase(terms)
    }
}
